#include "converter/lower/weights.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "runtime/core/half.h"

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

// Whether the weights of a channel are int8 multiples of a scale: real = scale * code in float is
// off by half of 2^-24 of itself.
bool AreCodes(const float* row, int64_t depth, double scale) {
  for (int64_t k = 0; k < depth; ++k) {
    const double code = static_cast<double>(row[k]) / scale, whole = std::floor(code + 0.5);
    if (whole < -128 || whole > 127 || std::fabs(code - whole) > 1e-4) return false;
  }
  return true;
}

// Whether the bias that the model brings in integers counts in `unit` and holds what the bias says.
bool IsCodeOf(const ConvWeights& weights, size_t channel, double unit) {
  if (weights.bias_codes.empty()) return false;
  const double scale = static_cast<double>(weights.bias_scales[channel]);
  const double code = static_cast<double>(weights.bias_codes[channel]);
  return std::fabs(scale - unit) <= 1e-6 * unit &&
         std::fabs(code * unit - static_cast<double>(weights.bias[channel])) <=
             1e-6 * std::fabs(code * unit) + unit / 4;
}

// One output channel of an int8 layer: acc * Factor() counts steps of the result.
struct Channel {
  double in_scale = 1, out_scale = 1;
  double bias = 0;   // real
  double scale = 1;  // of the weights
  size_t depth = 0;
  bool dead = false;
  double lowest = -127;  // code of the weights
  // The model's own, which a float cannot hold in full; counts in in_scale * scale.
  std::optional<int64_t> bias_code;

  double Factor() const { return in_scale * scale / out_scale; }
  int32_t Bias() const {
    if (bias_code) return static_cast<int32_t>(*bias_code);
    return static_cast<int32_t>(std::floor(bias / (in_scale * scale) + 0.5));
  }
};

// Weights that cannot move a result by more than this share of a step do nothing: what is left is
// the bias. Without it such a channel's factor could be anything, and one far above the others'
// would shift theirs out.
constexpr double kNoEffect = 1.0 / 1024;

Channel ChannelOf(const ConvWeights& weights, int64_t o, const Tensor& input, const Tensor& output,
                  bool depthwise) {
  const auto at = static_cast<size_t>(o);
  Channel channel;
  channel.depth = static_cast<size_t>(weights.depth);
  channel.in_scale = depthwise && !input.channels.empty() ? input.channels[at].scale : input.scale;
  channel.out_scale = output.channels.empty() ? output.scale : output.channels[at].scale;
  // Zero points of channels that differ from the layer's go into the bias.
  const int offset =
      output.channels.empty() ? 0 : output.channels[at].zero_point - output.zero_point;
  channel.bias = weights.bias[at] + offset * channel.out_scale;
  double largest = 0, sum = 0;
  for (int64_t k = 0; k < weights.depth; ++k) {
    const double value =
        std::fabs(static_cast<double>(weights.values[static_cast<size_t>(o * weights.depth + k)]));
    largest = std::max(largest, value);
    sum += value;
  }
  channel.dead = 255 * channel.in_scale * sum <= kNoEffect * channel.out_scale;
  // Half of what |acc| <= 2^30 leaves beside the products and the folded zero point (each <= 2^14 *
  // depth): next to no weights may come with a bias their own scale cannot hold.
  const double bias_limit =
      (kAccumulatorLimit - std::ldexp(static_cast<double>(weights.depth), 15)) / 2;
  const double least = std::fabs(channel.bias) / (channel.in_scale * bias_limit);
  channel.scale = std::max(largest / 127, least);
  if (weights.scales.empty()) return channel;
  const auto given = static_cast<double>(weights.scales[at]);
  const float* row = &weights.values[static_cast<size_t>(o * weights.depth)];
  if (given < least || !AreCodes(row, weights.depth, given)) return channel;
  channel.scale = given;
  channel.lowest = -128;
  if (offset == 0 && IsCodeOf(weights, at, channel.in_scale * given)) {
    channel.bias_code = weights.bias_codes[at];
  }
  return channel;
}

// The bias alone, as round(bias / out_scale) exactly, behind any pre-shift p: with m = 2^30 and
// acc = R * 2^(s + 1 - p), s = max(1, p - 1), Requantize(acc * 2^p) = floor(acc 2^p / 2^(s + 1) +
// 1/2) = R. |R| = 2^9 saturates int8 with any zero point, and |acc| <= 2^9 * 2^2 = 2^11 is below
// the pre-shift's own bound, (2^30 - 1) / 2^15.
void SetConstant(const Channel& channel, int pre_shift, blob::ChannelBlockS8* block, size_t lane) {
  const double steps = std::floor(channel.bias / channel.out_scale + 0.5);
  const int shift = std::max(1, pre_shift - 1);
  block->bias[lane] =
      static_cast<int32_t>(std::clamp(steps, -512.0, 512.0)) * (1 << (shift + 1 - pre_shift));
  block->multiplier[lane] = 1 << 30;
  block->shift[lane] = shift;
}

