// Random sequences of scores, temperatures and clocks against what the guard promises. 100,000 of
// them here; OCTET_GUARD_SEQUENCES says another count.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "tests/runtime/guard/guard_fixture.h"

namespace octet {
namespace {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  uint32_t Below(uint32_t bound) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<uint32_t>((state_ >> 32) * bound >> 32);
  }
  bool OneIn(uint32_t n) { return Below(n) == 0; }

 private:
  uint64_t state_;
};

octet_guard_config RandomConfig(Random& random) {
  octet_guard_config config;
  octet_guard_defaults(&config, 1 + random.Below(4));
  config.home_plan = random.Below(config.plan_count);
  config.policy = random.Below(4);
  config.shadow_every = random.OneIn(3) ? 0 : 1 + random.Below(6);
  config.dwell_ms = random.Below(2000);
  config.dwell_max_ms = config.dwell_ms + random.Below(8000);
  config.heat_dwell_ms = random.Below(1000);
  config.sensor_lost_ms = 1 + random.Below(3000);
  config.sensor_stuck_ms = random.OneIn(2) ? 0 : random.Below(5000);
  return config;
}

// What the sequence so far allows, kept apart from the guard's own books.
struct Judge {
  explicit Judge(const octet_guard_config& c) : config(c), plan(c.home_plan) {}

  const octet_guard_config& config;
  uint64_t now_ms = 1ull << 40;  // of a clock that never jumps
  uint32_t plan;                 // that ran
  uint32_t bad = 0;              // scored frames in a row of this plan below the trip
  uint32_t dwell_ms = 0;
  uint64_t breaker_ms = 0, heat_down_ms = 0;  // last change by the breaker; last step down by heat
  octet_guard_reason reason = OCTET_GUARD_HOME;
  bool was_hot_ever = false;

  std::string Check(const octet_guard_decision& d, uint32_t elapsed_ms, bool held) {
    now_ms += elapsed_ms;
    if (d.plan >= config.plan_count) return "outside the ladder";
    const bool judged = reason != OCTET_GUARD_HELD && reason != OCTET_GUARD_THROTTLE && !held;
    if (!judged) bad = 0;
    if (judged && d.score != OCTET_GUARD_NO_SCORE) bad = d.score < config.trip_score ? bad + 1 : 0;
    const bool tripped = (d.events & OCTET_GUARD_TRIPPED) != 0;
    const bool returned = (d.events & OCTET_GUARD_RETURNED) != 0;
    const bool last = plan + 1 == config.plan_count;
    if (judged && !last && tripped != (bad == config.trip_frames)) return "trips not at the fifth";
    if (last && tripped) return "trips above the last plan";
    const bool throttled = d.reason == OCTET_GUARD_THROTTLE;
    if (tripped && d.plan <= plan && !throttled) return "stays in a bad plan";
    if (returned && now_ms - breaker_ms < dwell_ms) return "returns before its dwell";
    if (d.plan < plan && !returned && !held && reason != OCTET_GUARD_HELD) {
      if (config.policy == OCTET_GUARD_HEAT_IGNORED) return "a step back for nothing";
      if (now_ms - heat_down_ms < config.heat_dwell_ms) return "heat steps back before its dwell";
      heat_down_ms = now_ms;
    }
    if (held && d.reason != OCTET_GUARD_HELD) return "does not hold";
    if (!was_hot_ever && (d.rate_divisor != 1 || d.reason == OCTET_GUARD_HEAT || throttled)) {
      return "heat that never was";
    }
    if (d.dwell_ms < config.dwell_ms || d.dwell_ms > config.dwell_max_ms) return "dwell";
    if (tripped || returned) breaker_ms = now_ms;
    if (d.plan != plan || tripped) bad = 0;
    dwell_ms = d.dwell_ms;
    plan = d.plan;
    reason = d.reason;
    return "";
  }
};

// The decisions of one sequence, as a number: the same on every machine.
std::string RunSequence(uint64_t seed, uint64_t* hash) {
  Random random(seed);
  const octet_guard_config config = RandomConfig(random);
  uint32_t now_ms = random.OneIn(2) ? 0u - random.Below(3000) : random.Below(UINT32_MAX);
  octet_guard guard;
  if (octet_guard_init(&guard, &config, now_ms).code != OCTET_OK) return "a good config refused";
  Judge judge(config);
  bool held = false;
  uint32_t quality = 1000;
  for (uint32_t frame = 0; frame < 48; ++frame) {
    if (random.OneIn(12)) quality = random.OneIn(2) ? 1000 : random.Below(1001);
    for (uint32_t signal = 0; signal < OCTET_GUARD_SIGNALS; ++signal) {
      if (signal != OCTET_GUARD_AGREEMENT && !random.OneIn(3)) {
        octet_guard_score(&guard, signal, quality);
      }
    }
    const uint32_t shadow = octet_guard_shadow(&guard, random.OneIn(4) ? 0 : 1);
    if (shadow != OCTET_GUARD_NO_PLAN) {
      if (shadow >= config.plan_count || shadow == judge.plan) return "shadows what there is not";
      octet_guard_agreement(&guard, random.OneIn(3) ? random.Below(1001) : quality);
    }
    if (!random.OneIn(3)) {
      const int32_t reading = random.OneIn(5)
                                  ? static_cast<int32_t>(random.Below(1u << 20)) - 200000
                                  : 50000 + static_cast<int32_t>(random.Below(7)) * 6000;
      octet_guard_temperature(&guard, reading);
      judge.was_hot_ever |= reading >= config.enter_mc && reading <= 150000;
    }
    if (random.OneIn(40)) {
      const uint32_t plan = held ? OCTET_GUARD_NO_PLAN : random.Below(config.plan_count);
      octet_guard_hold(&guard, plan);
      held = plan != OCTET_GUARD_NO_PLAN;
    }
    const uint32_t jump = random.OneIn(20) ? random.Below(UINT32_MAX) : random.Below(400);
    now_ms += jump;
    octet_guard_decision decision;
    octet_guard_frame(&guard, now_ms, &decision);
    const std::string problem = judge.Check(decision, jump < 0x80000000u ? jump : 0, held);
    if (!problem.empty()) return problem + " (frame " + std::to_string(frame) + ")";
    *hash = (*hash ^ (decision.plan | decision.reason << 4 | decision.events << 8 |
                      static_cast<uint64_t>(decision.score) << 20 | decision.rate_divisor << 16)) *
            0x100000001B3u;
  }
  return "";
}

