// The numbers of octet-camera, in fixed memory: the loop writes them without waiting, allocating or
// calling the system, a server's thread reads them as text (ports/linux/monitoring/README.md names
// them all).
#ifndef OCTET_PORTS_LINUX_METRICS_METRICS_H_
#define OCTET_PORTS_LINUX_METRICS_METRICS_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string_view>

#include "ports/linux/metrics/events.h"
#include "ports/linux/metrics/exposition.h"
#include "ports/linux/metrics/seqlock.h"
#include "ports/linux/metrics/store_metrics.h"

namespace octet::port {

// What runs: changes with the blob alone.
class BlobDescription {
 public:
  static constexpr uint32_t kMaxPlans = 8;    // OCTET_MAX_PLANS
  static constexpr uint32_t kMaxLayers = 16;  // those that are watched
  static constexpr size_t kNameBytes = 128;   // with its end

  // Names longer than kNameBytes - 1 keep their last characters, where those of layers differ; what
  // is no printable ASCII becomes '?'. Two layers may not share a name: the later one gets #2, #3.
  void SetDigest(const uint8_t digest[32]);
  void SetModel(std::string_view name);
  void SetBoard(std::string_view name);
  void AddPlan(std::string_view name);   // in the order of their indices; those beyond are ignored
  void AddLayer(std::string_view name);  // likewise
  uint64_t security_counter = 0;
  // Seconds that a frame may take; 0: no budget.
  float latency_budget_s = 0;

 private:
  friend class Metrics;
  using Name = std::array<char, kNameBytes>;
  static void Set(std::string_view text, Name* name);

  std::array<char, 65> digest_{};
  Name model_{}, board_{};
  std::array<Name, kMaxPlans> plans_{};
  std::array<Name, kMaxLayers> layers_{};
  uint32_t plan_count_ = 0, layer_count_ = 0;
};

class Metrics {
 public:
  // Of this moment, whatever the clock says of it later: one that is set does not stay wrong.
  Metrics();
  // start_s: seconds since 1970.
  explicit Metrics(double start_s) : start_s_(start_s) {}

  static constexpr size_t kDeviceBytes = 65;  // with its end

  // Before anybody calls Write: printable ASCII, what is longer is cut; empty: no name.
  void SetDevice(std::string_view name);

  // ---- The loop's, and one thread's at a time; they take effect one by one.

  // A new blob: plan 0 and no values of layers until they are set.
  void SetBlob(const BlobDescription& blob);
  // One result: how long it took, and since its frame was captured.
  void AddResult(uint64_t inference_ns, uint64_t age_ns);
  // So far: frames with a result, frames that nobody took, lines that nobody read.
  void SetFrames(uint64_t processed, uint64_t dropped, uint64_t lines_dropped);
  // A frame that was passed over, for the rate is lowered.
  void CountSkipped();
  void SetPlan(uint32_t index) { plan_.store(index, std::memory_order_relaxed); }
  // 1: every frame is processed; n: one of n.
  void SetRateDivisor(uint32_t divisor) { divisor_.store(divisor, std::memory_order_relaxed); }
  // Of the frames that had one, against the reference: 1 is as good as FP32. NaN: none.
  void SetScore(float score) { score_.store(score, std::memory_order_relaxed); }
  // Error of the layer's output against FP16, relative; share of saturated values; the largest
  // value over the end of its int8 range. NaN: not known. i: of AddLayer; beyond: ignored.
  void SetLayer(uint32_t i, float quantization_error, float saturation_ratio, float range_use);
  // When the newest frame was captured (NowNs()).
  void SetFrameTime(uint64_t captured_ns) {
    captured_ns_.store(captured_ns, std::memory_order_relaxed);
  }
  // The store of slots, whenever it was looked at: counts what it has refused and rolled back
  // since.
  void SetStore(const StoreState& state);
  // Of the last model on trial with the one before, 0 to 1. NaN: none was compared.
  void SetTrialAgreement(float share) { agreement_.store(share, std::memory_order_relaxed); }
  // 'a' or 'b'; 0: no slots.
  void SetSlot(char slot) { slot_.store(slot, std::memory_order_relaxed); }

  // ---- From any thread.

  // Degrees Celsius; NaN: there is no sensor, or it gives no temperature.
  void SetTemperature(float celsius) { celsius_.store(celsius, std::memory_order_relaxed); }
  void CountSwitch(SwitchReason reason) { Count(&switches_, reason); }
  void CountBreaker(BreakerEvent event) { Count(&breaker_, event); }
  void CountThermal(ThermalEvent event) { Count(&thermal_, event); }
  void CountDrift(DriftEvent event) { Count(&drift_, event); }
  void CountFlashRefusal(FlashRefusal reason, uint64_t more = 1) {
    Count(&flash_refusals_, reason, more);
  }
  void CountSlot(SlotEvent event, uint64_t more = 1) { Count(&slot_events_, event, more); }
  // The store, or the file of starts, has not answered for long.
  void SetStoreStuck(bool stuck) { store_stuck_.store(stuck, std::memory_order_relaxed); }
  // Starts after which the program did not end by itself, all that are known of.
  void SetUncleanStarts(uint64_t starts) { unclean_.store(starts, std::memory_order_relaxed); }
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
  template <size_t kWords>
  using Counters = std::array<std::atomic<uint64_t>, kWords>;
  struct Layer {
    std::atomic<float> error{kNone}, saturation{kNone}, range_use{kNone};
  };

  template <size_t kWords, typename Kind>
  static void Count(Counters<kWords>* counters, Kind kind, uint64_t more = 1) {
    (*counters)[static_cast<size_t>(kind)].fetch_add(more, std::memory_order_relaxed);
  }
  void WriteBlob(const BlobDescription& blob, Exposition* out) const;
  void WriteLayers(const BlobDescription& blob, Exposition* out) const;

  static constexpr uint64_t kNever = UINT64_MAX;

  double StartSeconds() const;

  const double start_s_ = 0;
  const uint64_t start_ns_ = kNever;  // NowNs(); kNever: start_s_ holds
  std::array<char, kDeviceBytes> device_{};
  Seqlock<BlobDescription> blob_;
  Histogram inference_, age_;
  std::atomic<uint64_t> processed_{0}, dropped_{0}, skipped_{0}, lines_dropped_{0};
  Counters<std::size(kSwitchReasons)> switches_{};
  Counters<std::size(kBreakerEvents)> breaker_{};
  Counters<std::size(kThermalEvents)> thermal_{};
  Counters<std::size(kDriftEvents)> drift_{};
  Counters<std::size(kFlashRefusals)> flash_refusals_{};
  Counters<std::size(kSlotEvents)> slot_events_{};
  std::atomic<uint32_t> plan_{0}, divisor_{1};
  std::atomic<float> score_{kNone}, celsius_{kNone}, agreement_{kNone};
  std::atomic<char> slot_{0};
  std::atomic<uint64_t> captured_ns_{kNever}, unclean_{kNever}, unwritten_{0};
  std::atomic<bool> store_stuck_{false};
  Seqlock<StoreState> store_;
  StoreState last_store_{};  // the loop's
  std::array<Layer, BlobDescription::kMaxLayers> layers_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_METRICS_METRICS_H_
