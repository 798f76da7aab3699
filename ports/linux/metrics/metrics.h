// The numbers of octet-camera that do not belong to a feature, and those of features, in fixed
// memory: the loop writes them without waiting, allocating or calling the system, a server's thread
// reads them as text (ports/linux/monitoring/README.md names them all).
#ifndef OCTET_PORTS_LINUX_METRICS_METRICS_H_
#define OCTET_PORTS_LINUX_METRICS_METRICS_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ports/linux/metrics/camera_metrics.h"
#include "ports/linux/metrics/exposition.h"
#include "ports/linux/metrics/name.h"
#include "ports/linux/metrics/seqlock.h"
#include "runtime/format/view.h"

namespace octet::port {

// What runs: changes with the blob alone.
class BlobDescription {
 public:
  static constexpr uint32_t kMaxPlans = 8;  // OCTET_MAX_PLANS

  void SetDigest(const uint8_t digest[32]);
  void SetModel(std::string_view name);
  void SetBoard(std::string_view name);
  void AddPlan(std::string_view name);  // in the order of their indices; those beyond are ignored
  uint64_t security_counter = 0;

 private:
  friend class Metrics;

  std::array<char, 65> digest_{};
  MetricName model_{}, board_{};
  std::array<MetricName, kMaxPlans> plans_{};
  uint32_t plan_count_ = 0;
};

// All of a program: what runs, what the board says, and the numbers of each camera.
class Metrics : public FeatureNumbers {
 public:
  // Of this moment, whatever the clock says of it later: one that is set does not stay wrong.
  Metrics();
  // start_s: seconds since 1970.
  explicit Metrics(double start_s) : start_s_(start_s) {}

  // Before anybody calls Write. name: of its label `camera`; empty: the one of a program without a
  // list, whose numbers have no such label. Valid as long as this.
  CameraMetrics& AddCamera(const std::string& name);
  size_t camera_count() const { return cameras_.size(); }
  CameraMetrics& camera(size_t i) { return *cameras_[i]; }

  // ---- The loop's, and one thread's at a time; they take effect one by one.

  // A new blob: plan 0 until it is set.
  void SetBlob(const BlobDescription& blob);
  // The same for features.
  void SetBlob(const BlobView& blob);
  // Result lines so far that were not read.
  void SetLinesDropped(uint64_t lines) { lines_dropped_.store(lines, std::memory_order_relaxed); }

  // ---- From any thread.

  // Degrees Celsius; NaN: there is no sensor, or it gives no temperature.
  void SetTemperature(float celsius) { celsius_.store(celsius, std::memory_order_relaxed); }
  // Pictures or records that could not be written.
  void CountUnwritten() { unwritten_.fetch_add(1, std::memory_order_relaxed); }

  // All of it. resident_bytes: of the process, now.
  void Write(uint64_t resident_bytes, Exposition* out) const;

  // Enough for whatever may be written of one camera: names at their longest, every character
  // escaped. Each camera more takes as much.
  static constexpr size_t kTextBytes = size_t{1} << 16;
  size_t TextBytes() const { return kTextBytes * std::max<size_t>(cameras_.size(), 1); }

 private:
  static constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  static constexpr uint64_t kNever = UINT64_MAX;

  void WriteBlob(const BlobDescription& blob, Exposition* out) const;
  void WriteFeatures(MetricPlace place, Exposition* out) const;
  // write(camera), with the label of the camera.
  template <typename WriteOne>
  void EachCamera(WriteOne write, Exposition* out) const;
  double StartSeconds() const;

  const double start_s_ = 0;
  const uint64_t start_ns_ = kNever;  // NowNs(); kNever: start_s_ holds
  Seqlock<BlobDescription> blob_;
  std::atomic<float> celsius_{kNone};
  std::atomic<uint64_t> unwritten_{0}, lines_dropped_{0};
  std::vector<std::unique_ptr<CameraMetrics>> cameras_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_METRICS_METRICS_H_
