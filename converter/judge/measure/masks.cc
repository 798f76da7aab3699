#include "converter/judge/measure/masks.h"

#include <algorithm>

#include <fmt/format.h>

namespace octet::judge {

void MaskMeasure::Add(int64_t /*sample*/, const Answer& expected, const Answer& actual) {
  std::vector<Pixels> labels(256);
  for (size_t i = 0; i < expected.map.size(); ++i) {
    Pixels &e = labels[expected.map[i]], &a = labels[actual.map[i]];
    ++e.expected;
    ++e.either;
    if (&e == &a) {
      ++e.both;
    } else {
      ++a.either;
    }
  }
  std::vector<Pixels>& seen = samples_.emplace_back();
  for (uint32_t label = 0; label < labels.size(); ++label) {
    if (labels[label].either == 0) continue;
    labels[label].label = label;
    seen.push_back(labels[label]);
    classes_ = std::max<size_t>(classes_, label + 1);
  }
}

double MaskMeasure::LossOf(const Weights& weights) const {
  std::vector<double> both(classes_), either(classes_), expected(classes_);
  for (size_t i = 0; i < samples_.size(); ++i) {
    for (const Pixels& pixels : samples_[i]) {
      both[pixels.label] += weights[i] * static_cast<double>(pixels.both);
      either[pixels.label] += weights[i] * static_cast<double>(pixels.either);
      expected[pixels.label] += weights[i] * static_cast<double>(pixels.expected);
    }
  }
  double sum = 0, seen = 0;
  for (size_t c = 0; c < classes_; ++c) {
    if (!(expected[c] > 0)) continue;
    sum += 100 * both[c] / either[c];
    ++seen;
  }
  return seen > 0 ? 100 - sum / seen : 0;
}

std::string MaskMeasure::TableWords() const {
  return fmt::format("masks, mean IoU {:.1f} %", Agreement());
}

std::string MaskMeasure::Words() const {
  return fmt::format("gives masks that overlap FP32's by {:.1f} % (mean IoU)", Agreement());
}

void MaskMeasure::AddJson(nlohmann::json* row) const {
  (*row)["mask_iou"] = Agreement();
}

}  // namespace octet::judge
