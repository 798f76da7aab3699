#include "converter/export/weight_scales.h"

#include <algorithm>
#include <cmath>

#include "converter/quantize/scheme.h"
#include "converter/support/functions.h"

namespace octet::exporting {
namespace {

double LargestOf(const graph::Tensor& weights, size_t first, size_t end) {
  double largest = 0;
  for (size_t k = first; k < end; ++k) {
    largest = std::max(largest, std::fabs(static_cast<double>(weights.floats[k])));
  }
  return largest;
}

// What lowering chose (lower/conv_codes.cc): the model's own scale, or a 127th of the largest
// weight of the channel, of its group or of all, perhaps doubled; else what fits the codes best.
double NearestScale(const std::vector<float>& given, const graph::Tensor& weights, size_t depth,
                    size_t channel, double fitted) {
  constexpr double kNear = 0.02;
  double nearest = fitted, distance = kNear * fitted;
  const auto consider = [&](double scale) {
    if (std::fabs(scale - fitted) > distance) return;
    nearest = scale;
    distance = std::fabs(scale - fitted);
  };
  if (!given.empty() && given[channel] > 0) {
    const auto own = static_cast<double>(given[channel]);
    consider(own);
    if (nearest == own) return own;
  }
  constexpr auto kGroup = static_cast<size_t>(quantize::kWeightGroup);
  const size_t count = weights.floats.size(), group = channel / kGroup * kGroup * depth;
  for (const double largest : {LargestOf(weights, channel * depth, (channel + 1) * depth),
                               LargestOf(weights, group, std::min(group + kGroup * depth, count)),
                               LargestOf(weights, 0, count)}) {
    const double scale = largest / 127;
    if (scale > 0) {
      consider(std::ldexp(scale, static_cast<int>(std::lround(math::Log2(fitted / scale)))));
    }
  }
  return nearest;
}

}  // namespace

std::optional<double> WeightScaleOf(const std::vector<float>& given, const LayerNumbers& numbers,
                                    const graph::Tensor& weights, size_t channel) {
  // The codes nearest to the weights are 0.3 steps off in the mean square; those that were rounded
  // by what the layer computes some more. Of other weights they are tens of steps off.
  constexpr double kFarthest = 2;
  const auto depth = static_cast<size_t>(numbers.depth);
  const int8_t* codes = &numbers.codes[channel * depth];
  const float* row = &weights.floats[channel * depth];
  double product = 0, power = 0;
  for (size_t k = 0; k < depth; ++k) {
    const auto weight = static_cast<double>(row[k]);
    product += weight * codes[k];
    power += static_cast<double>(codes[k]) * codes[k];
  }
  if (power == 0) return 0;
  if (!(product > 0)) return std::nullopt;
  const double scale = NearestScale(given, weights, depth, channel, product / power);
  double squares = 0;
  for (size_t k = 0; k < depth; ++k) {
    const double off = static_cast<double>(row[k]) / scale - codes[k];
    squares += off * off;
  }
  if (!(squares <= kFarthest * kFarthest * static_cast<double>(depth))) return std::nullopt;
  return scale;
}

}  // namespace octet::exporting
