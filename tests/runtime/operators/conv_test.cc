// Conv and DepthwiseConv against the definition: one loop over OHWI weights, int64 or double.
#include <algorithm>
#include <cmath>

#include "gtest/gtest.h"
#include "tests/runtime/operators/layer_case.h"
#include "tests/runtime/operators/repeat.h"

namespace octet::operators_test {
namespace {

struct ConvCase {
  Dims in, out;
  blob::ConvParams p;
  bool depthwise;
};

uint32_t OutSize(uint32_t in, uint32_t pads, uint32_t kernel, uint32_t stride, uint32_t dilation) {
  return (in + pads - ((kernel - 1) * dilation + 1)) / stride + 1;
}

ConvCase RandomCase(Random& random, bool depthwise) {
  ConvCase c = {};
  c.depthwise = depthwise;
  blob::ConvParams& p = c.p;
  p.kernel_h = static_cast<uint16_t>(random.UInt(1, 4));
  p.kernel_w = static_cast<uint16_t>(random.UInt(1, 4));
  p.stride_h = static_cast<uint16_t>(random.UInt(1, 3));
  p.stride_w = static_cast<uint16_t>(random.UInt(1, 3));
  p.dilation_h = static_cast<uint16_t>(random.UInt(1, 2));
  p.dilation_w = static_cast<uint16_t>(random.UInt(1, 2));
  const uint32_t extent_h = (p.kernel_h - 1u) * p.dilation_h + 1;
  const uint32_t extent_w = (p.kernel_w - 1u) * p.dilation_w + 1;
  p.pad_top = static_cast<uint16_t>(random.UInt(0, extent_h - 1));
  p.pad_bottom = static_cast<uint16_t>(random.UInt(0, extent_h - 1));
  p.pad_left = static_cast<uint16_t>(random.UInt(0, extent_w - 1));
  p.pad_right = static_cast<uint16_t>(random.UInt(0, extent_w - 1));
  const uint32_t channels = random.UInt(1, 37);
  p.groups = depthwise ? channels : random.Pick({1u, 1u, 2u, 3u, 5u});
  c.in = {random.UInt(1, 2), extent_h + random.UInt(0, 5), extent_w + random.UInt(0, 5),
          depthwise ? channels : p.groups * random.UInt(1, 9)};
  c.out = {c.in.n, OutSize(c.in.h, p.pad_top + p.pad_bottom, p.kernel_h, p.stride_h, p.dilation_h),
           OutSize(c.in.w, p.pad_left + p.pad_right, p.kernel_w, p.stride_w, p.dilation_w),
           depthwise ? channels : p.groups * random.UInt(1, 21)};
  p.clamp_lo = -128;
  p.clamp_hi = 127;
  return c;
}

// Weights [o][kh][kw][c of the group].
template <typename T>
struct Weights {
  uint32_t depth;
  std::vector<T> values;
  T At(uint32_t o, uint32_t k) const { return values[uint64_t{o} * depth + k]; }
};

// Position of (o, k) in the blob's layout.
size_t PlaceS8(const ConvCase& c, uint32_t depth, uint32_t o, uint32_t k) {
  if (c.depthwise) return (size_t{o / 16} * depth + k) * 16 + o % 16;
  const size_t groups_of_4 = (depth + 3) / 4;
  return (size_t{o / 16} * groups_of_4 + k / 4) * 64 + (o % 16) * 4 + k % 4;
}
size_t PlaceF16(uint32_t depth, uint32_t o, uint32_t k) {
  return (size_t{o / 16} * depth + k) * 16 + o % 16;
}

// Calls body(output index, o, accumulate(f)) for every output; accumulate calls f(k, input index or
// -1).
template <typename Body>
void ForEachOutput(const ConvCase& c, Body body) {
  const blob::ConvParams& p = c.p;
  const uint32_t group_in = c.in.c / p.groups, group_out = c.out.c / p.groups;
  for (uint32_t n = 0; n < c.out.n; ++n) {
    for (uint32_t y = 0; y < c.out.h; ++y) {
      for (uint32_t x = 0; x < c.out.w; ++x) {
        for (uint32_t o = 0; o < c.out.c; ++o) {
          body(At(c.out, n, y, x, o), o, [&](auto&& tap) {
            uint32_t k = 0;
            for (int ky = 0; ky < p.kernel_h; ++ky) {
              for (int kx = 0; kx < p.kernel_w; ++kx) {
                const int iy = static_cast<int>(y) * p.stride_h + ky * p.dilation_h - p.pad_top;
                const int ix = static_cast<int>(x) * p.stride_w + kx * p.dilation_w - p.pad_left;
                const bool inside = iy >= 0 && ix >= 0 && iy < static_cast<int>(c.in.h) &&
                                    ix < static_cast<int>(c.in.w);
                for (uint32_t i = 0; i < group_in; ++i, ++k) {
                  const uint32_t channel = o / group_out * group_in + i;
                  tap(k, inside ? static_cast<int64_t>(At(c.in, n, static_cast<uint64_t>(iy),
                                                          static_cast<uint64_t>(ix), channel))
                                : -1);
                }
              }
            }
          });
        }
      }
    }
  }
}

void TestInt8(Random& random, bool depthwise) {
  ConvCase c = RandomCase(random, depthwise);
  const uint32_t depth = c.p.kernel_h * c.p.kernel_w * (c.in.c / c.p.groups);
  if (random.OneIn(3)) {
    c.p.clamp_lo = static_cast<int8_t>(random.Int(-128, 0));
    c.p.clamp_hi = static_cast<int8_t>(random.Int(0, 127));
  }
  c.p.pre_shift = static_cast<uint8_t>(random.OneIn(4) ? random.Int(1, 15) : 0);
  LayerCase layer(depthwise ? blob::Op::kDepthwiseConv : blob::Op::kConv, blob::ElementType::kInt8);
  const int in_zp = static_cast<int>(random.Int(-128, 127));
  const int out_zp = static_cast<int>(random.Int(-128, 127));
  layer.AddInput(random, c.in, 0.5f, in_zp);
  layer.SetOutput(c.out, 0.25f, out_zp);
  layer.Params<blob::ConvParams>() = c.p;

  const size_t blocks = (c.out.c + 15) / 16;
  Weights<int> w{depth, std::vector<int>(size_t{c.out.c} * depth)};
  std::vector<int8_t> packed(blocks * (depthwise ? depth : (depth + 3) / 4 * 4) * 16);
  std::vector<blob::ChannelBlockS8> channels(blocks);
  std::vector<int64_t> real_bias(c.out.c);
  for (auto& block : channels) std::fill(block.shift, block.shift + 16, 1);
  for (uint32_t o = 0; o < c.out.c; ++o) {
    int sum = 0;
    for (uint32_t k = 0; k < depth; ++k) {
      const int value = static_cast<int>(random.Int(-128, 127));
      w.values[size_t{o} * depth + k] = value;
      packed[PlaceS8(c, depth, o, k)] = static_cast<int8_t>(value);
      sum += value;
    }
    real_bias[o] = random.Int(-20000, 20000);
    blob::ChannelBlockS8& block = channels[o / 16];
    block.bias[o % 16] = static_cast<int32_t>(real_bias[o] - in_zp * sum);
    block.weight_sum[o % 16] = sum;
    block.multiplier[o % 16] =
        random.OneIn(9) ? 0 : static_cast<int32_t>(random.Int(1 << 30, INT32_MAX));
    block.shift[o % 16] =
        static_cast<int32_t>(random.OneIn(5) ? random.Int(1, 31) : random.Int(7, 14));
  }
  layer.layer.weights = layer.AddWeights(packed);
  layer.layer.channels = layer.AddWeights(channels);
  std::vector<int8_t> table;
  // The table maps the value before it, which has a zero point of its own.
  int result_zp = out_zp;
  if (random.OneIn(3)) {
    result_zp = static_cast<int>(random.Int(-128, 127));
    layer.Params<blob::ConvParams>().table_zero_point = static_cast<int8_t>(result_zp);
    table.resize(256);
    for (int8_t& t : table) t = static_cast<int8_t>(random.Next());
    layer.layer.table = layer.AddTable(table);
  }

  std::vector<int> expected(c.out.Count());
  ForEachOutput(c, [&](uint64_t index, uint32_t o, auto&& for_taps) {
    // The real sum, with the zero point subtracted where it belongs and padding as real zero.
    int64_t acc = real_bias[o];
    for_taps([&](uint32_t k, int64_t source) {
      if (source >= 0) acc += (layer.Q(0, static_cast<uint64_t>(source)) - in_zp) * w.At(o, k);
    });
    const int64_t bound = ((int64_t{1} << 30) - 1) >> c.p.pre_shift;
    if (c.p.pre_shift != 0) acc = std::clamp<int64_t>(acc, -bound, bound) * (1 << c.p.pre_shift);
    const blob::ChannelBlockS8& block = channels[o / 16];
    const int64_t value = RequantizeExactly(acc, block.multiplier[o % 16], block.shift[o % 16]);
    const int q = Clamp(value + result_zp, c.p.clamp_lo, c.p.clamp_hi);
    expected[index] = table.empty() ? q : table[static_cast<size_t>(q + 128)];
  });
  ExpectInt8(layer.RunAll(), expected);
}

void TestHalf(Random& random, bool depthwise) {
  ConvCase c = RandomCase(random, depthwise);
  const uint32_t depth = c.p.kernel_h * c.p.kernel_w * (c.in.c / c.p.groups);
  c.p.function =
      random.Pick({blob::Function::kIdentity, blob::Function::kClamp, blob::Function::kSilu});
  c.p.alpha = 0;
  c.p.beta = INFINITY;
  LayerCase layer(depthwise ? blob::Op::kDepthwiseConv : blob::Op::kConv, blob::ElementType::kFp16);
  layer.AddInput(random, c.in);
  layer.SetOutput(c.out);
  layer.Params<blob::ConvParams>() = c.p;
  const size_t blocks = (c.out.c + 15) / 16;
  Weights<double> w{depth, std::vector<double>(size_t{c.out.c} * depth)};
  std::vector<uint16_t> packed(blocks * depth * 16);
  std::vector<float> bias(blocks * 16);
  for (uint32_t o = 0; o < c.out.c; ++o) {
    bias[o] = random.Float(-1, 1);
    for (uint32_t k = 0; k < depth; ++k) {
      const uint16_t half = FloatToHalf(random.Float(-1, 1));
      packed[PlaceF16(depth, o, k)] = half;
      w.values[size_t{o} * depth + k] = HalfToFloat(half);
    }
  }
  layer.layer.weights = layer.AddWeights(packed);
  layer.layer.channels = layer.AddWeights(bias);
  std::vector<double> expected(c.out.Count());
  ForEachOutput(c, [&](uint64_t index, uint32_t o, auto&& for_taps) {
    double x = bias[o];
    for_taps([&](uint32_t k, int64_t source) {
      if (source >= 0) x += layer.Input(0, static_cast<uint64_t>(source)) * w.At(o, k);
    });
    if (c.p.function == blob::Function::kClamp) x = std::max(x, 0.0);
    if (c.p.function == blob::Function::kSilu) x = x / (1 + std::exp(-x));
    expected[index] = x;
  });
  ExpectHalf(layer.RunAll(), expected);
}

TEST(ConvLayer, Int8EqualsTheDefinition) {
  Repeat(60, [](Random& random) { TestInt8(random, false); });
}
TEST(ConvLayer, HalfEqualsTheDefinition) {
  Repeat(40, [](Random& random) { TestHalf(random, false); });
}
TEST(DepthwiseConvLayer, Int8EqualsTheDefinition) {
  Repeat(60, [](Random& random) { TestInt8(random, true); });
}
TEST(DepthwiseConvLayer, HalfEqualsTheDefinition) {
  Repeat(40, [](Random& random) { TestHalf(random, true); });
}

}  // namespace
}  // namespace octet::operators_test
