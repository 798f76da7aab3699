// Multipliers against doubles; layouts of weights by reading them back.
#include "converter/lower/weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "runtime/core/half.h"

namespace octet::lower {
namespace {

TEST(MakeMultiplier, ValuesOverTheWholeRange) {
  for (int exponent = -40; exponent <= 16; ++exponent) {
    for (int step = 0; step < 2000; ++step) {
      const double factor = std::ldexp(1 + step / 2000.0, exponent);
      const int pre_shift = PreShiftFor(factor);
      if (std::ldexp(factor, -pre_shift) >= 0.5) {
        EXPECT_EQ(pre_shift, kMaxPreShift);
        continue;
      }
      if (pre_shift > 0) {
        EXPECT_GE(std::ldexp(factor, 1 - pre_shift), 0.5) << "a smaller shift does";
      }
      const Multiplier m = MakeMultiplier(factor, pre_shift);
      ASSERT_GE(m.shift, 1);
      ASSERT_LE(m.shift, 31);
      const double value = std::ldexp(m.multiplier, pre_shift - 31 - m.shift);
      if (m.multiplier == 0) {
        EXPECT_LT(factor, std::ldexp(1.0, -31)) << "dropped";  // |acc| <= 2^30 never rounds to 1
        continue;
      }
      ASSERT_GE(m.multiplier, 1 << 30);
      EXPECT_LE(std::fabs(value - factor), std::ldexp(factor, -30)) << factor;
    }
  }
}

TEST(MakeMultiplier, EdgesOfHalf) {
  for (double factor : {0.5 - 1e-12, std::nextafter(0.5, 0.0), 0.25, 0.0}) {
    const Multiplier m = MakeMultiplier(factor, 0);
    EXPECT_GE(m.shift, 1);
    EXPECT_NEAR(std::ldexp(m.multiplier, -31 - m.shift), factor, 1e-9);
  }
}

TEST(MakeMultiplier, RequantizesAsDoublesDo) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200000; ++i) {
    const double factor = std::ldexp(1 + static_cast<double>(random() % 1000000) / 1e6,
                                     -2 - static_cast<int>(random() % 20));
    const auto acc =
        static_cast<int32_t>(static_cast<int64_t>(random() % (uint64_t{1} << 25)) - (1 << 24));
    const int pre_shift = PreShiftFor(factor);
    const Multiplier m = MakeMultiplier(factor, pre_shift);
    const double exact = acc * factor;
    // The multiplier's own error is 2^-31 of the product.
    const int32_t q = Requantize(PreShift(acc, pre_shift), m.multiplier, m.shift);
    EXPECT_LE(std::fabs(q - exact), 0.5 + std::fabs(exact) * 0x1p-29) << acc << " * " << factor;
  }
}

class Layouts : public testing::TestWithParam<std::pair<int64_t, int64_t>> {};

