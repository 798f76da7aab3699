#include "runtime/guard/heat.h"

#include "runtime/guard/breaker.h"

namespace octet {
namespace guard {
namespace {

// What boards are sold for, and a margin; a sensor that says else is broken.
constexpr int32_t kLeastMillidegrees = -40000, kMostMillidegrees = 150000;
constexpr uint32_t kMostRateSteps = 3;  // one frame of 8
// A board that is a degree hotter after a dwell, and again after the next one, is heated by us.
constexpr int32_t kRiseMillidegrees = 1000;
constexpr uint8_t kMostRises = 2;

uint32_t MostSteps(const octet_guard_config& config) {
  switch (config.policy) {
    case OCTET_GUARD_RAISE_PRECISION:
      return config.plan_count - 1 - config.home_plan;
    case OCTET_GUARD_LOWER_PRECISION:
      return config.plan_count - 1;  // also what the breaker has raised
    case OCTET_GUARD_LOWER_RATE:
      return kMostRateSteps;
    default:
      return 0;
  }
}

}  // namespace

void Heat::Start(const octet_guard_config& config) {
  *this = Heat();
  since_step_ms_ = config.heat_dwell_ms;  // the first step need not wait
  usable_ = 1;
}

void Heat::Read(int32_t millidegrees) {
  if (millidegrees < kLeastMillidegrees || millidegrees > kMostMillidegrees) return;
  if (known_ == 0 || millidegrees != reading_mc_) moved_ = 1;
  reading_mc_ = millidegrees;
  known_ = fresh_ = 1;
}

// Whether the sensor can be believed.
uint32_t Heat::Watch(const octet_guard_config& config, uint32_t elapsed_ms) {
  since_reading_ms_ = fresh_ != 0 ? 0 : AddElapsed(since_reading_ms_, elapsed_ms);
  since_move_ms_ = moved_ != 0 ? 0 : AddElapsed(since_move_ms_, elapsed_ms);
  fresh_ = moved_ = 0;
  const bool lost = since_reading_ms_ >= config.sensor_lost_ms;
  const bool stuck =
      known_ != 0 && config.sensor_stuck_ms != 0 && since_move_ms_ >= config.sensor_stuck_ms;
  const bool usable = !lost && !stuck;
  if (usable == (usable_ != 0)) return 0;
  usable_ = usable ? 1 : 0;
  return usable ? OCTET_GUARD_SENSOR_BACK
         : lost ? OCTET_GUARD_SENSOR_LOST
                : OCTET_GUARD_SENSOR_STUCK;
}

// A dwell with steps taken has ended: finer plans were to cool the board and heat it. Only they
// can: the other policies do less.
bool Heat::KeepsRising(const octet_guard_config& config) {
  if (config.policy != OCTET_GUARD_RAISE_PRECISION || hot_ == 0) return false;
  const bool rose = reading_mc_ >= before_mc_ + kRiseMillidegrees;
  rises_ = rose ? (uint8_t)(rises_ + 1) : (uint8_t)0;
  before_mc_ = reading_mc_;
  return rises_ >= kMostRises;
}

uint32_t Heat::Frame(const octet_guard_config& config, uint32_t elapsed_ms) {
  since_step_ms_ = AddElapsed(since_step_ms_, elapsed_ms);
  uint32_t events = Watch(config, elapsed_ms);
  const bool was_hot = hot_ != 0;
  if (known_ == 0 || usable_ == 0) {
    hot_ = throttles_ = 0;  // the board has its own emergency brake; we have no reason any more
  } else {
    if (reading_mc_ >= config.enter_mc) hot_ = 1;
    if (reading_mc_ <= config.leave_mc) hot_ = 0;
    // Thresholds of a policy that ignores heat may be any numbers.
    const int64_t relief_mc = int64_t{config.throttle_mc} - config.enter_mc + config.leave_mc;
    if (reading_mc_ >= config.throttle_mc && throttles_ == 0 &&
        since_step_ms_ >= config.heat_dwell_ms) {
      throttles_ = 1;
      since_step_ms_ = 0;
    } else if (reading_mc_ <= relief_mc) {
      throttles_ = 0;
    }
  }
  if ((hot_ != 0) != was_hot) events |= was_hot ? OCTET_GUARD_COOLED : OCTET_GUARD_GREW_HOT;
  if (hot_ == 0) left_ = 0;
  if (since_step_ms_ >= config.heat_dwell_ms) {
    if (steps_ != 0 && KeepsRising(config)) {
      left_ = 1;
      rises_ = 0;
      events |= OCTET_GUARD_POLICY_LEFT;
    }
    if (hot_ != 0 && left_ == 0 && steps_ < MostSteps(config)) {
      if (steps_ == 0) rises_ = 0, before_mc_ = reading_mc_;
      ++steps_;
      since_step_ms_ = 0;
    } else if (hot_ != 0 && left_ == 0 && steps_ != 0) {
      since_step_ms_ = 0;  // the next dwell in the last step
    } else if ((hot_ == 0 || left_ != 0) && steps_ != 0) {
      --steps_;
      since_step_ms_ = 0;
    }
  }
  return events;
}

}  // namespace guard
}  // namespace octet
