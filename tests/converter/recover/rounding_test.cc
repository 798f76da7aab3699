#include "converter/recover/rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "converter/operators/matrix.h"
#include "tests/converter/recover/coarse_layers.h"

namespace octet::recover {
namespace {

TEST(FactorCholesky, UpperRowsOfR) {
  // R = [2 1; 0 3].
  std::vector<double> a = {4, 2, 2, 10};
  ASSERT_TRUE(operators::FactorCholesky(2, a.data()));
  EXPECT_DOUBLE_EQ(a[0], 2);
  EXPECT_DOUBLE_EQ(a[1], 1);
  EXPECT_DOUBLE_EQ(a[3], 3);
  std::vector<double> indefinite = {1, 2, 2, 1};
  EXPECT_FALSE(operators::FactorCholesky(2, indefinite.data()));
}

TEST(RoundRows, ColumnsApartAreNearest) {
  LayerInputs inputs;
  inputs.rows = inputs.depth = 3;
  inputs.values = {1, 0, 0, 0, 2, 0, 0, 0, 3};
  const std::vector<float> scales = {1, 0.5f};
  EXPECT_EQ(RoundRows(inputs, std::vector<float>{0.4f, -0.6f, 200, 0.3f, 0, -100}, scales),
            (std::vector<int8_t>{0, -1, 127, 1, 0, -127}));
}

TEST(RoundRows, OneColumnMakesUpForAnother) {
  // Equal inputs, the second a little stronger: it is rounded first, the first takes what is left.
  LayerInputs inputs;
  inputs.rows = 2;
  inputs.depth = 2;
  inputs.values = {1, 1.01f, -1, -1.01f};
  EXPECT_EQ(RoundRows(inputs, std::vector<float>{0.4f, 0.4f}, std::vector<float>{1}),
            (std::vector<int8_t>{1, 0}));
  // No data at all: nearest.
  inputs.values = {0, 0, 0, 0};
  EXPECT_EQ(RoundRows(inputs, std::vector<float>{0.4f, 0.6f}, std::vector<float>{1}),
            (std::vector<int8_t>{0, 1}));
}

TEST(RoundRows, LosesLessOnOtherData) {
  constexpr size_t kDepth = 150, kOutputs = 5;  // more than one block of columns
  const LayerInputs fit = Correlated(600, kDepth, 1), other = Correlated(100, kDepth, 2);
  std::mt19937 random(3);
  std::vector<float> weights(kDepth * kOutputs);
  for (float& weight : weights) weight = Uniform(random);
  const std::vector<float> scales(kOutputs, 0.1f);
  std::vector<float> nearest;
  for (const float weight : weights) nearest.push_back(std::floor(weight / 0.1f + 0.5f) * 0.1f);
  const std::vector<int8_t> codes = RoundRows(fit, weights, scales);
  EXPECT_LT(ErrorOf(other, weights, ValuesOf(codes, scales)), ErrorOf(other, weights, nearest) / 4);
  EXPECT_EQ(codes, RoundRows(fit, weights, scales));
}

TEST(ErrorOf, SumsSquares) {
  LayerInputs inputs;
  inputs.rows = 2;
  inputs.depth = 2;
  inputs.values = {1, 2, 3, 4};
  // Differences (1, 0) and (0, -1): results 1 and 3, -2 and -4.
  EXPECT_DOUBLE_EQ(ErrorOf(inputs, std::vector<float>{1, 1, 1, 1}, std::vector<float>{0, 1, 1, 2}),
                   1 + 9 + 4 + 16);
}

}  // namespace
}  // namespace octet::recover
