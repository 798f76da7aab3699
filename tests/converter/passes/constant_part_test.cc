// Constant parts of outputs: where they end, and that the graph keeps its meaning.
#include "converter/passes/constant_part.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "converter/executor/executor.h"
#include "converter/operators/operator.h"
#include "converter/operators/output_view.h"
#include "tests/converter/graph/given_by_test.h"
#include "tests/converter/passes/net.h"

namespace octet::passes::testing {
namespace {

std::vector<Tensor> OutputsOf(const Graph& graph) {
  executor::Executor executor(graph);
  return executor.Run(RandomInputs(graph, 3, -1, 1));
}

// Takes `number` out of every group of the only source (or that of `value`), and expects the same
// outputs. Returns what they are put together from.
operators::OutputView Take(Net& net, float number, ValueId value = kNoValue) {
  operators::InferShapes(net.graph);
  const std::vector<Tensor> before = OutputsOf(net.graph);
  std::vector<ConstantSource> sources = FindConstantSources(net.graph);
  if (value != kNoValue) {
    std::erase_if(sources, [value](const auto& source) { return source.value != value; });
  }
  EXPECT_EQ(sources.size(), 1u);
  if (sources.size() != 1) return {};
  const std::vector<float> part(static_cast<size_t>(graph::ElementCount(sources[0].groups)),
                                number);
  TakeConstant(net.graph, sources[0], part);
  operators::InferShapes(net.graph);
  graph::Check(net.graph, "test");
  EXPECT_LT(RelativeDifference(before, OutputsOf(net.graph)), 1e-5);
  return operators::ViewOutputs(net.graph);
}

std::vector<float> Same(size_t count, float number) {
  return std::vector<float>(count, number);
}

ValueId Matrix(Net& net, ValueId x, int64_t in, int64_t out, float bias) {
  return net.Op("Gemm", {x, net.Random({out, in}), net.Floats({out}, Same(size_t(out), bias))},
                {{"transB", int64_t{1}}});
}

const Attributes kSamePadding = {{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}};
const Attributes kWindow = {{"kernel_shape", Ints{3, 3}}};

TEST(ConstantPart, OfABiasIsAnOffset) {
  Net net;
  net.Output(Matrix(net, net.Input({2, 5}), 5, 3, 1000));
  const operators::OutputView view = Take(net, 1000);
  EXPECT_EQ(net.Ops(), "Gemm Add");
  EXPECT_EQ(view.needed, (std::vector<bool>{true, false}));
  EXPECT_EQ(view.offsets[0], Same(6, 1000));
  EXPECT_EQ(net.graph.Constant(net.graph.nodes[0].inputs[2])->floats, Same(3, 0));
}

TEST(ConstantPart, OfAnAddLeavesNoLayer) {
  Net net;
  const ValueId x = net.Op(
      "Relu", {net.Op("Conv", {net.Input({1, 2, 5, 5}), net.Random({4, 2, 3, 3})}, kWindow)});
  net.Output(net.Op("Add", {x, net.Floats({4, 1, 1}, {1, 20, -300, 4000})}));
  operators::InferShapes(net.graph);
  // The layer in front of the Relu has one number for all of its channels.
  auto sources = FindConstantSources(net.graph);
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_EQ(sources[0].groups, (Shape{1, 1, 1, 1}));
  sources.erase(sources.begin());
  EXPECT_EQ(sources[0].groups, (Shape{1, 4, 1, 1}));
  EXPECT_EQ(sources[0].own, (std::vector<float>{1, 20, -300, 4000}));
  const std::vector<Tensor> before = OutputsOf(net.graph);
  TakeConstant(net.graph, sources[0], sources[0].own);
  operators::InferShapes(net.graph);
  EXPECT_EQ(net.Ops(), "Conv Relu Add");
  EXPECT_EQ(RelativeDifference(before, OutputsOf(net.graph)), 0);
  const operators::OutputView view = operators::ViewOutputs(net.graph);
  EXPECT_EQ(view.needed, (std::vector<bool>{true, true, false}));
  EXPECT_EQ(view.offsets[0][9], 20);
}

TEST(ConstantPart, OfASubHasItsSign) {
  for (const bool first : {false, true}) {
    Net net;
    const ValueId x = net.Op("Relu", {net.Input({1, 4})}), c = net.Scalar(700);
    net.Output(first ? net.Op("Sub", {c, x}) : net.Op("Sub", {x, c}));
    operators::InferShapes(net.graph);
    EXPECT_EQ(FindConstantSources(net.graph)[0].own[0], first ? 700 : -700);
    const operators::OutputView view = Take(net, first ? 700.0f : -700.0f);
    EXPECT_EQ(net.Ops(), first ? "Relu Sub Add" : "Relu Add");
    EXPECT_EQ(view.offsets[0], Same(4, first ? 700.0f : -700.0f));
  }
}

TEST(ConstantPart, OfAFunctionsResultIsPartOfTheFunction) {
  for (const char* op : {"Sigmoid", "Softplus", "Tanh", "Exp"}) {
    Net net;
    const ValueId y = net.Op(op, {net.Input({1, 6})});
    net.Output(net.Op("Mul", {y, net.Scalar(2)}));
    const operators::OutputView view = Take(net, 0.75f, y);
    EXPECT_EQ(net.Ops(), "OffsetFunction Mul Add") << op;
    EXPECT_EQ(view.offsets[0], Same(6, 1.5f)) << op;
  }
}

TEST(ConstantPart, EndsInTheArgumentOfAFunction) {
  Net net;
  const ValueId x = Matrix(net, net.Input({2, 5}), 5, 3, 100);
  net.Output(net.Op("Mul", {net.Op("Sqrt", {x}), net.Scalar(2)}));
  const ValueId power = net.Op("Pow", {x, net.Scalar(1.5f)});
  net.Output(net.Op("Mul", {power, net.Scalar(2)}));
  net.Output(net.Op("Mul", {net.Op("Div", {net.Scalar(7), x}), net.Scalar(2)}));
  net.Output(net.Op("Softmax", {x}, {{"axis", int64_t{-1}}}));
  const operators::OutputView view = Take(net, 100, x);
  EXPECT_EQ(net.Ops(), "Gemm OffsetFunction Mul OffsetFunction Mul OffsetFunction Mul Softmax");
  for (const auto& offsets : view.offsets) EXPECT_TRUE(offsets.empty());
}

// It is done in float there, on the value as it is.
TEST(ConstantPart, IsNoneOfAFunctionInFrontOfAnOutput) {
  Net net;
  net.Output(net.Op("Sigmoid", {net.Op("Abs", {net.Input({1, 4})})}));
  operators::InferShapes(net.graph);
  for (const ConstantSource& source : FindConstantSources(net.graph)) {
    EXPECT_NE(source.value, net.graph.outputs[0]);
  }
}

TEST(ConstantPart, PassesWhatMovesAndWhatIsLinear) {
  Net net;
  const ValueId x = net.Op(
      "Conv",
      {net.Input({1, 2, 6, 6}), net.Random({4, 2, 3, 3}), net.Floats({4}, {100, 200, 300, 400})},
      kWindow);
  const ValueId pooled =
      net.Op("MaxPool", {x},
             {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}});
  const ValueId turned = net.Op("Transpose", {pooled}, {{"perm", Ints{0, 2, 3, 1}}});
  const ValueId scaled = net.Op("Mul", {turned, net.Floats({4}, {1, -2, 3, 0.5f})});
  net.Output(
      net.Op("Slice", {scaled, net.Integers({0, 1}), net.Integers({2, 3}), net.Integers({1, 3})}));
  net.Output(net.Op("GlobalAveragePool", {x}));
  const operators::OutputView view = Take(net, 50, x);
  EXPECT_EQ(net.Ops(), "Conv MaxPool Transpose Mul Slice Add GlobalAveragePool Add");
  EXPECT_EQ(view.offsets[0][0], -100);
  EXPECT_EQ(view.offsets[0][1], 150);
  EXPECT_EQ(view.offsets[1], Same(4, 50));
}

// Each branch keeps its own constant.
TEST(ConstantPart, OfOneBranchOfAConcat) {
  Net net;
  const ValueId x = net.Input({2, 5});
  const ValueId big = Matrix(net, x, 5, 2, 1000), small = net.Op("Tanh", {x});
  net.Output(net.Op("Concat", {small, big}, {{"axis", int64_t{1}}}));
  const operators::OutputView view = Take(net, 1000);
  ASSERT_EQ(view.outputs[0].size(), 2u);
  EXPECT_EQ(view.outputs[0][0].function, "Tanh");
  EXPECT_EQ(view.offsets[0],
            (std::vector<float>{0, 0, 0, 0, 0, 1000, 1000, 0, 0, 0, 0, 0, 1000, 1000}));
}

// An output of bias 500.
ValueId BigConv(Net& net) {
  const ValueId y = net.Op(
      "Conv", {net.Input({1, 2, 6, 6}), net.Random({4, 2, 3, 3}), net.Floats({4}, Same(4, 500))},
      kWindow);
  net.Output(y);
  return y;
}

TEST(ConstantPart, EndsInTheNextBias) {
  Net net;
  const ValueId y = BigConv(net);
  net.Output(net.Op("Sigmoid", {net.Op("Conv", {y, net.Random({3, 4, 1, 1}, -0.001f, 0.001f)},
                                       {{"kernel_shape", Ints{1, 1}}})}));
  Take(net, 500, y);
  EXPECT_EQ(net.Ops(), "Conv Add Conv Sigmoid");
}

// Zeros around the picture make another number at its border of the constant: it is added behind
// that layer. The reader that is not linear gets the sum in front of it.
TEST(ConstantPart, ReadersThatTakeItNoFurther) {
  Net net;
  const ValueId y = BigConv(net);
  net.Output(net.Op(
      "Sigmoid", {net.Op("Conv", {y, net.Random({3, 4, 3, 3}, -0.001f, 0.001f)}, kSamePadding)}));
  net.Output(net.Op("Mul", {y, y}));
  const operators::OutputView view = Take(net, 500, y);
  EXPECT_EQ(view.offsets[0], Same(64, 500));
  EXPECT_TRUE(view.offsets[1].empty());
  EXPECT_TRUE(view.offsets[2].empty());
  int computed = 0;
  for (size_t n = 0; n < net.graph.nodes.size(); ++n) {
    if (net.graph.nodes[n].op == "Add" && view.needed[n]) ++computed;
  }
  EXPECT_EQ(computed, 2);
}

// A value that reaches an output on two ways.
TEST(ConstantPart, OnTwoWaysAtOnce) {
  Net net;
  const ValueId y = Matrix(net, net.Input({2, 5}), 5, 3, 40);
  const ValueId scaled = net.Op("Mul", {y, net.Scalar(3)});
  net.Output(net.Op("Sub", {scaled, y}));
  net.Output(net.Op("Add", {y, y}));
  const operators::OutputView view = Take(net, 40);
  EXPECT_EQ(view.offsets[0], Same(6, 80));
  EXPECT_EQ(view.offsets[1], Same(6, 80));
}

TEST(ConstantPart, BoundsOfAClampMove) {
  for (const std::string activation : {"Relu", "Clip"}) {
    Net net;
    net.Output(Matrix(net, net.Input({2, 5}), 5, 3, 1000));
    net.graph.nodes[0].activation = activation;
    net.graph.nodes[0].alpha = activation == "Clip" ? 999.5f : 0;
    net.graph.nodes[0].beta = activation == "Clip" ? 1000.5f : 0;
    Take(net, 1000);
    const Node& layer = net.graph.nodes[0];
    EXPECT_EQ(layer.activation, "Clip");
    EXPECT_EQ(layer.alpha, activation == "Clip" ? -0.5f : -1000.0f);
    EXPECT_EQ(layer.beta, activation == "Clip" ? 0.5f : std::numeric_limits<float>::max());
  }
}

TEST(ConstantPart, BoundsOfNodesMove) {
  Net net;
  const ValueId y = Matrix(net, net.Input({2, 4}), 4, 4, 1000);
  const ValueId rows = net.Op("Reshape", {y, net.Integers({4, 2})});
  net.Output(net.Op("Clip", {rows, net.Scalar(999.5f), net.Scalar(1000.5f)}));
  net.Output(net.Op("Relu", {rows}));
  net.Output(net.Op("Max", {net.Floats({2}, {1000, 1000.25f}), rows}));
  const operators::OutputView view = Take(net, 1000);
  for (size_t o = 0; o < 3; ++o) EXPECT_EQ(view.offsets[o], Same(8, 1000)) << o;
  EXPECT_EQ(net.Ops(), "Gemm Reshape Clip Add Clip Add Max Add");
}

// What an Add takes away again is nothing to be added.
TEST(ConstantPart, ThatIsTakenAwayInside) {
  Net net;
  const ValueId y = Matrix(net, net.Input({2, 5}), 5, 3, 300);
  net.Output(y);
  net.Output(net.Op("Sigmoid", {net.Op("Sub", {y, net.Scalar(300)})}));
  const operators::OutputView view = Take(net, 300, y);
  EXPECT_EQ(net.Ops(), "Gemm Add Sigmoid");
  EXPECT_EQ(view.offsets[0], Same(6, 300));
}

TEST(ConstantPart, TwiceIsOneOffset) {
  Net net;
  const ValueId y = Matrix(net, net.Input({2, 5}), 5, 3, 1000);
  net.Output(net.Op("Reshape", {y, net.Integers({3, 2})}));
  Take(net, 700);
  const operators::OutputView view = Take(net, 300);
  EXPECT_EQ(net.Ops(), "Gemm Reshape Add");
  EXPECT_EQ(view.offsets[0], Same(6, 1000));
}

// Where an element is, is no constant part of it: anchors and grids stay.
TEST(ConstantPart, OfTheBiasOfANormalization) {
  Net net;
  net.Output(net.Op("LayerNormalization",
                    {net.Input({2, 5}), net.Random({5}), net.Random({5}, 99, 101)},
                    {{"axis", int64_t{-1}}}));
  EXPECT_EQ(Take(net, 100).offsets[0], Same(10, 100));
  Net picture;
  picture.Output(
      picture.Op("InstanceNormalization",
                 {picture.Input({1, 2, 3, 3}), picture.Random({2}), picture.Random({2}, 9, 10)}));
  EXPECT_EQ(Take(picture, 8).offsets[0], Same(18, 8));
  EXPECT_EQ(picture.Ops(), "InstanceNormalization Add");
}

TEST(ConstantPart, NothingOfAGrid) {
  Net net;
  const ValueId x = net.Op(
      "Relu", {net.Op("Conv", {net.Input({1, 2, 5, 5}), net.Random({4, 2, 3, 3})}, kWindow)});
  const ValueId rows = net.Op("Reshape", {x, net.Integers({1, 4, 9})});
  const ValueId boxes = net.Op("Transpose", {rows}, {{"perm", Ints{0, 2, 1}}});
  net.Output(net.Op("Add", {x, net.Random({1, 1, 3, 3}, 100, 200)}));
  net.Output(net.Op("Add", {rows, net.Random({1, 1, 9}, 100, 200)}));
  net.Output(net.Op("Sub", {net.Random({9, 4}, 100, 200), boxes}));
  const ValueId by_channel = net.Op("Add", {boxes, net.Random({4}, 100, 200)});
  net.Output(by_channel);
  const ValueId by_point = net.Op(
      "Add",
      {net.Op("Reshape", {Matrix(net, net.Input({1, 5}, "f"), 5, 6, 0), net.Integers({1, 3, 2})}),
       net.Random({1, 3, 2}, 100, 200)});
  net.Output(by_point);
  operators::InferShapes(net.graph);
  std::vector<ValueId> found;
  for (const ConstantSource& source : FindConstantSources(net.graph)) {
    if (!source.own.empty()) found.push_back(source.value);
  }
  EXPECT_EQ(found, (std::vector<ValueId>{by_channel, by_point}));
}

TEST(ConstantPart, NothingBehindAFunction) {
  Net net;
  net.Output(net.Op("Sigmoid", {Matrix(net, net.Input({2, 5}), 5, 3, 8)}));
  operators::InferShapes(net.graph);
  EXPECT_TRUE(FindConstantSources(net.graph).empty());
}

// A mean, or the largest of all, has no constant of its own: it is taken out of the elements.
TEST(ConstantPart, OfMeansIsTakenOutOfTheirElements) {
  const std::pair<const char*, Attributes> means[] = {
      {"GlobalAveragePool", {}},
      {"ReduceMean", {}},
      {"ReduceSum", {}},
      {"AveragePool", {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}}},
      {"MaxPool", {{"kernel_shape", Ints{4, 4}}}}};
  for (const auto& [op, attributes] : means) {
    SCOPED_TRACE(op);
    Net net;
    const ValueId x = net.Op("Sigmoid", {net.Input({1, 3, 4, 4})});
    const bool axes = std::string(op).starts_with("Reduce");
    std::vector<ValueId> inputs = {x};
    if (axes) inputs.push_back(net.Integers({1, 3}));
    const ValueId mean = net.Op(op, inputs, attributes);
    net.Output(mean);
    net.Output(net.Op("Exp", {x}));
    const operators::OutputView view = Take(net, 2, mean);
    EXPECT_EQ(net.Ops(), std::string("Sigmoid Add ") + op + " Add Exp");
    EXPECT_EQ(view.offsets[0], Same(view.offsets[0].size(), 2));
    const Tensor& taken = *net.graph.Constant(net.graph.nodes[1].inputs[1]);
    EXPECT_EQ(taken.floats, Same(1, std::string(op) == "ReduceSum" ? -2.0f / 12 : -2.0f));
  }
}