TEST(Guard, KeepsItsPromisesOverRandomSequences) {
  const char* count = std::getenv("OCTET_GUARD_SEQUENCES");
  const uint64_t sequences = count != nullptr ? std::strtoull(count, nullptr, 10) : 100000;
  uint64_t hash = 0xCBF29CE484222325u;
  for (uint64_t seed = 0; seed < sequences; ++seed) {
    const std::string problem = RunSequence(seed, &hash);
    ASSERT_EQ(problem, "") << "sequence " << seed;
  }
}

// A camera whose frames, plans and shadow runs take what they take. The bad spell over, the plan
// below agrees where anyone looks, and the guard has to go down: within a dwell, twice, of each
// plan above home.
std::string RunCosts(uint64_t seed) {
  Random random(seed);
  octet_guard_config config = RandomConfig(random);
  config.policy = OCTET_GUARD_HEAT_IGNORED;
  if (random.OneIn(2)) config.home_plan = 0;
  const uint32_t interval_ms = 1 + random.Below(200);
  uint32_t cost_ms[OCTET_MAX_PLANS];
  for (uint32_t& cost : cost_ms) cost = 1 + random.Below(random.OneIn(2) ? 20 : 1500);
  const bool scores = random.OneIn(2), always_bad = random.OneIn(4);
  octet_guard guard;
  octet_guard_budget budget;
  uint64_t now_ms = random.Below(UINT32_MAX), last_step_ms = now_ms;
  if (octet_guard_init(&guard, &config, static_cast<uint32_t>(now_ms)).code != OCTET_OK) {
    return "a good config refused";
  }
  octet_guard_budget_init(&budget, now_ms * 1000);
  octet_guard_decision d = {};
  d.plan = config.home_plan;
  uint64_t number = 0;
  for (uint32_t frame = 0; frame < 400; ++frame) {
    const bool bad_spell = frame < 20;
    octet_guard_frame_time time;
    time.waits = 0, time.bad_frames = d.bad_frames;
    number = now_ms / interval_ms;
    time.number = number, time.captured_us = number * interval_ms * 1000;
    time.run_us = uint64_t{cost_ms[d.plan]} * 1000;
    now_ms += cost_ms[d.plan];
    time.now_us = now_ms * 1000;
    if (bad_spell || scores) {
      octet_guard_score(&guard, OCTET_GUARD_APPLICATION, bad_spell || always_bad ? 100 : 1000);
    }
    if (random.OneIn(2)) octet_guard_score(&guard, OCTET_GUARD_SATURATION, random.Below(1001));
    const octet_guard_time has = octet_guard_budget_frame(&budget, &time);
    const uint32_t shadow = octet_guard_shadow(&guard, static_cast<int>(has));
    if (shadow != OCTET_GUARD_NO_PLAN) {
      if (shadow >= config.plan_count || shadow == d.plan) return "shadows what there is not";
      now_ms += cost_ms[shadow];
      octet_guard_budget_spend(&budget, uint64_t{cost_ms[shadow]} * 1000);
      octet_guard_agreement(&guard, bad_spell && shadow > d.plan ? 100 : 1000);
    }
    // What was missed, and the wait for the next frame.
    now_ms = (now_ms / interval_ms + 1) * interval_ms;
    octet_guard_frame(&guard, static_cast<uint32_t>(now_ms), &d);
    if (d.plan >= config.plan_count) return "outside the ladder";
    if (d.plan == config.home_plan || bad_spell ||
        (d.events & (OCTET_GUARD_TRIPPED | OCTET_GUARD_RETURNED)) != 0) {
      last_step_ms = now_ms;
    }
    const uint64_t most_ms = std::max<uint64_t>(2 * uint64_t{config.dwell_max_ms}, 1000) +
                             2 * uint64_t{interval_ms} + 3200;
    if (now_ms - last_step_ms > most_ms) {
      return "stuck in plan " + std::to_string(d.plan) + " for " +
             std::to_string(now_ms - last_step_ms) + " ms (frame " + std::to_string(frame) + ")";
    }
  }
  return "";
}

TEST(Guard, IsNeverStuckWhateverFramesCost) {
  const char* count = std::getenv("OCTET_GUARD_SEQUENCES");
  const uint64_t sequences = count != nullptr ? std::strtoull(count, nullptr, 10) : 5000;
  for (uint64_t seed = 0; seed < sequences; ++seed) {
    ASSERT_EQ(RunCosts(seed), "") << "sequence " << seed;
  }
}

TEST(Guard, DecidesTheSameOnEveryMachine) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (uint64_t seed = 0; seed < 1000; ++seed) RunSequence(seed, &hash);
  EXPECT_EQ(hash, 5984395236715446958u);
}

}  // namespace
}  // namespace octet
