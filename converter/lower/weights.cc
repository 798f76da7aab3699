#include "converter/lower/weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "converter/lower/conv_codes.h"
#include "runtime/core/half.h"
#include "runtime/quant/parameters.h"

namespace octet::lower {
namespace {

constexpr int64_t kBlock = 16;  // output channels of a block
constexpr int64_t kGroup = 4;   // depth of a group

int64_t RoundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Index of weight (o, k) in the blocked layouts of ConvParams (format/blob.h).
int64_t DenseS8Index(int64_t o, int64_t k, int64_t depth) {
  const int64_t groups = RoundUp(depth, kGroup) / kGroup;
  return (((o / kBlock) * groups + k / kGroup) * kBlock + o % kBlock) * kGroup + k % kGroup;
}
int64_t ByKIndex(int64_t o, int64_t k, int64_t depth) {
  return ((o / kBlock) * depth + k) * kBlock + o % kBlock;
}

}  // namespace

std::vector<int8_t> QuantizeValues(const std::vector<float>& values,
                                   const quantize::TensorScheme& scheme) {
  std::vector<int8_t> result(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    result[i] = CodeOf<double>(values[i], scheme.scale, scheme.zero_point);
  }
  return result;
}

std::vector<uint16_t> ToHalf(const std::vector<float>& values) {
  constexpr float kLargestHalf = 65504.0f;
  std::vector<uint16_t> result(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    result[i] = FloatToHalf(std::clamp(values[i], -kLargestHalf, kLargestHalf));
  }
  return result;
}

Multiplier MakeMultiplier(double factor, int pre_shift) {
  factor = std::ldexp(factor, -pre_shift);
  int exponent = 0;
  const double fraction =
      std::frexp(factor, &exponent);  // factor = fraction * 2^exponent, fraction in [0.5, 1)
  if (!(factor > 0)) return Multiplier{0, 1};
  return StoredMultiplier(NormalMultiplier(std::llround(std::ldexp(fraction, 31)), -exponent));
}

int PreShiftFor(double largest_factor) {
  if (!(largest_factor > 0)) return 0;
  if (std::isinf(largest_factor)) return kMaxPreShift;
  int exponent = 0;
  std::frexp(largest_factor, &exponent);
  return std::min(PreShiftOf(-exponent), kMaxPreShift);
}

ConvWeights ArrangeConvWeights(const graph::Tensor& weights, const graph::Tensor* bias) {
  const int64_t out_c = weights.shape[0], in_c = weights.shape[1];
  const int64_t taps = weights.Count() / (out_c * in_c);
  ConvWeights result;
  result.out_c = out_c;
  result.depth = taps * in_c;
  result.values.resize(weights.floats.size());
  for (int64_t o = 0; o < out_c; ++o) {
    for (int64_t c = 0; c < in_c; ++c) {
      for (int64_t t = 0; t < taps; ++t) {
        result.values[static_cast<size_t>((o * taps + t) * in_c + c)] =
            weights.floats[static_cast<size_t>((o * in_c + c) * taps + t)];
      }
    }
  }
  result.bias.assign(static_cast<size_t>(out_c), 0.0f);
  if (bias != nullptr) std::copy(bias->floats.begin(), bias->floats.end(), result.bias.begin());
  return result;
}

QuantizedConv QuantizeConv(const ConvWeights& weights, const Tensor& input, const Tensor& output,
                           bool depthwise) {
  const int64_t padded = RoundUp(weights.out_c, kBlock);
  const int64_t depth = weights.depth;
  std::vector<int8_t> stored(
      static_cast<size_t>(padded * (depthwise ? depth : RoundUp(depth, kGroup))), 0);
  std::vector<blob::ChannelBlockS8> blocks(static_cast<size_t>(padded / kBlock));
  for (blob::ChannelBlockS8& block : blocks) {
    block = {};
    std::fill(std::begin(block.shift), std::end(block.shift), 1);
  }
  const ConvCodes codes = EncodeConv(weights, input, output, depthwise);
  QuantizedConv result;
  result.pre_shift = codes.pre_shift;
  for (int64_t o = 0; o < weights.out_c; ++o) {
    const CodedChannel& channel = codes.channels[static_cast<size_t>(o)];
    blob::ChannelBlockS8& block = blocks[static_cast<size_t>(o / kBlock)];
    const auto lane = static_cast<size_t>(o % kBlock);
    const int8_t* row = &codes.codes[static_cast<size_t>(o * depth)];
    for (int64_t k = 0; k < depth; ++k) {
      stored[static_cast<size_t>(depthwise ? ByKIndex(o, k, depth) : DenseS8Index(o, k, depth))] =
          row[k];
    }
    block.weight_sum[lane] = channel.weight_sum;
    block.bias[lane] =
        static_cast<int32_t>(channel.bias - ShareOfZeroPoint(input.zero_point, channel.weight_sum));
    block.multiplier[lane] = channel.multiplier.multiplier;
    block.shift[lane] = channel.multiplier.shift;
  }
  result.weights = ToBytes(stored);
  result.channels = ToBytes(blocks);
  return result;
}

HalfConv HalfConvWeights(const ConvWeights& weights) {
  const int64_t padded = RoundUp(weights.out_c, kBlock);
  std::vector<float> stored(static_cast<size_t>(padded * weights.depth), 0.0f);
  for (int64_t o = 0; o < weights.out_c; ++o) {
    for (int64_t k = 0; k < weights.depth; ++k) {
      stored[static_cast<size_t>(ByKIndex(o, k, weights.depth))] =
          weights.values[static_cast<size_t>(o * weights.depth + k)];
    }
  }
  // Infinities, which masks are made of, come of the largest numbers as well.
  constexpr float kLargest = std::numeric_limits<float>::max();
  std::vector<float> bias(static_cast<size_t>(padded), 0.0f);
  std::transform(weights.bias.begin(), weights.bias.end(), bias.begin(),
                 [kLargest](float b) { return std::clamp(b, -kLargest, kLargest); });
  return HalfConv{ToBytes(ToHalf(stored)), ToBytes(bias)};
}

}  // namespace octet::lower
