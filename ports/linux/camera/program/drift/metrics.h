// What --drift does, as numbers.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_DRIFT_METRICS_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_DRIFT_METRICS_H_

#include <iterator>

#include "ports/linux/metrics/counters.h"
#include "ports/linux/metrics/metrics.h"

namespace octet::port {

// octet_drift_events_total{event}.
enum class DriftEvent : uint8_t {
  kObserved,  // a frame updated the ranges
  kAccepted,  // new scales are in use
  kDropped,   // new scales agreed with FP16 less than the old ones
  kRestored,  // scales of the run before are in use again
  kRefused,   // a stored record was damaged or of another blob
};
inline constexpr const char* kDriftEvents[] = {"observed", "accepted", "dropped", "restored",
                                               "refused"};

class DriftNumbers final : public FeatureMetrics {
 public:
  void Write(MetricPlace place, Exposition* out) const override {
    if (place != MetricPlace::kEvents) return;
    events.Write("octet_drift_events_total", "Events of drift recalibration.", "event", out);
  }
  Counters<DriftEvent, std::size(kDriftEvents)> events{kDriftEvents};
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_DRIFT_METRICS_H_
