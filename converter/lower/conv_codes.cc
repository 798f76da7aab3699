#include "converter/lower/conv_codes.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <span>

#include "runtime/quant/parameters.h"

namespace octet::lower {
namespace {

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
  double bias = 0;    // real, with `offset`
  double offset = 0;  // real value that belongs to the zero point, not to the layer's bias
  double scale = 1;   // of the weights
  std::span<const float> row;
  bool dead = false;
  bool given = false;    // the model's own scale
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

// Steps of the result that saturate int8 whatever its zero point.
constexpr double kSaturates = 512;

// The smallest scale in which the bias can be counted: half of what |acc| <= 2^30 leaves beside the
// products and the folded zero point (each <= 2^14 * depth). Next to no weights may come with a
// bias their own scale cannot hold.
double LeastScale(const Channel& channel, int64_t depth) {
  const double bias_limit = (kAccumulatorLimit - std::ldexp(static_cast<double>(depth), 15)) / 2;
  return std::fabs(channel.bias) / (channel.in_scale * bias_limit);
}

double LargestOf(std::span<const float> row) {
  double largest = 0;
  for (const float weight : row)
    largest = std::max(largest, std::fabs(static_cast<double>(weight)));
  return largest;
}

// The model's scale, or a whole part of it in which the same weights are codes as well and that
// counts a real bias more closely: codes of few bits leave room for a factor.
double FinerScale(const Channel& channel, double least) {
  double largest = 0;
  for (const float weight : channel.row) {
    largest = std::max(largest, std::floor(std::fabs(weight / channel.scale) + 0.5));
  }
  const auto error_with = [&channel](int parts) {
    const double unit = channel.in_scale * channel.scale / parts;
    return std::fabs(std::floor(channel.bias / unit + 0.5) * unit - channel.bias);
  };
  int best = 1;
  if (!(largest > 0) || error_with(best) <= kNoEffect * channel.out_scale) return channel.scale;
  for (int parts = 2; parts * largest <= 127 && parts * least <= channel.scale; ++parts) {
    if (error_with(parts) < error_with(best)) best = parts;
  }
  return channel.scale / best;
}

Channel ChannelOf(const ConvWeights& weights, int64_t o, const Tensor& input, const Tensor& output,
                  bool depthwise) {
  const auto at = static_cast<size_t>(o);
  const auto depth = static_cast<size_t>(weights.depth);
  Channel channel;
  channel.row = std::span(weights.values).subspan(at * depth, depth);
  channel.in_scale = depthwise && !input.channels.empty() ? input.channels[at].scale : input.scale;
  channel.out_scale = output.channels.empty() ? output.scale : output.channels[at].scale;
  // Zero points of channels that differ from the layer's go into the bias.
  const int offset =
      output.channels.empty() ? 0 : output.channels[at].zero_point - output.zero_point;
  channel.offset = offset * channel.out_scale;
  channel.bias = weights.bias[at] + channel.offset;
  double sum = 0;
  for (const float weight : channel.row) sum += std::fabs(static_cast<double>(weight));
  channel.dead = 255 * channel.in_scale * sum <= kNoEffect * channel.out_scale;
  if (channel.dead && weights.scheme != quantize::WeightScheme::kPerChannel) {
    // No reason for a scale that others would suffer from.
    const double most = kSaturates * channel.out_scale;
    channel.bias = std::clamp(channel.bias, -most, most);
  }
  const double least = LeastScale(channel, weights.depth);
  channel.scale = std::max(LargestOf(channel.row) / 127, least);
  if (weights.scales.empty()) return channel;
  const auto given = static_cast<double>(weights.scales[at]);
  if (!(given > 0) || given < least || !AreCodes(channel.row.data(), weights.depth, given))
    return channel;
  channel.scale = given;
  channel.given = true;
  channel.lowest = -128;
  if (offset == 0 && IsCodeOf(weights, at, channel.in_scale * given)) {
    channel.bias_code = weights.bias_codes[at];
  } else if (!channel.dead && weights.scheme == quantize::WeightScheme::kPerChannel) {
    channel.scale = FinerScale(channel, least);
  }
  return channel;
}

// The bias alone, as R = round(bias / out_scale) exactly, behind any pre-shift p. With the short
// m = 2^30 + 2^7, acc = R * 2^(s + 1 - p) and s = max(8, p - 1), Requantize(acc * 2^p) =
// floor(R + R 2^-23 + 1/2) = R. |R| = 2^9 saturates int8 with any zero point. |acc| <= 2^(18 - p)
// or 2^9 is below the pre-shift's own bound, (2^30 - 1) / 2^p. A shift of 8 lets a level take the
// whole layer by its fast way.
CodedChannel Constant(const Channel& channel, int pre_shift) {
  const double steps =
      std::clamp(std::floor(channel.bias / channel.out_scale + 0.5), -kSaturates, kSaturates);
  const int shift = std::max(8, pre_shift - 1);
  CodedChannel coded;
  coded.bias = static_cast<int32_t>(steps) * (1 << (shift + 1 - pre_shift));
  coded.multiplier = Multiplier{(1 << 30) + kShortStep, shift};
  coded.real_bias = steps * channel.out_scale - channel.offset;
  return coded;
}

struct RowSums {
  int32_t sum = 0;
  int64_t absolute = 0;
};
RowSums QuantizeRow(const Channel& channel, std::span<int8_t> row) {
  RowSums sums;
  for (size_t k = 0; k < row.size(); ++k) {
    const int q = static_cast<int>(
        std::clamp(std::floor(channel.row[k] / channel.scale + 0.5), channel.lowest, 127.0));
    row[k] = static_cast<int8_t>(q);
    sums.sum += q;
    sums.absolute += std::abs(q);
  }
  return sums;
}

// A pre-shift p cuts accumulators off at b = (2^30 - 1) / 2^p. A channel whose factor is at least
// 2^(p - 20) saturates int8 there anyway (QUANTIZATION.md, 3). A smaller one takes a coarser scale
// until |bias| + 255 sum|q| <= b, and those that share its scale with it: nothing is cut off then.
// It ends, for all of it shrinks to 0.
void FitBelowPreShift(int pre_shift, std::span<Channel> channels) {
  if (pre_shift == 0) return;
  const int64_t bound = (kAccumulatorLimit - 1) >> pre_shift;
  std::vector<int8_t> row(channels[0].row.size());
  const auto is_cut = [&](const Channel& channel) {
    return !channel.dead && std::ldexp(channel.Factor(), -pre_shift) < 0x1p-20 &&
           std::abs(int64_t{channel.Bias()}) + 255 * QuantizeRow(channel, row).absolute > bound;
  };
  while (std::any_of(channels.begin(), channels.end(), is_cut)) {
    for (Channel& channel : channels) {
      channel.scale *= 2;
      channel.bias_code.reset();
    }
  }
}

// One scale for all, those included whose weights do nothing: one factor is what was asked for.
void Share(int64_t depth, std::span<Channel> channels) {
  const auto all = [&](bool Channel::*flag) {
    return std::all_of(channels.begin(), channels.end(),
                       [flag](const Channel& channel) { return channel.*flag; });
  };
  if (all(&Channel::dead)) return;  // their factors are equal
  for (Channel& channel : channels) channel.dead = false;
  if (all(&Channel::given)) return;
  double scale = 0;
  for (const Channel& channel : channels) {
    scale = std::max({scale, LargestOf(channel.row) / 127, LeastScale(channel, depth)});
  }
  for (Channel& channel : channels) {
    channel.scale = scale;
    channel.lowest = -127;
    channel.bias_code.reset();
  }
}

int64_t SharedBy(const ConvWeights& weights) {
  switch (weights.scheme) {
    case quantize::WeightScheme::kPerChannel:
      return 1;
    case quantize::WeightScheme::kGroup:
      return quantize::kWeightGroup;
    case quantize::WeightScheme::kPerTensor:
      break;
  }
  return weights.out_c;
}

}  // namespace

ConvCodes EncodeConv(const ConvWeights& weights, const Tensor& input, const Tensor& output,
                     bool depthwise) {
  const auto depth = static_cast<size_t>(weights.depth), count = static_cast<size_t>(weights.out_c),
             shared = static_cast<size_t>(SharedBy(weights));
  std::vector<Channel> channels;
  for (int64_t o = 0; o < weights.out_c; ++o) {
    channels.push_back(ChannelOf(weights, o, input, output, depthwise));
  }
  const auto run_of = [&](size_t first) {
    return std::span(channels).subspan(first, std::min(shared, count - first));
  };
  for (size_t o = 0; shared > 1 && o < count; o += shared) Share(weights.depth, run_of(o));
  double largest_factor = 0;
  for (const Channel& channel : channels) {
    if (!channel.dead) largest_factor = std::max(largest_factor, channel.Factor());
  }
  ConvCodes result;
  result.pre_shift = PreShiftFor(largest_factor);
  for (size_t o = 0; o < count; o += shared) FitBelowPreShift(result.pre_shift, run_of(o));
  result.codes.assign(count * depth, 0);
  for (size_t o = 0; o < count; ++o) {
    const Channel& channel = channels[o];
    if (channel.dead) {
      result.channels.push_back(Constant(channel, result.pre_shift));
      continue;
    }
    CodedChannel coded;
    coded.weight_sum = QuantizeRow(channel, std::span(result.codes).subspan(o * depth, depth)).sum;
    coded.scale = channel.scale;
    coded.bias = channel.Bias();
    coded.real_bias = coded.bias * channel.in_scale * channel.scale - channel.offset;
    coded.multiplier = ShortMultiplier(MakeMultiplier(channel.Factor(), result.pre_shift));
    result.channels.push_back(coded);
  }
  return result;
}

}  // namespace octet::lower
