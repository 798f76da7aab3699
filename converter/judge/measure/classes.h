// Classifiers: the percentage of samples whose first class is another than FP32's.
#ifndef OCTET_CONVERTER_JUDGE_MEASURE_CLASSES_H_
#define OCTET_CONVERTER_JUDGE_MEASURE_CLASSES_H_

#include <string>

#include "converter/judge/measure/changed.h"

namespace octet::judge {

class ClassMeasure : public ChangedMeasure {
 public:
  const char* Figure() const override { return "changed_classes_percent"; }
  const char* Unit() const override { return " % of first classes"; }
  std::string TableWords() const override;
  std::string Words() const override;
  void AddJson(nlohmann::json* row) const override;

 protected:
  bool AreEqual(const Answer& expected, const Answer& actual) const override;
};

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_MEASURE_CLASSES_H_
