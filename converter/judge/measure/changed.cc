#include "converter/judge/measure/changed.h"

#include <algorithm>

namespace octet::judge {

void ChangedMeasure::Add(int64_t /*sample*/, const Answer& expected, const Answer& actual) {
  changed_.push_back(AreEqual(expected, actual) ? 0 : 1);
}

double ChangedMeasure::LossOf(const Weights& weights) const {
  double changed = 0, all = 0;
  for (size_t i = 0; i < changed_.size(); ++i) {
    changed += weights[i] * changed_[i];
    all += weights[i];
  }
  return all > 0 ? 100 * changed / all : 0;
}

int64_t ChangedMeasure::Same() const {
  return std::count(changed_.begin(), changed_.end(), uint8_t{0});
}

Interval ChangedMeasure::Certain() const {
  const auto all = static_cast<int64_t>(changed_.size());
  return Wilson(all - Same(), all);
}

}  // namespace octet::judge
