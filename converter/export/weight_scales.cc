#include "converter/export/weight_scales.h"

#include <algorithm>
#include <cmath>

namespace octet::exporting {
namespace {

// What lowering chose: the model's own scale, or a 127th of the largest weight, perhaps doubled
// (lower/weights.cc); else what fits the codes best.
double NearestScale(const graph::Node& node, size_t channel, double of_largest, double fitted) {
  constexpr double kNear = 0.02;
  const auto is_near = [fitted](double scale) {
    return std::fabs(scale - fitted) <= kNear * fitted;
  };
  if (!node.weight_scales.empty()) {
    const auto given = static_cast<double>(node.weight_scales[channel]);
    if (is_near(given)) return given;
  }
  const double doubled =
      std::ldexp(of_largest, static_cast<int>(std::lround(std::log2(fitted / of_largest))));
  return is_near(doubled) ? doubled : fitted;
}

}  // namespace

std::optional<double> WeightScaleOf(const graph::Node& node, const LayerNumbers& numbers,
                                    const graph::Tensor& weights, size_t channel) {
  // A code is within half a step of its weight; a hundredth for what floats round.
  constexpr double kFarthest = 0.51;
  const auto depth = static_cast<size_t>(numbers.depth);
  const int8_t* codes = &numbers.codes[channel * depth];
  const float* row = &weights.floats[channel * depth];
  double largest = 0, product = 0, power = 0;
  for (size_t k = 0; k < depth; ++k) {
    const auto weight = static_cast<double>(row[k]);
    largest = std::max(largest, std::fabs(weight));
    product += weight * codes[k];
    power += static_cast<double>(codes[k]) * codes[k];
  }
  if (power == 0) return 0;
  if (!(product > 0)) return std::nullopt;
  const double scale = NearestScale(node, channel, largest / 127, product / power);
  for (size_t k = 0; k < depth; ++k) {
    if (!(std::fabs(static_cast<double>(row[k]) / scale - codes[k]) <= kFarthest)) {
      return std::nullopt;
    }
  }
  return scale;
}

}  // namespace octet::exporting
