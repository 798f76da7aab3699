// What a run has shown so far: frames, times and gaps, in fixed memory.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_TALLY_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_TALLY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace octet::port {

// Times of many frames: counts by 1/128 of a power of two.
class Histogram {
 public:
  void Add(uint64_t ns) {
    largest_ = std::max(largest_, ns);
    ++count_;
    ++bins_[BinOf(ns)];
  }
  uint64_t largest_ns() const { return largest_; }
  // Up to 0.8 % above the true one.
  uint64_t MedianNs() const {
    uint64_t before = 0;
    for (size_t i = 0; i < kBins; ++i) {
      before += bins_[i];
      if (2 * before >= count_ && count_ != 0) return std::min(UpperOf(i), largest_);
    }
    return 0;
  }

 private:
  static constexpr size_t kStepsLog2 = 7, kSteps = 1 << kStepsLog2, kBins = 64 * kSteps;
  static size_t BinOf(uint64_t ns) {
    if (ns < kSteps) return ns;
    const auto log2 = static_cast<size_t>(63 - __builtin_clzll(ns));
    return (log2 - kStepsLog2 + 1) * kSteps + (ns >> (log2 - kStepsLog2)) - kSteps;
  }
  static uint64_t UpperOf(size_t bin) {
    if (bin < kSteps) return bin;
    return ((bin % kSteps + kSteps + 1) << (bin / kSteps - 1)) - 1;
  }
  uint64_t bins_[kBins] = {}, count_ = 0, largest_ = 0;
};

struct Tally {
  Histogram inference, age;
  uint64_t processed = 0;
  uint64_t settled_rss_bytes = 0;
  // Longest time that the loop spent with a frame beside octet_run.
  uint64_t longest_pause_ns = 0;
};

// Of the model, which is the one thing that the loop waits for.
struct Changes {
  uint64_t count = 0, longest_ns = 0;
  bool told = false;  // also where there was none
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_TALLY_H_
