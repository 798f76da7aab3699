// What the guard decides, as numbers: one call a frame.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_GUARD_METRICS_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_GUARD_METRICS_H_

#include <array>
#include <atomic>
#include <iterator>
#include <limits>
#include <string_view>

#include "octet/guard.h"
#include "ports/linux/metrics/counters.h"
#include "ports/linux/metrics/metrics.h"

namespace octet::port {

// octet_plan_switches_total{reason}: why the plan changed.
enum class SwitchReason : uint8_t {
  kAccuracy,   // scores fell, towards FP16
  kRecovered,  // and rose again, back
  kHeat,       // the board is hot
  kThrottle,   // so hot that accuracy yields
  kCool,       // and cool again
  kManual,     // a user held it, or let it go
};
inline constexpr const char* kSwitchReasons[] = {"accuracy", "recovered", "heat",
                                                 "throttle", "cool",      "manual"};

// octet_breaker_events_total{event}.
enum class BreakerEvent : uint8_t {
  kTrip,    // one step up the ladder
  kReturn,  // one step back
  kFlap,    // tripped again soon after a return: the dwell grows
  kStuck,   // at the top of the ladder, and scores are still low
};
inline constexpr const char* kBreakerEvents[] = {"trip", "return", "flap", "stuck"};

// octet_thermal_events_total{event}.
enum class ThermalEvent : uint8_t {
  kHot,    // at the threshold
  kCool,   // below the other one
  kLost,   // the sensor gives nothing that can be
  kStuck,  // it gives the very same for too long
  kBack,   // it can be believed again
  kLeft,   // finer plans made it hotter, and none runs until it has cooled
};
inline constexpr const char* kThermalEvents[] = {"hot", "cool", "lost", "stuck", "back", "left"};

// Names of the layers that are watched.
class LayerNames {
 public:
  static constexpr uint32_t kMost = 16;
  // Those beyond are ignored. Two layers may not share a name: the later one gets #2, #3.
  void Add(std::string_view name);
  uint32_t count() const { return count_; }
  const char* name(uint32_t i) const { return names_[i].data(); }

 private:
  std::array<MetricName, kMost> names_{};
  uint32_t count_ = 0;
};

class GuardNumbers final : public FeatureMetrics {
 public:
  void Write(MetricPlace place, Exposition* out) const override;
  void SetBlob(const BlobView& blob) override;

  // Seconds that a frame may take; 0: no budget.
  void SetLatencyBudget(float seconds) { budget_s_.store(seconds, std::memory_order_relaxed); }
  // Of another model: no layer has values until they are set.
  void SetLayers(const LayerNames& names);
  // Error of the layer's output against FP16, relative; share of saturated values; the largest
  // value over the end of its int8 range. NaN: not known. i: of LayerNames; beyond: ignored.
  void SetLayer(uint32_t i, float quantization_error, float saturation_ratio, float range_use);
  // 1: every frame is processed; n: one of n.
  void SetRateDivisor(uint32_t divisor) { divisor_.store(divisor, std::memory_order_relaxed); }
  // Of the frames that had one, against the reference: 1 is as good as FP32. NaN: none.
  void SetScore(float score) { score_.store(score, std::memory_order_relaxed); }

  Counters<SwitchReason, std::size(kSwitchReasons)> switches{kSwitchReasons};
  Counters<BreakerEvent, std::size(kBreakerEvents)> breaker{kBreakerEvents};
  Counters<ThermalEvent, std::size(kThermalEvents)> thermal{kThermalEvents};

 private:
  static constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  struct Layer {
    std::atomic<float> error{kNone}, saturation{kNone}, range_use{kNone};
  };
  void WriteLayers(Exposition* out) const;

  std::atomic<float> budget_s_{0}, score_{kNone};
  std::atomic<uint32_t> divisor_{1};
  Seqlock<LayerNames> names_;
  std::array<Layer, LayerNames::kMost> layers_;
};

class GuardMetrics {
 public:
  // Of a guard that octet_guard_init has just begun. `metrics` has to outlive it.
  GuardMetrics(CameraMetrics* metrics, uint32_t home_plan);
  // After octet_guard_frame: plan, rate, score, and an event for whatever has changed since the
  // call before. Never waits or allocates.
  void Add(const octet_guard_decision& decision);

 private:
  void CountEvents(const octet_guard_decision& decision);
  SwitchReason WhyFrom(const octet_guard_decision& decision) const;

  CameraMetrics* metrics_;
  GuardNumbers& numbers_;
  uint32_t plan_, dwell_ms_ = 0;
  octet_guard_reason reason_ = OCTET_GUARD_HOME;
  bool hot_ = false;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_GUARD_METRICS_H_
