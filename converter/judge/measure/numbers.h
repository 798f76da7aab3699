// Outputs that no decoder reads: the signal over the error of the worst output, in dB about its
// mean, negative, so that more is lost where it is more. The judge has figures of its own for
// numbers (distance.h); this one is what a search compares plans by.
#ifndef OCTET_CONVERTER_JUDGE_MEASURE_NUMBERS_H_
#define OCTET_CONVERTER_JUDGE_MEASURE_NUMBERS_H_

#include <string>
#include <vector>

#include "converter/judge/measure/measure.h"

namespace octet::judge {

class NumberMeasure : public Measure {
 public:
  void Add(int64_t sample, const Answer& expected, const Answer& actual) override;
  size_t size() const override { return samples_.size(); }
  bool Speaks() const override { return !samples_.empty(); }
  double LossOf(const Weights& weights) const override;
  double LimitOf(const LossLimits& limits) const override { return limits.minus_db; }
  double TimeOfOne() const override { return kTimeOfADecibel; }
  double Agreement() const override { return 0; }
  const char* Figure() const override { return "minus_db"; }
  const char* Unit() const override { return " dB of error over signal"; }
  std::string TableWords() const override { return Words(); }
  std::string Words() const override;
  void AddJson(nlohmann::json* row) const override;

 private:
  // Sums of an output of one sample, of differences to the first number of the first sample.
  struct Sums {
    double count = 0, sum = 0, squares = 0, noise = 0;
  };
  std::vector<double> first_;               // by output
  std::vector<std::vector<Sums>> samples_;  // by sample and output
};

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_MEASURE_NUMBERS_H_
