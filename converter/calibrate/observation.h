// The running record of one value: extremes and a histogram that grows by doubling its bins.
//
// Bin i counts the x with floor(x / width) = i, width = 2^exponent. Doubling the width joins bins
// 2i and 2i + 1 into i: floor(floor(x / w) / 2) = floor(x / (2 w)) exactly, so that the counts
// depend on the values seen and on the final exponent alone. That exponent is the smallest that
// holds all of them. Adding and merging therefore commute: any split of the samples over threads
// gives the same record.
#ifndef OCTET_CONVERTER_CALIBRATE_OBSERVATION_H_
#define OCTET_CONVERTER_CALIBRATE_OBSERVATION_H_

#include <cstdint>
#include <span>
#include <vector>

#include "converter/calibrate/calibrate.h"

namespace octet::calibrate {

class Observation {
 public:
  // At least half of the bins of one sign are used, whatever the range: 1024 for a ReLU's output.
  static constexpr int kBins = 4096;
  static constexpr int kHalf = kBins / 2;  // bins -kHalf .. kHalf - 1
  static constexpr int kMinExponent = -100;

  // `channels` > 1: values are [channels][values.size() / channels], always as many channels.
  // A sample's values. masked: infinities among them stand for numbers that do not count
  // (stand_ins.h), and are none.
  void Add(std::span<const float> values, size_t channels = 1, bool masked = false);
  void Merge(const Observation& other);
  bool Empty() const { return count_ == 0; }
  Statistics Finish() const;

  // f(name, field) for all that it is made of, so that a record can be kept in a file.
  template <typename Self, typename F>
  static void ForEachField(Self& self, F&& f) {
    f("min", self.min_);
    f("max", self.max_);
    f("non_finite", self.non_finite_);
    f("count", self.count_);
    f("zeros", self.zeros_);
    f("exponent", self.exponent_);
    f("bins", self.bins_);
    f("channels", self.channels_);
    f("peaks", self.peaks_);
    f("peak_sum", self.peak_sum_);
    f("peak_squares", self.peak_squares_);
  }
  // Whether its fields fit each other, as those of a file may not.
  bool IsSound() const;

  struct Extremes {
    float min, max;  // of the finite values; min > max when there is none
    int64_t zeros;
    bool non_finite;
  };

 private:
  void GrowTo(int exponent);
  Extremes FindChannels(std::span<const float> values, size_t channels);

  float min_ = 0, max_ = 0;  // of the finite values
  bool non_finite_ = false;
  int64_t count_ = 0, zeros_ = 0;
  int exponent_ = kMinExponent;
  std::vector<uint64_t> bins_;   // empty until a finite value comes
  std::vector<Range> channels_;  // min > max: no finite value yet
  int64_t peaks_ = 0, peak_sum_ = 0, peak_squares_ = 0;
};

}  // namespace octet::calibrate

#endif  // OCTET_CONVERTER_CALIBRATE_OBSERVATION_H_
