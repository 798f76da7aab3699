#include "converter/passes/equalize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "converter/executor/executor.h"
#include "converter/operators/operator.h"
#include "converter/passes/passes.h"
#include "tests/converter/passes/net.h"

namespace octet::passes::testing {
namespace {

bool All(size_t) {
  return true;
}
bool None(size_t) {
  return false;
}

// Weights of random size, times `spread`^u for u in [-1, 1] by output or input channel.
ValueId Spread(Net& net, const Shape& shape, double spread, bool by_input, unsigned seed) {
  std::vector<float> values = net.graph.Constant(net.Random(shape))->floats;
  const size_t taps = static_cast<size_t>(graph::ElementCount(shape) / (shape[0] * shape[1]));
  std::mt19937 random(seed);
  std::vector<double> factors(static_cast<size_t>(by_input ? shape[1] : shape[0]));
  for (double& f : factors) f = std::pow(spread, static_cast<double>(random() % 2001) / 1000 - 1);
  for (size_t at = 0; at < values.size(); ++at) {
    const size_t row = at / taps / static_cast<size_t>(shape[1]);
    const size_t column = at / taps % static_cast<size_t>(shape[1]);
    values[at] = static_cast<float>(values[at] * (by_input ? 1 / factors[column] : factors[row]));
  }
  return net.Floats(shape, values);
}

// By output channel.
std::vector<float> RangesOf(const Graph& graph, size_t node) {
  const Tensor& weights = *graph.Constant(graph.nodes[node].inputs[1]);
  std::vector<float> ranges(static_cast<size_t>(weights.shape[0]), 0);
  const size_t depth = weights.floats.size() / ranges.size();
  for (size_t at = 0; at < weights.floats.size(); ++at) {
    ranges[at / depth] = std::max(ranges[at / depth], std::fabs(weights.floats[at]));
  }
  return ranges;
}
double SpreadOf(const Graph& graph, size_t node) {
  const std::vector<float> ranges = RangesOf(graph, node);
  const auto [low, high] = std::minmax_element(ranges.begin(), ranges.end());
  return static_cast<double>(*high / *low);
}

int Equalize(Net& net, bool (*wants)(size_t), bool others) {
  Canonicalise(net.graph, nullptr);
  const std::vector<Tensor> inputs = RandomInputs(net.graph, 3, -2, 2);
  const std::vector<Tensor> before = executor::Executor(net.graph).Run(inputs);
  const int equalized = EqualizeLayers(net.graph, wants, others);
  EXPECT_LT(RelativeDifference(before, executor::Executor(net.graph).Run(inputs)), 1e-5);
  return equalized;
}

// conv -> depthwise -> relu -> residual sum -> bounds by channel -> mean -> matrix.
Net Chain(double spread) {
  Net net;
  const ValueId x = net.Input({1, 3, 6, 6});
  const ValueId a = net.Op(
      "Relu", {net.Op("Conv", {x, Spread(net, {8, 3, 1, 1}, spread, false, 1), net.Random({8})})});
  const ValueId d =
      net.Op("LeakyRelu", {net.Op("Conv", {a, Spread(net, {8, 1, 3, 3}, spread, false, 2)},
                                  {{"group", int64_t{8}}, {"pads", Ints{1, 1, 1, 1}}})});
  const ValueId e =
      net.Op("Conv", {d, Spread(net, {8, 8, 1, 1}, spread, false, 4), net.Random({8})});
  const ValueId sum = net.Op("Add", {d, e});
  const ValueId bounded = net.Op("Min", {sum, net.Random({1, 8, 1, 1}, 0.5f, 1)});
  const ValueId mean = net.Op("GlobalAveragePool", {bounded});
  net.Output(net.Op("Gemm", {net.Op("Flatten", {mean}), net.Random({5, 8}), net.Random({5})},
                    {{"transB", int64_t{1}}}));
  return net;
}

TEST(EqualizeLayers, KeepsWhatIsComputed) {
  Net net = Chain(10);
  EXPECT_EQ(Equalize(net, All, false), 2) << "what the convolution writes, and all from there on";
}

TEST(EqualizeLayers, EvensOut) {
  Net net;
  const ValueId x = net.Input({1, 4, 4, 4});
  const ValueId a = net.Op("Relu", {net.Op("Conv", {x, Spread(net, {16, 4, 1, 1}, 10, false, 5)})});
  net.Output(net.Op("Conv", {a, Spread(net, {6, 16, 1, 1}, 10, true, 5)}));
  Canonicalise(net.graph, nullptr);
  EXPECT_GT(SpreadOf(net.graph, 0), 20);
  EXPECT_EQ(Equalize(net, None, true), 1) << "it gains by itself";
  EXPECT_LT(SpreadOf(net.graph, 0), 4);
  EXPECT_EQ(Equalize(net, None, true), 0) << "once";
}

TEST(EqualizeLayers, LeavesNetworksAsTheyAreTrained) {
  Net net = Chain(1.5);
  EXPECT_EQ(Equalize(net, None, true), 0);
  EXPECT_EQ(Equalize(net, None, false), 0);
}

TEST(EqualizeLayers, OneRangeForAllChannelsStops) {
  for (const char* op : {"Clip", "Sigmoid", "Softmax"}) {
    Net net;
    const ValueId x = net.Input({1, 4, 4, 4});
    const ValueId a = net.Op("Conv", {x, Spread(net, {16, 4, 1, 1}, 10, false, 5)});
    const ValueId b =
        std::string(op) == "Clip" ? net.Op(op, {a, net.Scalar(0), net.Scalar(6)}) : net.Op(op, {a});
    net.Output(net.Op("Conv", {b, Spread(net, {6, 16, 1, 1}, 10, true, 5)}));
    EXPECT_EQ(Equalize(net, All, true), 0) << op;
  }
}

TEST(EqualizeLayers, CodesOfBoundsStay) {
  for (const bool coded : {false, true}) {
    Net net;
    const ValueId x = net.Input({1, 4, 4, 4});
    const ValueId a = net.Op("Conv", {x, Spread(net, {16, 4, 1, 1}, 10, false, 5)});
    ValueId bounds = net.Random({1, 16, 1, 1}, 0.5f, 1);
    if (coded) {
      Ints codes(16);
      std::iota(codes.begin(), codes.end(), int64_t{4});
      const auto int8 = [&net](const char* name, const Shape& shape, Ints values) {
        return net.graph.AddConstant(
            name, Tensor::Integers(shape, std::move(values), graph::DataType::kInt8));
      };
      bounds = net.Op("DequantizeLinear", {int8("codes", {1, 16, 1, 1}, codes),
                                           net.Scalar(0.03125f), int8("zero", {}, {0})});
    }
    const ValueId b = net.Op("Max", {a, bounds});
    net.Output(net.Op("Conv", {b, Spread(net, {6, 16, 1, 1}, 10, true, 5)}));
    EXPECT_EQ(Equalize(net, All, true), coded ? 0 : 1);
  }
}

TEST(EqualizeLayers, OutputsStay) {
  Net net;
  const ValueId x = net.Input({1, 4, 4, 4});
  const ValueId a = net.Op("Conv", {x, Spread(net, {16, 4, 1, 1}, 10, false, 5)});
  net.Output(net.Op("Conv", {a, Spread(net, {6, 16, 1, 1}, 10, true, 5)}));
  net.Output(a);
  EXPECT_EQ(Equalize(net, All, true), 0);
}

TEST(EqualizeLayers, DeadChannelsStay) {
  Net net;
  const ValueId x = net.Input({1, 1, 2, 2});
  const ValueId a = net.Op("Conv", {x, net.Floats({3, 1, 1, 1}, {0, 1, 100})});
  net.Output(net.Op("Conv", {a, net.Floats({1, 3, 1, 1}, {1, 1, 0.01f})}));
  operators::InferShapes(net.graph);  // alone: a pass removes such channels
  EXPECT_EQ(EqualizeLayers(net.graph, All, false), 1);
  const std::vector<float> ranges = RangesOf(net.graph, 0);
  EXPECT_EQ(ranges[0], 0);
  EXPECT_NEAR(ranges[2] / ranges[1], 1, 0.01) << "both sides meet in the middle";
}

}  // namespace
}  // namespace octet::passes::testing