// Neighbouring windows have what they share, and vary as the elements do.
TEST(ConstantPart, TheLargestOfAWindowIsNoSource) {
  Net net;
  const ValueId x = net.Op("Relu", {net.Input({1, 3, 4, 4})});
  net.Output(net.Op("MaxPool", {x}, {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}}));
  operators::InferShapes(net.graph);
  EXPECT_TRUE(FindConstantSources(net.graph).empty());
}

TEST(ConstantPart, OfAMeanIsTakenOutOfTheFunctionInFrontOfIt) {
  Net net;
  const ValueId mean = net.Op("GlobalAveragePool", {net.Op("Sigmoid", {net.Input({1, 3, 4, 4})})});
  net.Output(mean);
  EXPECT_EQ(Take(net, 2, mean).offsets[0], Same(3, 2));
  EXPECT_EQ(net.Ops(), "OffsetFunction GlobalAveragePool Add");
}

TEST(ConstantPart, OfAMeanIsTakenOutOfTheConstantInFrontOfIt) {
  Net net;
  const ValueId x = net.Op(
      "Conv", {net.Input({1, 2, 6, 6}), net.Random({4, 2, 3, 3}), net.Floats({4}, Same(4, 0))},
      kWindow);
  const ValueId mean = net.Op("ReduceMean", {x, net.Integers({2, 3})});
  net.Output(mean);
  Take(net, 5, mean);
  EXPECT_EQ(net.Ops(), "Conv ReduceMean Add");
  EXPECT_EQ(net.graph.Constant(net.graph.nodes[0].inputs[2])->floats, Same(4, -5));

  Net sum;
  const ValueId y = sum.Op("Add", {sum.Op("Sigmoid", {sum.Input({1, 2, 6, 6})}), sum.Scalar(3)});
  const ValueId rows = sum.Op("ReduceMean", {y, sum.Integers({2})});
  const ValueId all = sum.Op("ReduceMean", {rows, sum.Integers({3})});
  sum.Output(all);
  Take(sum, 4, all);
  EXPECT_EQ(sum.Ops(), "Sigmoid Add ReduceMean ReduceMean Add");
  EXPECT_EQ(sum.graph.Constant(sum.graph.nodes[1].inputs[1])->floats, Same(1, -1));
}

