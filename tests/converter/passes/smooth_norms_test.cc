#include "converter/passes/late_passes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "converter/executor/executor.h"
#include "converter/operators/operator.h"
#include "converter/passes/equalize.h"
#include "converter/passes/passes.h"
#include "tests/converter/passes/net.h"

namespace octet::passes::testing {
namespace {

constexpr int64_t kRows = 5, kChannels = 12;

bool All(size_t) {
  return true;
}
bool None(size_t) {
  return false;
}

// Channel 3 has `outlier` times the size of the others behind the normalization, and weights that
// are as much smaller.
struct Parts {
  ValueId scale, bias;
};
Parts Parameters(Net& net, float outlier) {
  std::vector<float> scale(kChannels, 1), bias(kChannels, 0.25f);
  for (size_t c = 0; c < scale.size(); ++c) scale[c] += 0.02f * static_cast<float>(c);
  scale[3] *= outlier;
  bias[3] *= outlier;
  return {net.Floats({kChannels}, scale), net.Floats({kChannels}, bias)};
}
ValueId Weights(Net& net, int64_t outputs, float outlier) {
  std::vector<float> values = net.graph.Constant(net.Random({kChannels, outputs}))->floats;
  for (int64_t o = 0; o < outputs; ++o) {
    values[static_cast<size_t>(3 * outputs + o)] /= outlier;
  }
  return net.Floats({kChannels, outputs}, values);
}

ValueId Normalized(Net& net, float outlier, const Shape& shape = {1, kRows, kChannels}) {
  const Parts parts = Parameters(net, outlier);
  return net.Op("LayerNormalization", {net.Input(shape), parts.scale, parts.bias},
                {{"axis", int64_t{-1}}});
}

const Node* Find(const Graph& graph, std::string_view op) {
  const auto at = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                               [op](const Node& node) { return node.op == op; });
  return at == graph.nodes.end() ? nullptr : &*at;
}

// The largest over the smallest scale of the normalization.
float Spread(const Graph& graph, std::string_view op = "LayerNormalization") {
  const std::vector<float>& scale = graph.Constant(Find(graph, op)->inputs[1])->floats;
  const auto [low, high] = std::minmax_element(scale.begin(), scale.end());
  return *high / *low;
}

int Smooth(Net& net, bool (*wants)(size_t), bool others) {
  Canonicalise(net.graph, nullptr);
  const std::vector<Tensor> inputs = RandomInputs(net.graph, 3, -2, 2);
  const std::vector<Tensor> before = executor::Executor(net.graph).Run(inputs);
  const int smoothed = RunLate("smooth_norms", net.graph, {wants, others});
  EXPECT_LT(RelativeDifference(before, executor::Executor(net.graph).Run(inputs)), 1e-5);
  return smoothed;
}

TEST(SmoothNorms, NotWhatIsReadAsAnotherOperand) {
  // As the right matrix of one product, beside being the left one of another.
  Net right;
  const ValueId x = Normalized(right, 40, {1, kChannels, kChannels});
  right.Output(right.Op("MatMul", {x, Weights(right, 8, 40)}));
  right.Output(right.Op("MatMul", {right.Random({4, kChannels}), x}));
  EXPECT_EQ(Smooth(right, None, true), 0);
  // Twice by one node.
  Net twice;
  const ValueId y = Normalized(twice, 40, {1, kChannels, kChannels});
  twice.Output(twice.Op("MatMul", {y, Weights(twice, 8, 40)}));
  twice.Output(twice.Op("MatMul", {y, y}));
  EXPECT_EQ(Smooth(twice, None, true), 0);
}

// Ranges of 1 and 16 before weights that are all alike: of the five exponents 3/4 has the least
// noise, so that the factors are 16^(3/8) up and down.
TEST(SmoothNorms, TheFactorsAreThoseOfTheLeastNoise) {
  Net net;
  const ValueId x = net.Op("RMSNormalization", {net.Input({3, 2}), net.Floats({2}, {1, 16})});
  net.Output(net.Op("MatMul", {x, net.Floats({2, 1}, {1, -1})}));
  ASSERT_EQ(Smooth(net, All, false), 1);
  const std::vector<float>& scale =
      net.graph.Constant(Find(net.graph, "RMSNormalization")->inputs[1])->floats;
  EXPECT_NEAR(scale[0], std::pow(16, 0.375), 1e-5);
  EXPECT_NEAR(scale[1], 16 * std::pow(16, -0.375), 1e-5);
}

TEST(SmoothNorms, AnOutlierMovesIntoTheMatricesThatReadIt) {
  Net net;
  const ValueId x = Normalized(net, 40);
  for (int64_t outputs : {8, 6, 4}) net.Output(net.Op("MatMul", {x, Weights(net, outputs, 40)}));
  EXPECT_EQ(Smooth(net, None, true), 1);
  EXPECT_LT(Spread(net.graph), 10);
  EXPECT_EQ(RunLate("smooth_norms", net.graph, {None, true}), 0) << "nothing is left to gain";
}

TEST(SmoothNorms, EqualizationSmoothsToo) {
  Net net;
  net.Output(net.Op("MatMul", {Normalized(net, 40), Weights(net, 8, 40)}));
  Canonicalise(net.graph, nullptr);
  Graph copy = net.graph;
  EXPECT_EQ(EqualizeLayers(copy, None, false), 0);
  EXPECT_EQ(EqualizeLayers(net.graph, None, true), 1);
  EXPECT_LT(Spread(net.graph), 10);
}

TEST(SmoothNorms, WithoutABiasAndThroughCopies) {
  Net net;
  const Parts parts = Parameters(net, 100);
  const ValueId x = net.Op("RMSNormalization", {net.Input({2, 4, kChannels}), parts.scale});
  const ValueId moved = net.Op("Transpose", {x}, {{"perm", Ints{1, 0, 2}}});
  const ValueId rows = net.Op("Reshape", {moved, net.Integers({8, kChannels})});
  net.Output(net.Op("MatMul", {rows, Weights(net, 8, 100)}));
  EXPECT_EQ(Smooth(net, None, true), 1);
  EXPECT_LT(Spread(net.graph, "RMSNormalization"), 25);
}

TEST(SmoothNorms, AChannelOfBiasAloneCounts) {
  Net net;
  std::vector<float> scale(kChannels, 1), bias(kChannels, 0);
  bias[3] = 200;
  const ValueId x =
      net.Op("LayerNormalization", {net.Input({1, kRows, kChannels}),
                                    net.Floats({kChannels}, scale), net.Floats({kChannels}, bias)});
  net.Output(net.Op("MatMul", {x, Weights(net, 8, 200)}));
  EXPECT_EQ(Smooth(net, None, true), 1);
}

TEST(SmoothNorms, ASmallGainIsTakenOnlyWhereItIsWanted) {
  for (const float outlier : {1.0f, 1.5f}) {
    Net net;
    net.Output(net.Op("MatMul", {Normalized(net, outlier), Weights(net, 8, outlier)}));
    Net wanted = net;
    EXPECT_EQ(Smooth(net, None, true), 0) << outlier;
    EXPECT_EQ(Smooth(wanted, All, false), 1) << outlier;
  }
}

TEST(SmoothNorms, WhatElseReadsTheResultsKeepsThem) {
  Net sum;  // a residual sum behind the normalization
  ValueId x = Normalized(sum, 40);
  const ValueId y = sum.Op("MatMul", {x, Weights(sum, kChannels, 40)});
  sum.Output(sum.Op("Add", {x, y}));
  EXPECT_EQ(Smooth(sum, None, true), 0);

  Net output;
  x = Normalized(output, 40);
  output.Output(x);
  output.Output(output.Op("MatMul", {x, Weights(output, 8, 40)}));
  EXPECT_EQ(Smooth(output, None, true), 0);

  Net mixed;  // channels and rows change places: the matrix reads rows
  x = Normalized(mixed, 40, {1, kChannels, kChannels});
  const ValueId turned = mixed.Op("Transpose", {x}, {{"perm", Ints{0, 2, 1}}});
  mixed.Output(mixed.Op("MatMul", {turned, Weights(mixed, 8, 40)}));
  EXPECT_EQ(Smooth(mixed, None, true), 0);

  Net computed;  // the other operand is computed
  x = Normalized(computed, 40);
  computed.Output(computed.Op("MatMul", {x, computed.Input({1, kChannels, 8}, "w")}));
  EXPECT_EQ(Smooth(computed, None, true), 0);
}

// Of two channels one has 16 times the range of the other: both come to the mean of their
// logarithms. The other two tell nothing.
TEST(SmoothNorms, RangesBecomeAlike) {
  Net net;
  const ValueId x = net.Op("LayerNormalization",
                           {net.Input({1, kRows, 4}), net.Floats({4}, {0.6f, 9.6f, 0, 1}),
                            net.Floats({4}, {0.8f, 12.8f, 0, 0})},
                           {{"axis", int64_t{2}}});
  net.Output(
      net.Op("MatMul", {x, net.Floats({4, 3}, {4, -2, 1, 1, 0.5f, -0.5f, 3, 3, 3, 0, 0, 0})}));
  net.Output(net.Op("MatMul", {x, net.Floats({4, 1}, {8, 2, 1, 0})}));
  EXPECT_EQ(Smooth(net, All, false), 1);
  const std::vector<float>& scale =
      net.graph.Constant(Find(net.graph, "LayerNormalization")->inputs[1])->floats;
  EXPECT_NEAR(0.6f / scale[0], 0.25, 1e-6);
  EXPECT_NEAR(9.6f / scale[1], 4, 1e-5);
  EXPECT_EQ(scale[2], 0);
  EXPECT_EQ(scale[3], 1) << "nothing reads it";
}

TEST(SmoothNorms, NotWhereAParameterIsComputed) {
  Net net;
  const ValueId x = net.Op(
      "LayerNormalization",
      {net.Input({1, kRows, kChannels}), Parameters(net, 40).scale, net.Input({kChannels}, "bias")},
      {{"axis", int64_t{-1}}});
  net.Output(net.Op("MatMul", {x, Weights(net, 8, 40)}));
  EXPECT_EQ(Smooth(net, None, true), 0);
}

}  // namespace
}  // namespace octet::passes::testing
