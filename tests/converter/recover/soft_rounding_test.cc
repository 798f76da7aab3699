#include "converter/recover/soft_rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>

#include "tests/converter/recover/coarse_layers.h"

namespace octet::recover {
namespace {

double Relu(double x) {
  return x > 0 ? x : 0;
}

TEST(Curve, FollowsTheFunctionAndItsSlope) {
  const Curve nothing;
  EXPECT_EQ(nothing.At(-7).value, -7);
  EXPECT_EQ(nothing.At(-7).slope, 1);
  const Curve relu(Relu, -2, 6);
  EXPECT_NEAR(relu.At(-1).value, 0, 1e-6);
  EXPECT_NEAR(relu.At(-1).slope, 0, 1e-6);
  EXPECT_NEAR(relu.At(3.3f).value, 3.3, 1e-4);
  EXPECT_NEAR(relu.At(3.3f).slope, 1, 1e-3);
  // Beyond its ends it goes on.
  EXPECT_NEAR(relu.At(-20).value, 0, 1e-4);
  EXPECT_NEAR(relu.At(20).value, 20, 1e-2);
  const Curve sine([](double x) { return std::sin(x); }, -3, 3);
  for (float x = -3; x <= 3; x += 0.1f) {
    EXPECT_NEAR(sine.At(x).value, std::sin(x), 1e-5);
    EXPECT_NEAR(sine.At(x).slope, std::cos(x), 2e-3);
  }
  // A single point is no range.
  EXPECT_NEAR(Curve(Relu, 2, 2).At(2).value, 2, 1e-6);
}

// One channel or several of a layer and what exact weights give.
struct Layer {
  LayerInputs inputs, other;
  std::vector<float> weights, scales, bias;
  std::vector<int8_t> nearest;
  Curve curve;

  Layer(size_t depth, size_t channels, const Curve& function) : curve(function) {
    inputs = Correlated(1000, depth, 1);
    other = Correlated(200, depth, 2);
    std::mt19937 random(3);
    weights.resize(depth * channels);
    for (float& weight : weights) weight = Uniform(random);
    scales.assign(channels, 0.1f);
    for (size_t o = 0; o < channels; ++o) bias.push_back(Uniform(random));
    for (const float weight : weights) {
      nearest.push_back(static_cast<int8_t>(std::floor(weight / 0.1f + 0.5f)));
    }
  }
  Channels AsChannels() const { return {weights, nearest, scales, bias}; }
  std::vector<float> Exact(const LayerInputs& of) const {
    std::vector<float> results;
    for (size_t r = 0; r < of.rows; ++r) {
      for (size_t o = 0; o < scales.size(); ++o) {
        float sum = bias[o];
        for (size_t k = 0; k < of.depth; ++k) {
          sum += of.values[r * of.depth + k] * weights[o * of.depth + k];
        }
        results.push_back(curve.At(sum).value);
      }
    }
    return results;
  }
  double Error(const std::vector<int8_t>& codes) const {
    const std::vector<float> exact = Exact(other);
    return ErrorBehind(other, {exact.data(), scales.size()}, AsChannels(), codes, curve);
  }
  std::vector<int8_t> Search(int64_t steps) const {
    const std::vector<float> exact = Exact(inputs);
    return SoftRound(inputs, {exact.data(), scales.size()}, AsChannels(), curve, steps);
  }
};

// FNV-1a.
uint32_t SumOf(const std::vector<int8_t>& codes) {
  uint32_t sum = 2166136261u;
  for (const int8_t code : codes) sum = (sum ^ static_cast<uint8_t>(code)) * 16777619u;
  return sum;
}

// The codes are the same on every machine.
TEST(SoftRound, LosesLessOnOtherData) {
  for (const auto& [function, sum] :
       {std::pair{Curve(), 1799860042u}, std::pair{Curve(Relu, -5, 5), 2047853850u}}) {
    const Layer layer(40, 3, function);
    const std::vector<int8_t> codes = layer.Search(1500);
    EXPECT_EQ(SumOf(codes), sum);
    EXPECT_LT(layer.Error(codes), layer.Error(layer.nearest) / 2);
    for (size_t at = 0; at < codes.size(); ++at) {
      EXPECT_LE(std::abs(codes[at] - layer.nearest[at]), 1) << at;
    }
    EXPECT_EQ(codes, layer.Search(1500));
  }
}

TEST(SoftRound, MakesUpForWhatItsInputsLost) {
  Layer layer(40, 2, Curve());
  const std::vector<float> exact = layer.Exact(layer.inputs), wanted = layer.Exact(layer.other);
  // Every input comes in a tenth too small.
  for (LayerInputs* inputs : {&layer.inputs, &layer.other}) {
    for (float& value : inputs->values) value *= 0.9f;
  }
  const auto error = [&](const std::vector<int8_t>& codes) {
    return ErrorBehind(layer.other, {wanted.data(), 2}, layer.AsChannels(), codes, layer.curve);
  };
  const std::vector<int8_t> codes =
      SoftRound(layer.inputs, {exact.data(), 2}, layer.AsChannels(), layer.curve, 1500);
  EXPECT_LT(error(codes), error(layer.nearest) / 2);
  EXPECT_LT(error(codes), error(layer.Search(1500)));  // that knows nothing of it
}

TEST(SoftRound, LeavesAloneWhatTellsNothing) {
  Layer layer(6, 2, Curve());
  EXPECT_EQ(layer.Search(0), layer.nearest);
  // A channel without a scale, and a column without values.
  layer.scales[1] = 0;
  for (size_t r = 0; r < layer.inputs.rows; ++r) layer.inputs.values[r * 6 + 2] = 0;
  layer.nearest[2] = 9;
  const std::vector<int8_t> codes = layer.Search(200);
  for (size_t at = 6; at < 12; ++at) EXPECT_EQ(codes[at], layer.nearest[at]);
  EXPECT_EQ(codes[2], 9);
}

TEST(SoftRound, StaysWithinInt8) {
  Layer layer(4, 1, Curve());
  layer.weights = {12.7f, -12.7f, 40, -40};
  layer.nearest = {127, -127, 127, -127};
  for (const int8_t code : layer.Search(300)) EXPECT_GE(code, -127);
  EXPECT_EQ(layer.Search(300)[2], 127);
}

TEST(ErrorBehind, SumsSquaresOfResults) {
  LayerInputs inputs;
  inputs.rows = 2;
  inputs.depth = 1;
  inputs.values = {1, -2};
  const std::vector<float> weights = {1}, scales = {0.5f}, bias = {1}, targets = {3, 0, 1, 0};
  const std::vector<int8_t> codes = {4};
  // 2 + 1 = 3 and -4 + 1 = -3, with a gap between the rows of the targets.
  EXPECT_NEAR(ErrorBehind(inputs, {targets.data(), 2}, {weights, codes, scales, bias}, codes, {}),
              16, 1e-6);
  EXPECT_NEAR(ErrorBehind(inputs, {targets.data(), 2}, {weights, codes, scales, bias}, codes,
                          Curve(Relu, -4, 4)),
              1, 1e-3);
}

}  // namespace
}  // namespace octet::recover
