#include "converter/lower/winograd_f16.h"

#include <cmath>
#include <cstring>

#include "runtime/core/half.h"
#include "runtime/format/winograd.h"

namespace octet::lower {
namespace {

constexpr uint64_t kHalfBlock = 16;
constexpr uint64_t kTaps = 9;
constexpr double kRows[4][3] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};

// Operations on a vector beside one multiply-add each: of a channel of a tile's input, of an output
// of a tile, of a weight that is widened.
constexpr double kInputCost = 96, kOutputCost = 72, kWeightCost = 2;
constexpr double kTilesTogether = 32;  // share widened weights

double HalfAt(const Bytes& halves, uint64_t index) {
  uint16_t half = 0;
  std::memcpy(&half, halves.data() + 2 * index, sizeof(half));
  return static_cast<double>(HalfToFloat(half));
}

}  // namespace

Bytes TransformHalfWeights(const Bytes& weights, uint64_t in_c) {
  const uint64_t blocks = weights.size() / (kTaps * in_c * kHalfBlock * 2);
  Bytes result(kWinogradPositionsF16 * blocks * in_c * kHalfBlock * 2);
  for (uint64_t b = 0; b < blocks; ++b) {
    for (uint64_t i = 0; i < in_c * kHalfBlock; ++i) {
      double w[kTaps];
      for (uint64_t tap = 0; tap < kTaps; ++tap)
        w[tap] = HalfAt(weights, (b * kTaps + tap) * in_c * kHalfBlock + i);
      for (uint64_t position = 0; position < kWinogradPositionsF16; ++position) {
        double sum = 0;
        for (uint64_t tap = 0; tap < kTaps; ++tap)
          sum += kRows[position / 4][tap / 3] * kRows[position % 4][tap % 3] * w[tap];
        const uint16_t half = FloatToHalf(static_cast<float>(sum));
        if (!std::isfinite(HalfToFloat(half))) return {};
        const uint64_t at = (position * blocks + b) * in_c * kHalfBlock + i;
        std::memcpy(result.data() + 2 * at, &half, sizeof(half));
      }
    }
  }
  return result;
}

bool WinogradFits(const blob::ConvParams& params, uint64_t in_c) {
  return params.kernel_h == 3 && params.kernel_w == 3 && params.stride_h == 1 &&
         params.stride_w == 1 && params.dilation_h == 1 && params.dilation_w == 1 &&
         params.groups == 1 && in_c >= kLeastWinogradChannelsF16;
}

bool WinogradPaysF16(const Program& program, const Layer& layer) {
  const Tensor& out = program.tensors[static_cast<size_t>(layer.output)];
  const uint64_t in_c = program.tensors[static_cast<size_t>(layer.inputs[0])].dims[3];
  if (!WinogradFits(layer.Get<blob::ConvParams>(), in_c)) return false;
  const double pixels = static_cast<double>(uint64_t{1} * out.dims[1] * out.dims[2]);
  const auto tiles = static_cast<double>(WinogradTileCount(2, out.dims[1], out.dims[2]));
  const auto inputs = static_cast<double>(in_c);
  const auto outputs =
      static_cast<double>((out.dims[3] + kHalfBlock - 1) / kHalfBlock * kHalfBlock);
  const double products = static_cast<double>(kWinogradPositionsF16) * inputs * outputs;
  return tiles * (products + inputs * kInputCost + outputs * kOutputCost) +
             products * kWeightCost * std::ceil(tiles / kTilesTogether) <
         pixels * static_cast<double>(kTaps) * inputs * outputs;
}

void TransformHalves(Program* program) {
  for (Layer& layer : program->layers) {
    if (layer.op != blob::Op::kConv || layer.precision != blob::Precision::kFp16 ||
        layer.arithmetic != blob::Arithmetic::kFloat || !WinogradPaysF16(*program, layer)) {
      continue;
    }
    const uint32_t in_c = program->tensors[static_cast<size_t>(layer.inputs[0])].dims[3];
    Bytes transformed = TransformHalfWeights(layer.weights, in_c);
    if (transformed.empty()) continue;
    layer.weights = std::move(transformed);
    layer.arithmetic = blob::Arithmetic::kWinograd;
  }
}

}  // namespace octet::lower
