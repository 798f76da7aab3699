#include "converter/judge/measure/classes.h"

#include <algorithm>

#include <fmt/format.h>

namespace octet::judge {

void ClassMeasure::Add(int64_t /*sample*/, const Answer& expected, const Answer& actual) {
  changed_.push_back(expected.label == actual.label ? 0 : 1);
}

double ClassMeasure::LossOf(const Weights& weights) const {
  double changed = 0, all = 0;
  for (size_t i = 0; i < changed_.size(); ++i) {
    changed += weights[i] * changed_[i];
    all += weights[i];
  }
  return all > 0 ? 100 * changed / all : 0;
}

int64_t ClassMeasure::Same() const {
  return std::count(changed_.begin(), changed_.end(), uint8_t{0});
}

Interval ClassMeasure::Certain() const {
  const auto all = static_cast<int64_t>(changed_.size());
  return Wilson(all - Same(), all);
}

std::string ClassMeasure::TableWords() const {
  return fmt::format("first class equal in {} of {}", Same(), changed_.size());
}

std::string ClassMeasure::Words() const {
  return fmt::format("gives FP32's first class in {} of {} samples", Same(), changed_.size());
}

void ClassMeasure::AddJson(nlohmann::json* row) const {
  (*row)["same_top1"] = Agreement();
}

}  // namespace octet::judge
