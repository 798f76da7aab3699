// What the guard decides, as numbers: one call a frame.
#ifndef OCTET_PORTS_LINUX_METRICS_GUARD_METRICS_H_
#define OCTET_PORTS_LINUX_METRICS_GUARD_METRICS_H_

#include "octet/guard.h"
#include "ports/linux/metrics/metrics.h"

namespace octet::port {

class GuardMetrics {
 public:
  // Of a guard that octet_guard_init has just begun. `metrics` has to outlive it.
  GuardMetrics(Metrics* metrics, uint32_t home_plan);
  // After octet_guard_frame: plan, rate, score, and an event for whatever has changed since the
  // call before. Never waits or allocates.
  void Add(const octet_guard_decision& decision);

 private:
  void CountEvents(const octet_guard_decision& decision);
  SwitchReason WhyFrom(const octet_guard_decision& decision) const;

  Metrics* metrics_;
  uint32_t plan_, dwell_ms_ = 0;
  octet_guard_reason reason_ = OCTET_GUARD_HOME;
  bool hot_ = false;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_METRICS_GUARD_METRICS_H_
