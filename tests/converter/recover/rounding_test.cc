#include "converter/recover/rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "converter/lower/coded_weights.h"
#include "converter/operators/matrix.h"
#include "tests/converter/graph/given_by_test.h"
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

struct Case : CoarseCase {
  Step Round(int threads, int64_t memory_bytes, quantize::Scheme* result) {
    simulate::Options options;
    options.threads = threads;
    options.memory_bytes = memory_bytes;
    const simulate::Simulator simulator(graph, {&pictures}, options);
    *result = scheme;
    return RoundWeights(simulator, samples, 48, {}, result);
  }
};

TEST(RoundWeights, GainsAndKeepsTheGrid) {
  Case one;
  quantize::Scheme rounded;
  const Step step = one.Round(1, int64_t{1} << 30, &rounded);
  ASSERT_TRUE(step.kept);
  EXPECT_GT(step.after_db, step.before_db);
  ASSERT_NE(rounded.weights[0], nullptr);
  const lower::WeightCoder before(one.graph, one.scheme), after(one.graph, rounded);
  int moved = 0;
  for (const size_t n : {0, 1, 3}) {
    EXPECT_EQ(before.Of(n)->scales, after.Of(n)->scales);
    if (rounded.weights[n] == nullptr) continue;
    // Codes say what was chosen.
    for (size_t at = 0; at < rounded.weights[n]->values.size(); ++at) {
      EXPECT_FLOAT_EQ(after.Of(n)->weights.floats[at], rounded.weights[n]->values[at]);
    }
    moved += before.Of(n)->codes != after.Of(n)->codes ? 1 : 0;
  }
  EXPECT_GE(moved, 1);
}

TEST(RoundWeights, SameForAnyThreadCountAndMemory) {
  Case one;
  quantize::Scheme first, second;
  one.Round(1, int64_t{1} << 30, &first);
  one.Round(3, int64_t{1} << 14, &second);  // layer by layer, less than any needs
  ASSERT_EQ(first.weights.size(), one.graph.nodes.size());
  ASSERT_EQ(second.weights.size(), one.graph.nodes.size());
  for (const size_t n : {0, 1, 3}) {
    ASSERT_EQ(first.weights[n] == nullptr, second.weights[n] == nullptr) << n;
    if (first.weights[n] == nullptr) continue;
    EXPECT_EQ(first.weights[n]->values, second.weights[n]->values) << n;
  }
}

TEST(RoundWeights, LeavesFp16AndGivenLayersAlone) {
  Case one;
  one.scheme.precision[0] = blob::Precision::kFp16;
  graph::GivenByTest::Code(one.graph, one.graph.nodes[3].inputs[1], 0.01f);
  quantize::Scheme rounded;
  one.Round(1, int64_t{1} << 30, &rounded);
  if (rounded.weights.empty()) return;
  EXPECT_EQ(rounded.weights[0], nullptr);
  EXPECT_EQ(rounded.weights[3], nullptr);
}

TEST(RoundWeights, FewSamplesRoundNothing) {
  Case one;
  one.samples = simulate::SplitSamples(3, 16);
  quantize::Scheme rounded;
  EXPECT_FALSE(one.Round(1, int64_t{1} << 30, &rounded).tried);
  EXPECT_TRUE(rounded.weights.empty());
}

}  // namespace
}  // namespace octet::recover