struct RowSums {
  int32_t sum = 0;
  int64_t absolute = 0;
};
RowSums QuantizeRow(const float* values, const Channel& channel, std::vector<int8_t>* row) {
  RowSums sums;
  for (size_t k = 0; k < row->size(); ++k) {
    const int q = static_cast<int>(
        std::clamp(std::floor(values[k] / channel.scale + 0.5), channel.lowest, 127.0));
    (*row)[k] = static_cast<int8_t>(q);
    sums.sum += q;
    sums.absolute += std::abs(q);
  }
  return sums;
}

// A pre-shift p cuts accumulators off at b = (2^30 - 1) / 2^p. A channel whose factor is at least
// 2^(p - 20) saturates int8 there anyway (QUANTIZATION.md, 3). A smaller one takes a coarser scale
// until |bias| + 255 sum|q| <= b: nothing is cut off then. It ends, for all of it shrinks to 0.
void FitBelowPreShift(const float* values, int pre_shift, Channel* channel) {
  if (pre_shift == 0) return;
  const int64_t bound = (kAccumulatorLimit - 1) >> pre_shift;
  std::vector<int8_t> row(channel->depth);
  while (std::ldexp(channel->Factor(), -pre_shift) < 0x1p-20 &&
         std::abs(int64_t{channel->Bias()}) + 255 * QuantizeRow(values, *channel, &row).absolute >
             bound) {
    channel->scale *= 2;
    channel->bias_code.reset();
  }
}

}  // namespace

std::vector<int8_t> QuantizeValues(const std::vector<float>& values,
                                   const quantize::TensorScheme& scheme) {
  std::vector<int8_t> result(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const double q =
        std::floor(static_cast<double>(values[i]) / scheme.scale + 0.5) + scheme.zero_point;
    result[i] = static_cast<int8_t>(std::clamp(q, -128.0, 127.0));
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
  auto multiplier = static_cast<int64_t>(std::llround(std::ldexp(fraction, 31)));
  if (multiplier == int64_t{1} << 31) {
    multiplier >>= 1;
    ++exponent;
  }
  const int shift = -exponent;
  if (factor <= 0 || shift > 31) return Multiplier{0, 1};
  // Only rounding up to exactly 0.5 can reach shift 0; the largest value below it is the same to 31
  // bits.
  if (shift < 1) return Multiplier{INT32_MAX, 1};
  return Multiplier{static_cast<int32_t>(multiplier), shift};
}

int PreShiftFor(double largest_factor) {
  int pre_shift = 0;
  while (std::ldexp(largest_factor, -pre_shift) >= 0.5 && pre_shift < kMaxPreShift) ++pre_shift;
  return pre_shift;
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
  std::vector<Channel> channels;
  double largest_factor = 0;
  for (int64_t o = 0; o < weights.out_c; ++o) {
    channels.push_back(ChannelOf(weights, o, input, output, depthwise));
    if (!channels.back().dead) largest_factor = std::max(largest_factor, channels.back().Factor());
  }
  QuantizedConv result;
  result.pre_shift = PreShiftFor(largest_factor);
  std::vector<int8_t> row(static_cast<size_t>(depth));
  for (int64_t o = 0; o < weights.out_c; ++o) {
    Channel& channel = channels[static_cast<size_t>(o)];
    blob::ChannelBlockS8& block = blocks[static_cast<size_t>(o / kBlock)];
    const auto lane = static_cast<size_t>(o % kBlock);
    if (channel.dead) {
      SetConstant(channel, result.pre_shift, &block, lane);
      continue;
    }
    const float* values = &weights.values[static_cast<size_t>(o * depth)];
    FitBelowPreShift(values, result.pre_shift, &channel);
    const int32_t sum = QuantizeRow(values, channel, &row).sum;
    for (int64_t k = 0; k < depth; ++k) {
      stored[static_cast<size_t>(depthwise ? ByKIndex(o, k, depth) : DenseS8Index(o, k, depth))] =
          row[static_cast<size_t>(k)];
    }
    const Multiplier m = MakeMultiplier(channel.Factor(), result.pre_shift);
    block.weight_sum[lane] = sum;
    block.bias[lane] = channel.Bias() - input.zero_point * sum;
    block.multiplier[lane] = m.multiplier;
    block.shift[lane] = m.shift;
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
  std::vector<float> bias(static_cast<size_t>(padded), 0.0f);
  std::copy(weights.bias.begin(), weights.bias.end(), bias.begin());
  return HalfConv{ToBytes(ToHalf(stored)), ToBytes(bias)};
}

}  // namespace octet::lower
