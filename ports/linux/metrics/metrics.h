// The numbers of octet-camera that do not belong to a feature, and those of features, in fixed
// memory: the loop writes them without waiting, allocating or calling the system, a server's thread
// reads them as text (ports/linux/monitoring/README.md names them all).
#ifndef OCTET_PORTS_LINUX_METRICS_METRICS_H_
#define OCTET_PORTS_LINUX_METRICS_METRICS_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <string_view>
#include <typeindex>
#include <utility>
#include <vector>

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

// Where the families of features stand in the text.
enum class MetricPlace : uint8_t { kBlob, kDevice, kEvents, kRecords, kScore, kRate, kLayers };

// The numbers of one feature.
class FeatureMetrics {
 public:
  virtual ~FeatureMetrics() = default;
  // Its families that stand there. From any thread.
  virtual void Write(MetricPlace place, Exposition* out) const = 0;
  // Another blob runs.
  virtual void SetBlob(const BlobView&) {}
};

class Metrics {
 public:
  // Of this moment, whatever the clock says of it later: one that is set does not stay wrong.
  Metrics();
  // start_s: seconds since 1970.
  explicit Metrics(double start_s) : start_s_(start_s) {}

  // Those of a feature, by their type. The first call makes them: before anybody calls Write.
  template <typename T>
  T& Numbers() {
    for (auto& [type, feature] : features_) {
      if (type == typeid(T)) return static_cast<T&>(*feature);
    }
    features_.emplace_back(typeid(T), std::make_unique<T>());
    return static_cast<T&>(*features_.back().second);
  }

  // ---- The loop's, and one thread's at a time; they take effect one by one.

  // A new blob: plan 0 until it is set.
  void SetBlob(const BlobDescription& blob);
  // The same for features.
  void SetBlob(const BlobView& blob) {
    for (auto& [type, feature] : features_) feature->SetBlob(blob);
  }
  // One result: how long it took, and since its frame was captured.
  void AddResult(uint64_t inference_ns, uint64_t age_ns);
  // So far: frames with a result, frames that were replaced by newer ones, lines that were not
  // read.
  void SetFrames(uint64_t processed, uint64_t dropped, uint64_t lines_dropped);
  // A frame that was skipped, because the rate is lowered.
  void CountSkipped();
  void SetPlan(uint32_t index) { plan_.store(index, std::memory_order_relaxed); }
  // When the newest frame was captured (NowNs()).
  void SetFrameTime(uint64_t captured_ns) {
    captured_ns_.store(captured_ns, std::memory_order_relaxed);
  }

  // ---- From any thread.

  // Degrees Celsius; NaN: there is no sensor, or it gives no temperature.
  void SetTemperature(float celsius) { celsius_.store(celsius, std::memory_order_relaxed); }
  // Pictures or records that could not be written.
  void CountUnwritten() { unwritten_.fetch_add(1, std::memory_order_relaxed); }

  // All of it. resident_bytes: of the process, now.
  void Write(uint64_t resident_bytes, Exposition* out) const;

  // Enough for whatever may be written: names at their longest, every character escaped.
  static constexpr size_t kTextBytes = size_t{1} << 16;

 private:
  static constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

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
  void WriteBlob(const BlobDescription& blob, Exposition* out) const;
  void WriteFeatures(MetricPlace place, Exposition* out) const;

  static constexpr uint64_t kNever = UINT64_MAX;

  double StartSeconds() const;

  const double start_s_ = 0;
  const uint64_t start_ns_ = kNever;  // NowNs(); kNever: start_s_ holds
  Seqlock<BlobDescription> blob_;
  Histogram inference_, age_;
  std::atomic<uint64_t> processed_{0}, dropped_{0}, skipped_{0}, lines_dropped_{0};
  std::atomic<uint32_t> plan_{0};
  std::atomic<float> celsius_{kNone};
  std::atomic<uint64_t> captured_ns_{kNever}, unwritten_{0};
  std::vector<std::pair<std::type_index, std::unique_ptr<FeatureMetrics>>> features_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_METRICS_METRICS_H_
