// Breaker and heat together: who wins. octet/guard.h has the order.
#include <string.h>

#include "octet/guard.h"
#include "runtime/core/bytes.h"
#include "runtime/core/sized.h"
#include "runtime/guard/breaker.h"
#include "runtime/guard/heat.h"
#include "runtime/guard/sound.h"

namespace octet {
namespace guard {
namespace {

struct State {
  octet_guard_config config;
  Breaker breaker;
  Heat heat;
  uint32_t last_ms;
  uint32_t plan;  // that runs
  uint32_t held;
  octet_guard_reason reason;
};
static_assert(sizeof(State) <= sizeof(octet_guard), "octet_guard holds the state");
static_assert(alignof(State) <= alignof(octet_guard), "octet_guard holds the state");

State& Of(octet_guard* guard) {
  return *static_cast<State*>(static_cast<void*>(guard));
}

struct Choice {
  uint32_t plan;
  octet_guard_reason reason;
};

Choice Choose(const State& state) {
  if (state.held != OCTET_GUARD_NO_PLAN) return {state.held, OCTET_GUARD_HELD};
  const octet_guard_config& config = state.config;
  const uint32_t last = config.plan_count - 1, steps = state.heat.steps();
  const uint32_t floor = state.breaker.floor(), home = config.home_plan;
  const uint32_t accurate = floor > home ? floor : home;
  uint32_t by_heat = home;
  if (config.policy == OCTET_GUARD_RAISE_PRECISION) {
    by_heat = home + steps > last ? last : home + steps;
  } else if (config.policy == OCTET_GUARD_LOWER_PRECISION) {
    if (state.heat.throttles() && steps != 0) {
      return {accurate > steps ? accurate - steps : 0, OCTET_GUARD_THROTTLE};
    }
    by_heat = home > steps ? home - steps : 0;
  }
  if (floor > by_heat) return {floor, OCTET_GUARD_ACCURACY};
  return {by_heat, by_heat == home ? OCTET_GUARD_HOME : OCTET_GUARD_HEAT};
}

bool IsValid(const octet_guard_config& c) {
  const bool heat = c.policy == OCTET_GUARD_HEAT_IGNORED ||
                    (c.policy <= OCTET_GUARD_LOWER_RATE && c.leave_mc < c.enter_mc &&
                     c.enter_mc < c.throttle_mc && c.leave_mc > -300000 &&
                     c.throttle_mc < 1000000 && c.sensor_lost_ms != 0);
  return c.plan_count >= 1 && c.plan_count <= OCTET_MAX_PLANS && c.home_plan < c.plan_count &&
         c.trip_score <= c.return_score && c.return_score <= OCTET_GUARD_FULL_SCORE &&
         c.trip_frames != 0 && c.return_frames != 0 && c.dwell_ms <= c.dwell_max_ms &&
         c.reference_score != 0 && heat;
}

}  // namespace

bool IsSound(const octet_guard& guard) {
  octet_guard copy = guard;
  const State& state = Of(&copy);
  const octet_guard_config& config = state.config;
  if (config.plan_count == 0) {
    constexpr octet_guard kNotBegun = {};
    return SameBytes(reinterpret_cast<const uint8_t*>(&guard),
                     reinterpret_cast<const uint8_t*>(&kNotBegun), sizeof(guard));
  }
  return IsValid(config) && state.breaker.floor() < config.plan_count &&
         state.heat.steps() <= OCTET_MAX_PLANS && state.plan < config.plan_count &&
         (state.held == OCTET_GUARD_NO_PLAN || state.held < config.plan_count) &&
         state.reason <= OCTET_GUARD_HELD;
}

}  // namespace guard
}  // namespace octet

using octet::guard::Of;
using octet::guard::State;

void octet_guard_defaults(octet_guard_config* config, uint32_t plan_count) {
  if (!octet::IsSized(config)) return;
  octet_guard_config c = {};
  c.plan_count = plan_count;
  c.trip_score = 900;
  c.trip_frames = 5;
  c.return_score = 950;
  c.return_frames = 5;
  c.dwell_ms = 30000;
  c.dwell_max_ms = 32 * c.dwell_ms;
  for (uint32_t& weight : c.weights) weight = 1;
  c.reference_score = OCTET_GUARD_FULL_SCORE;
  c.shadow_every = 30;
  c.policy = OCTET_GUARD_RAISE_PRECISION;
  c.enter_mc = 60000;
  c.leave_mc = 55000;
  c.throttle_mc = 80000;
  c.heat_dwell_ms = 10000;
  c.sensor_lost_ms = 10000;
  c.sensor_stuck_ms = 3600000;
  octet::WriteSized(c, config);
}

