// Answers that are equal to FP32's or are not: the percentage of samples where they are not. An
// upper bound of the accuracy that a plan loses.
#ifndef OCTET_CONVERTER_JUDGE_MEASURE_CHANGED_H_
#define OCTET_CONVERTER_JUDGE_MEASURE_CHANGED_H_

#include <vector>

#include "converter/judge/measure/measure.h"

namespace octet::judge {

class ChangedMeasure : public Measure {
 public:
  void Add(int64_t sample, const Answer& expected, const Answer& actual) override;
  size_t size() const override { return changed_.size(); }
  bool Speaks() const override { return !changed_.empty(); }
  double LossOf(const Weights& weights) const override;
  Interval Certain() const override;
  double LimitOf(const LossLimits& limits) const override { return limits.class_percent; }
  double Agreement() const override { return 100 - Loss(); }

 protected:
  virtual bool AreEqual(const Answer& expected, const Answer& actual) const = 0;
  int64_t Same() const;

 private:
  std::vector<uint8_t> changed_;  // by sample
};

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_MEASURE_CHANGED_H_
