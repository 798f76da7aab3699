#include "converter/lower/half_sums.h"

#include <algorithm>
#include <cmath>

#include "runtime/core/half.h"

namespace octet::lower {
namespace {

constexpr uint64_t kBlock = 16;  // outputs of a block of weights

// Over the outputs; weights are [blocks of 16 outputs][depth][16] FP16.
double LargestSumOfWeights(const Layer& layer, uint64_t depth) {
  double largest = 0;
  const uint64_t blocks = layer.weights.size() / (depth * kBlock * 2);
  for (uint64_t b = 0; b < blocks; ++b) {
    double sums[kBlock] = {};
    for (uint64_t i = 0; i < depth * kBlock; ++i) {
      uint16_t half = 0;
      std::memcpy(&half, layer.weights.data() + 2 * (b * depth * kBlock + i), sizeof(half));
      sums[i % kBlock] += std::fabs(static_cast<double>(HalfToFloat(half)));
    }
    largest = std::max(largest, *std::max_element(sums, sums + kBlock));
  }
  return largest;
}

}  // namespace

void AllowHalfSums(const quantize::HalfPlan& plan,
                   const std::vector<std::optional<calibrate::Statistics>>& statistics,
                   Program* program) {
  const auto ranges = StoredRanges(plan, *program, statistics);
  for (Layer& layer : program->layers) {
    if (layer.op != blob::Op::kConv || layer.precision != blob::Precision::kFp16) continue;
    const auto& range = ranges[static_cast<size_t>(layer.inputs[0])];
    if (!range) continue;
    const auto p = layer.Get<blob::ConvParams>();
    const Tensor& in = program->tensors[static_cast<size_t>(layer.inputs[0])];
    const uint64_t depth = uint64_t{p.kernel_h} * p.kernel_w * (in.dims[3] / p.groups);
    const double size = std::max(std::fabs(range->low), std::fabs(range->high));
    if (size * LargestSumOfWeights(layer, depth) > quantize::kLargestHalf / 2) continue;
    layer.arithmetic = blob::Arithmetic::kHalf;
  }
}

}  // namespace octet::lower
