// The divergence of weights: silent where 8 bits are enough, loud where steps get coarse.
#include "converter/analyze/weight_figures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "converter/analyze/analyze.h"

namespace octet::analyze {
namespace {

std::vector<float> Gauss(size_t count, float sigma, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) {
    // The sum of 12 uniform numbers: the same on every library.
    float sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<float>(random() >> 8) / (1 << 24);
    value = sigma * sum;
  }
  return values;
}

std::vector<float> Rounded(const std::vector<float>& values, float step) {
  std::vector<float> rounded;
  for (const float value : values) rounded.push_back(std::floor(value / step + 0.5f) * step);
  return rounded;
}

WeightFigures OfOneChannel(const std::vector<float>& exact, const std::vector<float>& rounded) {
  return CompareWeights(exact, rounded, {1, exact.size(), exact.size(), 1});
}

TEST(WeightFigures, ExactWeightsDoNotDiverge) {
  const std::vector<float> weights = Gauss(1000, 0.1f, 1);
  const WeightFigures figures = OfOneChannel(weights, weights);
  EXPECT_EQ(figures.kl, 0);
  EXPECT_EQ(figures.snr_db, 100);
  EXPECT_EQ(figures.zeros, 0);
}

// The limit lies where steps are about as wide as the bins: sigma / 4.
TEST(WeightFigures, CoarseStepsPassTheLimit) {
  const std::vector<float> weights = Gauss(4096, 0.5f, 2);
  for (const float fine : {32.0f, 16.0f, 8.0f, 6.0f, 5.0f}) {
    EXPECT_LT(OfOneChannel(weights, Rounded(weights, 0.5f / fine)).kl, kFarWeights / 2) << fine;
  }
  for (const float coarse : {3.0f, 2.0f, 1.0f, 0.5f, 0.1f}) {
    EXPECT_GT(OfOneChannel(weights, Rounded(weights, 0.5f / coarse)).kl, kFarWeights) << coarse;
  }
}

// Few weights claim little: a depthwise channel of nine alone is no distribution.
TEST(WeightFigures, FewWeightsClaimLittle) {
  const std::vector<float> weights = Gauss(9, 0.5f, 3);
  EXPECT_LT(OfOneChannel(weights, Rounded(weights, 0.02f)).kl, kFarWeights / 2);
}

TEST(WeightFigures, ChannelsAreJudgedByTheirOwnSize) {
  // A hundred times as large, in steps a hundred times as wide: the same shape.
  const std::vector<float> small = Gauss(500, 0.01f, 4);
  std::vector<float> both = small, rounded = Rounded(small, 0.0001f);
  for (size_t i = 0; i < 500; ++i) {
    both.push_back(100 * both[i]);
    rounded.push_back(100 * rounded[i]);
  }
  const WeightFigures own = CompareWeights(both, rounded, {2, 500, 500, 1});
  EXPECT_LT(own.kl, 0.05);
  // One step for both leaves nothing of the small one, while all weights together hardly notice.
  const std::vector<float> shared = Rounded(both, 0.05f);
  const WeightFigures one = CompareWeights(both, shared, {2, 500, 500, 1});
  EXPECT_GT(one.kl, kFarWeights);
  EXPECT_GT(one.snr_db, 30);
  EXPECT_EQ(one.worst_channel, 0u);
  EXPECT_LT(one.worst_db, 3);
  EXPECT_GT(one.zeros, 0.3);
}

// A single large weight makes the steps wide, and must not hide that.
TEST(WeightFigures, OneLargeWeightAmongMany) {
  std::vector<float> weights = Gauss(576, 0.1f, 5);
  EXPECT_LT(OfOneChannel(weights, Rounded(weights, 0.4f / 127)).kl, kFarWeights / 2);
  weights[7] = 60 * 0.1f;
  EXPECT_GT(OfOneChannel(weights, Rounded(weights, 6.0f / 127)).kl, kFarWeights);
}

// [depth, channels], as a Gemm has them.
TEST(WeightFigures, ChannelsAcross) {
  const std::vector<float> exact{1, 10, 2, 20, 3, 30}, rounded{1, 10, 2, 20, 3, 33};
  const WeightFigures figures = CompareWeights(exact, rounded, {2, 3, 1, 2});
  EXPECT_EQ(figures.worst_channel, 1u);
  EXPECT_DOUBLE_EQ(figures.worst_db, 10 * std::log10(1400 / 9.0));
}

TEST(WeightFigures, AChannelOfZerosHasNothingToLose) {
  const std::vector<float> exact{0, 0, 1, 2};
  const WeightFigures figures = CompareWeights(exact, exact, {2, 2, 2, 1});
  EXPECT_EQ(figures.worst_db, 100);
  EXPECT_EQ(figures.kl, 0);
}

}  // namespace
}  // namespace octet::analyze
