// Scales of weights found again: which of those that a converter chooses fits the codes.
#include "converter/export/weight_scales.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace octet::exporting {
namespace {

constexpr int64_t kOutputs = 3, kDepth = 16;

struct Layer {
  LayerNumbers numbers;
  graph::Tensor weights;
};

// Codes of `scales`, one a channel; weights up to a third of a step beside them, but the largest of
// channel c is 127 * scales[c].
Layer Coded(const std::vector<double>& scales) {
  Layer layer;
  layer.numbers.outputs = kOutputs;
  layer.numbers.depth = kDepth;
  layer.weights = graph::Tensor::Floats({kOutputs, kDepth, 1, 1}, {});
  for (int64_t o = 0; o < kOutputs; ++o) {
    for (int64_t k = 0; k < kDepth; ++k) {
      const int code = k == 0 ? 127 : static_cast<int>(k * 37 % 241) - 120;
      const double off = k == 0 ? 0 : static_cast<double>((k * 5 + o) % 7 - 3) / 9;
      layer.numbers.codes.push_back(static_cast<int8_t>(code));
      layer.weights.floats.push_back(
          static_cast<float>(scales[static_cast<size_t>(o)] * (code + off)));
    }
  }
  return layer;
}

TEST(WeightScales, AreThoseOfTheCodes) {
  const std::vector<double> scales{0.01, 0.0173, 0.4};
  const Layer layer = Coded(scales);
  for (size_t o = 0; o < 3; ++o) {
    const auto found = WeightScaleOf({}, layer.numbers, layer.weights, o);
    ASSERT_TRUE(found.has_value());
    EXPECT_NEAR(*found / scales[o], 1, 1e-6) << "a 127th of the largest weight";
  }
}

// The model's own scale counts within 2 % of what fits, and never beyond.
TEST(WeightScales, OwnOnesWhereTheyAreNear) {
  const Layer layer = Coded({0.01, 0.01, 0.01});
  for (const double factor : {0.5, 0.9, 0.97, 0.985, 1.0, 1.005, 1.015, 1.03, 1.1, 2.0, 30.0}) {
    const auto own = static_cast<float>(0.01 * factor);
    const auto found = WeightScaleOf({own, own, own}, layer.numbers, layer.weights, 1);
    ASSERT_TRUE(found.has_value());
    if (std::fabs(factor - 1) < 0.018) {
      EXPECT_EQ(*found, static_cast<double>(own)) << factor;
    } else {
      EXPECT_NEAR(*found, 0.01, 1e-8) << factor;
    }
  }
  const auto none = WeightScaleOf({0, 0, 0}, layer.numbers, layer.weights, 1);
  EXPECT_NEAR(none.value_or(0), 0.01, 1e-8) << "0 is no scale";
}

// Neither a power of two of the largest weight nor one given: what fits best.
TEST(WeightScales, FittedOnesWhereNothingIsNear) {
  Layer layer = Coded({0.01, 0.01, 0.01});
  for (float& weight : layer.weights.floats) {
    if (std::fabs(weight) > 1.2f) weight *= 1.06f;  // the largest of each channel
  }
  const auto found = WeightScaleOf({}, layer.numbers, layer.weights, 0);
  ASSERT_TRUE(found.has_value());
  double product = 0, power = 0;
  for (size_t k = 0; k < kDepth; ++k) {
    product += double{layer.weights.floats[k]} * layer.numbers.codes[k];
    power += static_cast<double>(layer.numbers.codes[k]) * layer.numbers.codes[k];
  }
  EXPECT_NEAR(*found, product / power, 1e-9);
}

TEST(WeightScales, CodesOfOtherWeightsHaveNone) {
  Layer layer = Coded({0.01, 0.01, 0.01});
  std::reverse(layer.weights.floats.begin(), layer.weights.floats.end());
  EXPECT_EQ(WeightScaleOf({}, layer.numbers, layer.weights, 0), std::nullopt);
  for (float& weight : layer.weights.floats) weight = -weight;
  Layer negative = Coded({0.01, 0.01, 0.01});
  for (float& weight : negative.weights.floats) weight = -weight;
  EXPECT_EQ(WeightScaleOf({}, negative.numbers, negative.weights, 2), std::nullopt);
  Layer silent = Coded({0.01, 0.01, 0.01});
  std::fill(silent.numbers.codes.begin(), silent.numbers.codes.end(), int8_t{0});
  EXPECT_EQ(WeightScaleOf({}, silent.numbers, silent.weights, 2), 0.0);
}

}  // namespace
}  // namespace octet::exporting
