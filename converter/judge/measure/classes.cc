#include "converter/judge/measure/classes.h"

#include <fmt/format.h>

namespace octet::judge {

bool ClassMeasure::AreEqual(const Answer& expected, const Answer& actual) const {
  return expected.label == actual.label;
}

std::string ClassMeasure::TableWords() const {
  return fmt::format("first class equal in {} of {}", Same(), size());
}

std::string ClassMeasure::Words() const {
  return fmt::format("gives FP32's first class in {} of {} samples", Same(), size());
}

void ClassMeasure::AddJson(nlohmann::json* row) const {
  (*row)["same_top1"] = Agreement();
}

}  // namespace octet::judge
