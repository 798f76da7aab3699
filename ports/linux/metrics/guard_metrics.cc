#include "ports/linux/metrics/guard_metrics.h"

#include <utility>

namespace octet::port {

GuardMetrics::GuardMetrics(Metrics* metrics, uint32_t home_plan)
    : metrics_(metrics), plan_(home_plan) {
  metrics_->SetPlan(home_plan);
}

void GuardMetrics::CountEvents(const octet_guard_decision& decision) {
  const auto has = [&](uint32_t event) { return (decision.events & event) != 0; };
  if (has(OCTET_GUARD_TRIPPED)) {
    metrics_->CountBreaker(BreakerEvent::kTrip);
    // The dwell is doubled where it trips soon after a return, and never otherwise. The first one
    // is the configured dwell.
    if (dwell_ms_ != 0 && decision.dwell_ms > dwell_ms_) {
      metrics_->CountBreaker(BreakerEvent::kFlap);
    }
  }
  if (has(OCTET_GUARD_RETURNED)) metrics_->CountBreaker(BreakerEvent::kReturn);
  if (has(OCTET_GUARD_EXHAUSTED)) metrics_->CountBreaker(BreakerEvent::kStuck);
  for (const auto& [event, kind] : {std::pair{OCTET_GUARD_GREW_HOT, ThermalEvent::kHot},
                                    std::pair{OCTET_GUARD_COOLED, ThermalEvent::kCool},
                                    std::pair{OCTET_GUARD_SENSOR_LOST, ThermalEvent::kLost},
                                    std::pair{OCTET_GUARD_SENSOR_STUCK, ThermalEvent::kStuck},
                                    std::pair{OCTET_GUARD_SENSOR_BACK, ThermalEvent::kBack},
                                    std::pair{OCTET_GUARD_POLICY_LEFT, ThermalEvent::kLeft}}) {
    if (has(event)) metrics_->CountThermal(kind);
  }
  if (has(OCTET_GUARD_GREW_HOT)) hot_ = true;
  // A sensor that cannot be believed makes the board count as cool.
  if (has(OCTET_GUARD_COOLED | OCTET_GUARD_SENSOR_LOST | OCTET_GUARD_SENSOR_STUCK)) hot_ = false;
}

SwitchReason GuardMetrics::WhyFrom(const octet_guard_decision& decision) const {
  // Somebody let the plan go.
  if (reason_ == OCTET_GUARD_HELD) return SwitchReason::kManual;
  switch (decision.reason) {
    case OCTET_GUARD_HELD:
      return SwitchReason::kManual;
    case OCTET_GUARD_THROTTLE:
      return SwitchReason::kThrottle;
    case OCTET_GUARD_HEAT:
      return hot_ ? SwitchReason::kHeat : SwitchReason::kCool;
    case OCTET_GUARD_ACCURACY:
      if ((decision.events & OCTET_GUARD_RETURNED) != 0) return SwitchReason::kRecovered;
      return reason_ == OCTET_GUARD_THROTTLE ? SwitchReason::kCool : SwitchReason::kAccuracy;
    default:  // home again; of a hot board, because the finer plan made it hotter
      if (reason_ == OCTET_GUARD_ACCURACY) return SwitchReason::kRecovered;
      return hot_ ? SwitchReason::kHeat : SwitchReason::kCool;
  }
}

void GuardMetrics::Add(const octet_guard_decision& decision) {
  CountEvents(decision);
  if (decision.plan != plan_) {
    metrics_->CountSwitch(WhyFrom(decision));
    metrics_->SetPlan(decision.plan);
  }
  metrics_->SetRateDivisor(decision.rate_divisor);
  if (decision.score != OCTET_GUARD_NO_SCORE) {
    metrics_->SetScore(static_cast<float>(decision.score) / OCTET_GUARD_FULL_SCORE);
  }
  plan_ = decision.plan;
  dwell_ms_ = decision.dwell_ms;
  reason_ = decision.reason;
}

}  // namespace octet::port