// Zeros around the picture count: one constant for all elements gives another number at the border.
TEST(ConstantPart, NothingOfAMeanWithZerosAroundThePicture) {
  Net net;
  const ValueId x = net.Op("Sigmoid", {net.Input({1, 3, 4, 4})});
  net.Output(net.Op("AveragePool", {x},
                    {{"kernel_shape", Ints{3, 3}},
                     {"pads", Ints{1, 1, 1, 1}},
                     {"count_include_pad", int64_t{1}}}));
  // The function's own constant is another number at the border behind the mean.
  const operators::OutputView view = Take(net, 0.5f, x);
  EXPECT_EQ(net.Ops(), "OffsetFunction AveragePool Add");
  EXPECT_FLOAT_EQ(view.offsets[0][0], 0.5f * 4 / 9);
  EXPECT_FLOAT_EQ(view.offsets[0][1], 0.5f * 6 / 9);
  operators::InferShapes(net.graph);
  for (const ConstantSource& source : FindConstantSources(net.graph)) {
    EXPECT_NE(net.graph.At(source.value).name, net.graph.At(net.graph.outputs[0]).name);
  }
}

TEST(ConstantPart, NothingThatIsRoundedToCodes) {
  Net net;
  const ValueId y = Matrix(net, net.Input({2, 5}), 5, 3, 8);
  net.Output(net.Op("Reshape", {y, net.Integers({6})}));
  operators::InferShapes(net.graph);
  graph::GivenByTest::Give(net.graph, y, graph::Given{0.5f, 0});
  EXPECT_TRUE(FindConstantSources(net.graph).empty());
}

TEST(ConstantPart, GoesThroughAChainOfAnyLength) {
  constexpr int kLength = 20000;
  Net net;
  ValueId x = Matrix(net, net.Input({2, 3}), 3, 3, 1000);
  for (int i = 0; i < kLength; ++i) x = net.Op("Transpose", {x}, {{"perm", Ints{1, 0}}});
  net.Output(x);
  Take(net, 1000);
  EXPECT_EQ(net.graph.nodes.size(), kLength + 2u);
  EXPECT_EQ(net.graph.nodes.back().op, "Add");
}

}  // namespace
}  // namespace octet::passes::testing
