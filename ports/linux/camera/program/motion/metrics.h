// What the motion gate has skipped, as numbers.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_MOTION_METRICS_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_MOTION_METRICS_H_

#include <atomic>
#include <cstdint>

#include "ports/linux/metrics/metrics.h"

namespace octet::port {

class MotionNumbers final : public FeatureMetrics {
 public:
  void Write(MetricPlace place, Exposition* out) const override {
    if (place != MetricPlace::kEvents || !is_on_.load(std::memory_order_relaxed)) return;
    WriteCounter("octet_frames_still_total",
                 "Frames that were not run, because nothing had moved in them.",
                 still_.load(std::memory_order_relaxed), out);
    WriteGauge("octet_motion_changed_ratio", "Share of the newest frame that has changed.",
               changed_.load(std::memory_order_relaxed), out);
  }

  void TurnOn() { is_on_.store(true, std::memory_order_relaxed); }
  void CountStill() { still_.fetch_add(1, std::memory_order_relaxed); }
  void SetChanged(double share) { changed_.store(share, std::memory_order_relaxed); }

 private:
  std::atomic<bool> is_on_{false};
  std::atomic<uint64_t> still_{0};
  std::atomic<double> changed_{0};
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_MOTION_METRICS_H_
