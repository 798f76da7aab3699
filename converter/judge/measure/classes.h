// Classifiers: the percentage of samples whose first class is another than FP32's. An upper bound
// of the accuracy that a plan loses.
#ifndef OCTET_CONVERTER_JUDGE_MEASURE_CLASSES_H_
#define OCTET_CONVERTER_JUDGE_MEASURE_CLASSES_H_

#include <string>
#include <vector>

#include "converter/judge/measure/measure.h"

namespace octet::judge {

class ClassMeasure : public Measure {
 public:
  void Add(int64_t sample, const Answer& expected, const Answer& actual) override;
  size_t size() const override { return changed_.size(); }
  bool Speaks() const override { return !changed_.empty(); }
  double LossOf(const Weights& weights) const override;
  Interval Certain() const override;
  double LimitOf(const LossLimits& limits) const override { return limits.class_percent; }
  double Agreement() const override { return 100 - Loss(); }
  const char* Figure() const override { return "changed_classes_percent"; }
  const char* Unit() const override { return " % of first classes"; }
  std::string TableWords() const override;
  std::string Words() const override;
  void AddJson(nlohmann::json* row) const override;

 private:
  int64_t Same() const;

  std::vector<uint8_t> changed_;  // by sample
};

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_MEASURE_CLASSES_H_