octet_status octet_guard_init(octet_guard* guard, const octet_guard_config* config,
                              uint32_t now_ms) {
  octet_guard_config own;
  if (guard == nullptr || !octet::ReadSized(config, &own) || !octet::guard::IsValid(own)) {
    return {OCTET_INVALID_ARGUMENT, 0};
  }
  memset(guard, 0, sizeof(*guard));
  State& state = Of(guard);
  state.config = own;
  state.breaker.Start(own);
  state.heat.Start(own);
  state.last_ms = now_ms;
  state.plan = own.home_plan;
  state.held = OCTET_GUARD_NO_PLAN;
  state.reason = OCTET_GUARD_HOME;
  return {OCTET_OK, 0};
}

void octet_guard_score(octet_guard* guard, octet_guard_signal signal, uint32_t score) {
  State& state = Of(guard);
  // A guard of zeros, which nothing has begun, takes no scores.
  if (signal >= OCTET_GUARD_SIGNALS || state.config.reference_score == 0) return;
  uint64_t share = score;
  if (signal == OCTET_GUARD_APPLICATION) {
    share = share * OCTET_GUARD_FULL_SCORE / state.config.reference_score;
  }
  const uint32_t most = OCTET_GUARD_FULL_SCORE;  // better than the reference is not worth more
  state.breaker.Score(signal, share > most ? most : static_cast<uint32_t>(share));
}

uint32_t octet_guard_shadow(octet_guard* guard, int has_time) {
  State& state = Of(guard);
  if (state.held != OCTET_GUARD_NO_PLAN) return OCTET_GUARD_NO_PLAN;
  return state.breaker.Shadow(state.config, state.plan, static_cast<octet_guard_time>(has_time));
}

void octet_guard_agreement(octet_guard* guard, uint32_t score) {
  const uint32_t most = OCTET_GUARD_FULL_SCORE;
  Of(guard).breaker.Agreement(score > most ? most : score);
}

void octet_guard_temperature(octet_guard* guard, int32_t millidegrees) {
  Of(guard).heat.Read(millidegrees);
}

void octet_guard_frame(octet_guard* guard, uint32_t now_ms, octet_guard_decision* decision) {
  State& state = Of(guard);
  const uint32_t passed_ms = now_ms - state.last_ms;  // modulo 2^32: a wrap is no jump
  const uint32_t elapsed_ms = passed_ms < 0x80000000u ? passed_ms : 0;
  state.last_ms = now_ms;
  // Where another plan than the breaker's choice runs, its scores say nothing of the floor.
  const bool judged = state.reason != OCTET_GUARD_HELD && state.reason != OCTET_GUARD_THROTTLE &&
                      state.held == OCTET_GUARD_NO_PLAN;
  octet_guard_decision d = {};
  d.events = state.breaker.Frame(state.config, state.plan, elapsed_ms, judged);
  d.events |= state.heat.Frame(state.config, elapsed_ms);
  const octet::guard::Choice choice = octet::guard::Choose(state);
  state.plan = choice.plan;
  state.reason = choice.reason;
  d.plan = choice.plan;
  d.reason = choice.reason;
  d.rate_divisor = state.config.policy == OCTET_GUARD_LOWER_RATE ? 1u << state.heat.steps() : 1u;
  if (choice.reason == OCTET_GUARD_HOME && d.rate_divisor != 1) d.reason = OCTET_GUARD_HEAT;
  d.score = state.breaker.score();
  d.dwell_ms = state.breaker.dwell_ms();
  d.bad_frames = state.breaker.bad_frames();
  if (octet::IsSized(decision)) octet::WriteSized(d, decision);
}

octet_status octet_guard_hold(octet_guard* guard, uint32_t plan) {
  State& state = Of(guard);
  if (plan != OCTET_GUARD_NO_PLAN && plan >= state.config.plan_count) {
    return {OCTET_INVALID_ARGUMENT, 0};
  }
  state.held = plan;
  return {OCTET_OK, 0};
}

const char* octet_guard_reason_name(octet_guard_reason reason) {
  switch (reason) {
    case OCTET_GUARD_HOME:
      return "home";
    case OCTET_GUARD_ACCURACY:
      return "accuracy";
    case OCTET_GUARD_HEAT:
      return "heat";
    case OCTET_GUARD_THROTTLE:
      return "throttle";
    case OCTET_GUARD_HELD:
      return "held";
    default:
      return "unknown";
  }
}
