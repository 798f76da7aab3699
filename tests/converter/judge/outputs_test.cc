// What outputs are, by the graph that makes them.
#include "converter/judge/outputs.h"

#include <gtest/gtest.h>

#include "converter/operators/operator.h"

namespace octet::judge {
namespace {

using graph::Graph;
using graph::Shape;
using graph::ValueId;

// A graph of one float input, and nodes by their operators.
class OutputsOf : public testing::Test {
 protected:
  ValueId Input(const Shape& shape) {
    graph::Value value;
    value.name = "x";
    value.shape = shape;
    graph_.inputs.push_back(graph_.AddValue(value));
    return graph_.inputs.back();
  }
  ValueId Integers(const std::vector<int64_t>& values) {
    return graph_.AddConstant(
        "k" + std::to_string(graph_.values.size()),
        graph::Tensor::Integers({static_cast<int64_t>(values.size())}, values));
  }
  std::vector<ValueId> Op(const std::string& op, const std::vector<ValueId>& inputs,
                          std::map<std::string, graph::Attribute> attributes = {},
                          size_t outputs = 1) {
    graph::Node node;
    node.op = op;
    node.name = op + std::to_string(graph_.nodes.size());
    node.inputs = inputs;
    node.attributes = std::move(attributes);
    for (size_t i = 0; i < outputs; ++i) {
      graph::Value value;
      value.name = node.name + "." + std::to_string(i);
      node.outputs.push_back(graph_.AddValue(value));
    }
    graph_.nodes.push_back(node);
    return node.outputs;
  }
  std::vector<Output> DescribeAll(const std::vector<ValueId>& ids) {
    graph_.outputs = ids;
    operators::InferShapes(graph_);
    return DescribeOutputs(graph_);
  }
  Output Describe(ValueId id) { return DescribeAll({id})[0]; }
  Graph graph_;
};

TEST_F(OutputsOf, BoxesAndScoresAreTwoPieces) {
  const ValueId x = Input({1, 2, 4});
  const ValueId boxes = Op("Exp", Op("Neg", {x}))[0], scores = Op("Sigmoid", Op("Neg", {x}))[0];
  const ValueId joined = Op("Concat", {boxes, scores}, {{"axis", int64_t{1}}})[0];
  const Output output =
      Describe(Op("Transpose", {joined}, {{"perm", std::vector<int64_t>{0, 2, 1}}})[0]);
  EXPECT_EQ(output.kind, Kind::kNumbers);
  ASSERT_EQ(output.pieces.size(), 2u);
  EXPECT_EQ(output.pieces[0].step, 0);
  EXPECT_EQ(output.pieces[1].step, 1.0 / 256);
  EXPECT_EQ(output.piece_of,
            (std::vector<uint16_t>{0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1}));
}

TEST_F(OutputsOf, ClassesBehindACast) {
  const ValueId x = Input({1, 4, 8});
  const auto classes = Op("ArgMax", {x}, {{"axis", int64_t{1}}});
  EXPECT_EQ(Describe(Op("Cast", classes, {{"to", int64_t{1}}})[0]).kind, Kind::kClasses);
}

TEST_F(OutputsOf, MasksAreMasks) {
  const ValueId x = Input({1, 4});
  const auto mask = Op("Greater", {x, x});
  EXPECT_EQ(Describe(Op("Cast", mask, {{"to", int64_t{1}}})[0]).kind, Kind::kMask);
}

TEST_F(OutputsOf, ListsAndWhatIsPickedByThem) {
  const ValueId x = Input({1, 20});
  const auto best = Op("TopK", {x, Integers({5})}, {}, 2);
  for (const ValueId id : best) {
    const Output output = Describe(id);
    EXPECT_EQ(output.kind, Kind::kRows);
    EXPECT_EQ(output.rows, 5);
    EXPECT_EQ(output.columns, 1);
    EXPECT_EQ(output.pieces[0].exact, id == best[1]);
  }
  EXPECT_EQ(Describe(Op("Neg", {x})[0]).kind, Kind::kNumbers);
}

// A decoder of queries: 4 of 20 places are selected, then the 6 best of 4 x 3 scores. Boxes are
// those of 6 rows, whose queries 4 are.
TEST_F(OutputsOf, WhatTheLastSelectionPicksIsOneList) {
  const ValueId places = Input({1, 20}), boxes = Input({1, 20, 4}), classes = Input({1, 20, 3});
  const auto pick = [&](ValueId data, ValueId indices, int64_t rows, int64_t columns) {
    const auto column = Op("Unsqueeze", {indices, Integers({2})});
    const auto tiled = Op("Tile", {column[0], Integers({1, 1, columns})});
    const ValueId id = Op("GatherElements", {data, tiled[0]}, {{"axis", int64_t{1}}})[0];
    operators::InferShapes(graph_);
    EXPECT_EQ(*graph_.At(id).shape, (Shape{1, rows, columns}));
    return id;
  };
  const auto queries = Op("TopK", {places, Integers({4})}, {}, 2);
  const ValueId box = pick(boxes, queries[1], 4, 4), score = pick(classes, queries[1], 4, 3);
  const auto best =
      Op("TopK", {Op("Flatten", {Op("Sigmoid", {score})[0]})[0], Integers({6})}, {}, 2);
  const ValueId query = Op("Div", {best[1], Integers({3})})[0];
  const ValueId labels = Op("Mod", {best[1], Integers({3})})[0];
  const ValueId finished = pick(box, query, 6, 4);
  const std::vector<Output> outputs = DescribeAll({labels, finished, best[0], box});
  for (const size_t o : {0u, 1u, 2u}) {
    EXPECT_EQ(outputs[o].kind, Kind::kRows);
    EXPECT_EQ(outputs[o].rows, 6);
    EXPECT_EQ(outputs[o].list, 0u);
    EXPECT_EQ(outputs[o].pieces[0].orders, o == 2);
  }
  EXPECT_EQ(outputs[3].rows, 4);
  EXPECT_EQ(outputs[3].list, 3u);
}

// Deep, and with 2^40 ways from the output to the input.
TEST_F(OutputsOf, ChainAndJoinsOfAnyNumber) {
  ValueId x = Input({1, 2, 4});
  for (int i = 0; i < 50000; ++i) x = Op("Neg", {x})[0];
  EXPECT_EQ(Describe(x).pieces.size(), 1u);
  const ValueId zero = Integers({0}), one = Integers({1}), two = Integers({2});
  for (int i = 0; i < 40; ++i) {
    const ValueId first = Op("Slice", {x, zero, one, one})[0],
                  second = Op("Slice", {x, one, two, one})[0];
    x = Op("Concat", {second, first}, {{"axis", int64_t{1}}})[0];
  }
  EXPECT_EQ(Describe(x).pieces.size(), 1u);
}

}  // namespace
}  // namespace octet::judge
