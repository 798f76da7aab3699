// The numbers of one camera.
#ifndef OCTET_PORTS_LINUX_METRICS_CAMERA_METRICS_H_
#define OCTET_PORTS_LINUX_METRICS_CAMERA_METRICS_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "ports/linux/capture/health.h"
#include "ports/linux/metrics/exposition.h"
#include "ports/linux/metrics/features.h"

namespace octet::port {

class CameraMetrics : public FeatureNumbers {
 public:
  explicit CameraMetrics(const std::string& name) : name_(name) {}

  // Of a source that is opened again when it ends. Before anybody writes.
  void SetSource(std::shared_ptr<const SourceHealth> health) { health_ = std::move(health); }

  // ---- The loop's, and one thread's at a time; they take effect one by one.

  // One result: how long it took, and since its frame was captured.
  void AddResult(uint64_t inference_ns, uint64_t age_ns);
  // So far: frames with a result, frames that were replaced by newer ones.
  void SetFrames(uint64_t processed, uint64_t dropped);
  // A frame that was skipped, because the rate is lowered.
  void CountSkipped();
  void SetPlan(uint32_t index) { plan_.store(index, std::memory_order_relaxed); }
  // When the newest frame was captured (NowNs()).
  void SetFrameTime(uint64_t captured_ns) {
    captured_ns_.store(captured_ns, std::memory_order_relaxed);
  }

  // ---- From any thread.

  const std::string& name() const { return name_; }
  uint32_t plan() const { return plan_.load(std::memory_order_relaxed); }
  // Times and counts, and the age of the newest frame.
  void WriteFrames(Exposition* out) const;
  void WriteAge(Exposition* out) const;
  void WriteSource(Exposition* out) const;

 private:
  static constexpr uint64_t kNever = UINT64_MAX;
  // Bounds from 0.1 ms to 10 s, six a decade: neighbours differ by a factor of 1.67 at most, which
  // is how wrong a quantile may be.
  static constexpr uint32_t kBoundsUs[] = {100,     150,     200,     300,     500,     700,      //
                                           1000,    1500,    2000,    3000,    5000,    7000,     //
                                           10000,   15000,   20000,   30000,   50000,   70000,    //
                                           100000,  150000,  200000,  300000,  500000,  700000,   //
                                           1000000, 1500000, 2000000, 3000000, 5000000, 7000000,  //
                                           10000000};
  struct Histogram {
    void Add(uint64_t ns);
    void Write(Exposition* out) const;
    std::array<std::atomic<uint64_t>, std::size(kBoundsUs) + 1> counts{};  // the last: beyond
    std::atomic<uint64_t> sum_ns{0};
  };

  const std::string name_;
  std::shared_ptr<const SourceHealth> health_;
  Histogram inference_, age_;
  std::atomic<uint64_t> processed_{0}, dropped_{0}, skipped_{0};
  std::atomic<uint32_t> plan_{0};
  std::atomic<uint64_t> captured_ns_{kNever};
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_METRICS_CAMERA_METRICS_H_
