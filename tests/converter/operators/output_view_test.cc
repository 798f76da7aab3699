// What an output may be put together from.
#include "converter/operators/output_view.h"

#include <optional>

#include "tests/converter/graph/given_by_test.h"
#include "tests/converter/operators/operator_support.h"

namespace octet::operators {
namespace {

std::optional<graph::Given> Scheme(float scale) {
  return graph::Given{scale, 0};
}

// Sigmoid, where asked for, of a Concat of two inputs in steps of 0.5.
OutputView Joined(std::optional<graph::Given> result, bool function) {
  graph::Graph graph;
  const auto value = [&](const char* name, std::optional<graph::Given> given) {
    graph::Value v;
    v.name = name;
    v.shape = Shape{1, 2};
    const graph::ValueId id = graph.AddValue(std::move(v));
    if (given) graph::GivenByTest::Give(graph, id, *given);
    return id;
  };
  const auto node = [&](const char* op, std::vector<graph::ValueId> inputs, graph::ValueId result) {
    graph::Node n;
    n.name = n.op = op;
    n.inputs = std::move(inputs);
    n.outputs = {result};
    n.attributes["axis"] = int64_t{1};
    graph.nodes.push_back(std::move(n));
  };
  graph.inputs = {value("a", Scheme(0.5f)), value("b", Scheme(0.5f))};
  const graph::ValueId joined = value("joined", result);
  graph.At(joined).shape = Shape{1, 4};
  node("Concat", graph.inputs, joined);
  graph.outputs = {joined};
  if (function) {
    const graph::ValueId y = value("y", Scheme(1.0f / 256));
    graph.At(y).shape = Shape{1, 4};
    node("Sigmoid", {joined}, y);
    graph.outputs = {y};
  }
  return ViewOutputs(graph);
}

TEST(OutputView, AFunctionReadsTheStepsOfAJoinedValue) {
  EXPECT_EQ(Joined(std::nullopt, true).outputs[0].size(), 2u);
  EXPECT_EQ(Joined(Scheme(0.5f), true).outputs[0].size(), 2u);
  const OutputView requantized = Joined(Scheme(0.25f), true);
  ASSERT_EQ(requantized.outputs[0].size(), 1u);
  EXPECT_EQ(requantized.outputs[0][0].function, "Sigmoid");
  EXPECT_TRUE(requantized.needed[0]);
  EXPECT_FALSE(requantized.needed[1]);
  // Without one the error is half of a step.
  EXPECT_EQ(Joined(Scheme(0.25f), false).outputs[0].size(), 2u);
}

// y = Transpose(Offset(Reshape(x))): what is added stands at its place of the output.
TEST(OutputView, AnOffsetIsOfTheOutputsElements) {
  graph::Graph graph;
  const auto value = [&graph](const char* name, Shape shape) {
    graph::Value v;
    v.name = name;
    v.shape = std::move(shape);
    return graph.AddValue(std::move(v));
  };
  const auto node = [&graph](const char* op, std::vector<graph::ValueId> inputs,
                             graph::ValueId result) -> graph::Node& {
    graph::Node n;
    n.name = n.op = op;
    n.inputs = std::move(inputs);
    n.outputs = {result};
    graph.nodes.push_back(std::move(n));
    return graph.nodes.back();
  };
  const graph::ValueId x = value("x", {6}), made = value("made", {6}), rows = value("rows", {2, 3});
  const graph::ValueId sum = value("sum", {2, 3}), y = value("y", {3, 2});
  const graph::ValueId shape = graph.AddConstant("shape", graph::Tensor::Integers({2}, {2, 3}));
  const graph::ValueId numbers =
      graph.AddConstant("numbers", graph::Tensor::Floats({1, 3}, {10, 20, 30}));
  graph.inputs = {x};
  node("Relu", {x}, made);
  node("Reshape", {made, shape}, rows);
  node("Add", {rows, numbers}, sum);
  node("Transpose", {sum}, y);
  graph.outputs = {y};
  EXPECT_EQ(ViewOutputs(graph).outputs[0][0].value, sum) << "an Add like any other";
  graph.nodes[2].attributes[kIsOutputOffset] = int64_t{1};
  OutputView view = ViewOutputs(graph);
  ASSERT_EQ(view.outputs[0].size(), 1u);
  EXPECT_EQ(view.outputs[0][0].value, rows);
  EXPECT_EQ(view.outputs[0][0].strides, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(view.needed, (std::vector<bool>{true, true, false, false}));
  EXPECT_EQ(view.offsets[0], (std::vector<float>{10, 10, 20, 20, 30, 30}));
  // Whoever reads the sum inside needs it computed.
  graph.outputs.push_back(value("z", {2, 3}));
  node("Exp", {sum}, graph.outputs[1]);
  view = ViewOutputs(graph);
  EXPECT_TRUE(view.needed[2]);
  EXPECT_TRUE(view.offsets[0].empty());
}

// As deep as a file can make it.
TEST(OutputView, ChainOfAnyLength) {
  constexpr int kLength = 200000;
  graph::Graph graph;
  graph::ValueId last = graph::kNoValue;
  for (int i = 0; i <= kLength; ++i) {
    graph::Value value;
    value.shape = Shape{2, 3};
    const graph::ValueId id = graph.AddValue(std::move(value));
    if (i == 0) {
      graph.inputs = {id};
    } else {
      graph::Node node;
      node.op = "Transpose";
      node.attributes["perm"] = std::vector<int64_t>{0, 1};
      node.inputs = {last};
      node.outputs = {id};
      graph.nodes.push_back(std::move(node));
    }
    last = id;
  }
  graph.outputs = {last};
  const OutputView view = ViewOutputs(graph);
  ASSERT_EQ(view.outputs[0].size(), 1u);
  EXPECT_EQ(view.outputs[0][0].value, graph.inputs[0]);
}

}  // namespace
}  // namespace octet::operators