// Channel o, depth k of the stored weights, and the channel's numbers, tell the real weights again.
TEST_P(Layouts, DenseWeightsReadBack) {
  const auto [out_c, depth] = GetParam();
  std::mt19937 random(static_cast<uint32_t>(out_c * 100 + depth));
  ConvWeights weights;
  weights.out_c = out_c;
  weights.depth = depth;
  for (int64_t i = 0; i < out_c * depth; ++i) {
    weights.values.push_back(static_cast<float>(random() % 2001) / 1000 - 1);
  }
  for (int64_t o = 0; o < out_c; ++o)
    weights.bias.push_back(static_cast<float>(random() % 200) / 100 - 1);
  Tensor input, output;
  input.scale = 0.02f;
  input.zero_point = 7;
  output.scale = 0.1f;
  for (bool depthwise : {false, true}) {
    const QuantizedConv conv = QuantizeConv(weights, input, output, depthwise);
    const int64_t blocks = (out_c + 15) / 16, groups = (depth + 3) / 4;
    ASSERT_EQ(static_cast<int64_t>(conv.weights.size()),
              blocks * 16 * (depthwise ? depth : groups * 4));
    ASSERT_EQ(conv.channels.size(), static_cast<size_t>(blocks) * sizeof(blob::ChannelBlockS8));
    std::vector<bool> used(conv.weights.size(), false);
    for (int64_t o = 0; o < out_c; ++o) {
      blob::ChannelBlockS8 block;
      std::memcpy(&block, conv.channels.data() + static_cast<size_t>(o / 16) * sizeof(block),
                  sizeof(block));
      const auto lane = static_cast<size_t>(o % 16);
      double largest = 0;
      for (int64_t k = 0; k < depth; ++k) {
        largest = std::max(
            largest,
            std::fabs(static_cast<double>(weights.values[static_cast<size_t>(o * depth + k)])));
      }
      const double scale = largest / 127;
      int32_t sum = 0;
      for (int64_t k = 0; k < depth; ++k) {
        // Blocks of 16 channels x groups of 4 deep; depthwise [taps][16].
        const int64_t at = depthwise ? (o / 16 * depth + k) * 16 + o % 16
                                     : ((o / 16 * groups + k / 4) * 16 + o % 16) * 4 + k % 4;
        used[static_cast<size_t>(at)] = true;
        const auto q = static_cast<int8_t>(conv.weights[static_cast<size_t>(at)]);
        sum += q;
        ASSERT_GE(q, -127);
        ASSERT_NEAR(q * scale, weights.values[static_cast<size_t>(o * depth + k)], scale * 0.5001);
      }
      EXPECT_EQ(block.weight_sum[lane], sum);
      const double bias = (block.bias[lane] + input.zero_point * sum) * input.scale * scale;
      EXPECT_NEAR(bias, weights.bias[static_cast<size_t>(o)], input.scale * scale * 0.5001);
      const double factor =
          std::ldexp(block.multiplier[lane], conv.pre_shift - 31 - block.shift[lane]);
      EXPECT_NEAR(factor, input.scale * scale / output.scale, factor * 0x1p-24);
    }
    for (size_t i = 0; i < used.size(); ++i) {
      if (!used[i]) {
        ASSERT_EQ(conv.weights[i], 0) << "padding at " << i;
      }
    }
  }
  const HalfConv half = HalfConvWeights(weights);
  for (int64_t o = 0; o < out_c; ++o) {
    for (int64_t k = 0; k < depth; ++k) {
      uint16_t stored;
      std::memcpy(&stored,
                  half.weights.data() + static_cast<size_t>((o / 16 * depth + k) * 16 + o % 16) * 2,
                  2);
      EXPECT_NEAR(HalfToFloat(stored), weights.values[static_cast<size_t>(o * depth + k)], 0x1p-11);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, Layouts,
    testing::Values(std::pair<int64_t, int64_t>(1, 1), std::pair<int64_t, int64_t>(16, 4),
                    std::pair<int64_t, int64_t>(17, 5), std::pair<int64_t, int64_t>(40, 27),
                    std::pair<int64_t, int64_t>(33, 9), std::pair<int64_t, int64_t>(5, 130)));

TEST(QuantizeConv, ChannelWithoutWeightsKeepsItsBias) {
  ConvWeights weights{1, 4, {0, 0, 0, 0}, {3.0f}};
  Tensor input, output;
  input.scale = 0.05f;
  output.scale = 0.1f;
  const QuantizedConv conv = QuantizeConv(weights, input, output, false);
  blob::ChannelBlockS8 block;
  std::memcpy(&block, conv.channels.data(), sizeof(block));
  const int32_t q =
      Requantize(PreShift(block.bias[0], conv.pre_shift), block.multiplier[0], block.shift[0]);
  EXPECT_EQ(q, 30);
}

TEST(QuantizeConv, LargeBiasStaysInsideTheAccumulator) {
  ConvWeights weights{1, 4, {1e-9f, 0, 0, 0}, {1000.0f}};
  Tensor input, output;
  input.scale = 1e-4f;
  output.scale = 10;
  const QuantizedConv conv = QuantizeConv(weights, input, output, false);
  blob::ChannelBlockS8 block;
  std::memcpy(&block, conv.channels.data(), sizeof(block));
  EXPECT_LT(std::abs(static_cast<int64_t>(block.bias[0])), kAccumulatorLimit);
  EXPECT_EQ(
      Requantize(PreShift(block.bias[0], conv.pre_shift), block.multiplier[0], block.shift[0]),
      100);
}

// What channel `o` makes of an input of one value everywhere, in steps of the result.
int32_t ResultOf(const QuantizedConv& conv, const ConvWeights& weights, size_t o, int q) {
  const auto* block = reinterpret_cast<const blob::ChannelBlockS8*>(conv.channels.data());
  const auto* stored = reinterpret_cast<const int8_t*>(conv.weights.data());
  int32_t acc = block->bias[o];
  for (int64_t k = 0; k < weights.depth; ++k) {
    acc += q * stored[static_cast<size_t>((k / 4 * 16) * 4 + k % 4) + o * 4];
  }
  return Requantize(PreShift(acc, conv.pre_shift), block->multiplier[o], block->shift[o]);
}

// The factor of a channel without weights could be anything: it must not choose the pre-shift.
TEST(QuantizeConv, DeadChannelsLeaveTheOthersAlone) {
  for (const float dead : {0.0f, 1e-42f}) {
    ConvWeights weights;
    weights.out_c = 2;
    weights.depth = 64;
    weights.values.assign(64, dead);
    weights.values.resize(128, 1e-6f);
    weights.bias = {37e-6f, 5e-6f};
    Tensor input, output;
    input.scale = 0.05f;
    input.zero_point = -128;
    output.scale = 1e-6f;
    const QuantizedConv conv = QuantizeConv(weights, input, output, false);
    for (int q : {-128, 0, 127}) {
      EXPECT_EQ(ResultOf(conv, weights, 0, q), 37) << dead;
      EXPECT_NEAR(ResultOf(conv, weights, 1, q), 5 + 64 * 0.05 * (q + 128), 1) << dead;
    }
  }
}

TEST(QuantizeConv, DeadChannelsAreTheirBiasBehindAnyPreShift) {
  for (int exponent = -3; exponent < 20; ++exponent) {
    ConvWeights weights{2, 4, {0, 0, 0, 0, 1, 1, 1, 1}, {-77.4f, 0}};
    Tensor input, output;
    input.scale = std::ldexp(1.0f, exponent);
    const QuantizedConv conv = QuantizeConv(weights, input, output, false);
    for (int q : {-128, 127}) EXPECT_EQ(ResultOf(conv, weights, 0, q), -77) << conv.pre_shift;
    weights.bias[0] = 1e30f;
    EXPECT_GT(ResultOf(QuantizeConv(weights, input, output, false), weights, 0, 0), 255);
  }
}

// A live channel 2^25 below the largest, with a bias: what the pre-shift would cut off is kept by a
// coarser scale.
TEST(QuantizeConv, SmallFactorsBesideLargeOnes) {
  ConvWeights weights;
  weights.out_c = 2;
  weights.depth = 8;
  weights.values.assign(8, 40000.0f);
  weights.values.resize(16, 1e-3f);
  weights.bias = {0, 90.3f};
  Tensor input, output;
  input.scale = 1;
  output.scale = 1;
  const QuantizedConv conv = QuantizeConv(weights, input, output, false);
  EXPECT_GT(conv.pre_shift, 8);
  for (int q : {-128, 0, 127}) {
    EXPECT_NEAR(ResultOf(conv, weights, 1, q), 90.3 + 8e-3 * q, 1.1) << q;
  }
}

// What a depthwise layer computes from inputs and to outputs of a scheme a channel.
TEST(QuantizeConv, SchemesByChannel) {
  ConvWeights weights;
  weights.out_c = 3;
  weights.depth = 2;
  weights.values = {0.5f, -1, 2, 1, 0.25f, 0.125f};
  weights.bias = {0.1f, -0.2f, 0.3f};
  Tensor input, output;
  input.zero_point = -100;
  input.channels = {{0.01f, -100}, {0.2f, -100}, {1.0f, -100}};
  output.zero_point = 5;
  output.channels = {{0.02f, 5}, {0.5f, -90}, {0.3f, 100}};
  const QuantizedConv conv = QuantizeConv(weights, input, output, true);
  const auto* block = reinterpret_cast<const blob::ChannelBlockS8*>(conv.channels.data());
  const auto* stored = reinterpret_cast<const int8_t*>(conv.weights.data());
  for (size_t o = 0; o < 3; ++o) {
    const int q[2] = {-100 + 37, -100 + 11};
    int32_t acc = block->bias[o];
    double real = weights.bias[o];
    for (size_t k = 0; k < 2; ++k) {
      acc += q[k] * stored[k * 16 + o];
      real +=
          static_cast<double>(weights.values[o * 2 + k]) * (q[k] + 100) * input.channels[o].scale;
    }
    const int32_t got =
        Requantize(PreShift(acc, conv.pre_shift), block->multiplier[o], block->shift[o]) +
        output.zero_point;
    const double expected = real / output.channels[o].scale + output.channels[o].zero_point;
    EXPECT_NEAR(got, expected, 0.75 + std::fabs(real / output.channels[o].scale) / 127) << o;
  }
}

// Weights and bias that the model brings in integers are those integers on the board.
TEST(QuantizeConv, ObeysTheModelsOwnCodes) {
  ConvWeights weights;
  weights.out_c = 2;
  weights.depth = 3;
  const float scales[2] = {0.0123f, 0.37f};
  const int codes[2][3] = {{-128, 5, 0}, {1, 2, -3}};
  // More bits than a float has.
  const int64_t bias[2] = {(int64_t{1} << 28) + 1, -7};
  Tensor input, output;
  input.scale = 0.031f;
  input.zero_point = -128;
  output.scale = 0.5f;
  for (int o = 0; o < 2; ++o) {
    for (const int code : codes[o]) weights.values.push_back(scales[o] * static_cast<float>(code));
    weights.scales.push_back(scales[o]);
    weights.bias_codes.push_back(bias[o]);
    weights.bias_scales.push_back(scales[o] * input.scale);
    weights.bias.push_back(static_cast<float>(bias[o]) * weights.bias_scales.back());
  }
  const QuantizedConv result = QuantizeConv(weights, input, output, false);
  blob::ChannelBlockS8 block;
  std::memcpy(&block, result.channels.data(), sizeof(block));
  for (int o = 0; o < 2; ++o) {
    const int sum = codes[o][0] + codes[o][1] + codes[o][2];
    EXPECT_EQ(block.weight_sum[o], sum);
    EXPECT_EQ(block.bias[o], bias[o] + 128 * sum);
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(static_cast<int8_t>(result.weights[static_cast<size_t>(o * 4 + k)]), codes[o][k]);
    }
  }
}

}  // namespace
}  // namespace octet::lower
