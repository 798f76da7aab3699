#include "converter/operators/empty_values.h"

#include "tests/converter/operators/newer_support.h"
#include "tests/support/graph_builder.h"

namespace octet::operators {
namespace {

using graph::ValueId;

struct Net : test::GraphBuilder {
  ValueId Slice(ValueId id, int64_t first, int64_t end, int64_t axis) {
    return Op("Slice", {id, Constant(I({first})), Constant(I({end})), Constant(I({axis}))});
  }
  std::string Names() const {
    std::string names;
    for (const graph::Node& node : graph.nodes) names += (names.empty() ? "" : " ") + node.op;
    return names;
  }
  std::string Refusal() {
    try {
      InferShapes(graph);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
};

// Rows of boxes, scores and of nothing, as a detector without masks is split.
TEST(EmptyValues, AConcatDoesWithoutThem) {
  Net net;
  const ValueId x = net.Input({1, 6, 5});
  const ValueId boxes = net.Slice(x, 0, 4, 2), rest = net.Slice(x, 5, 9, 2);
  const ValueId picked = net.Op("Gather", {rest, net.Constant(I({3, 1}))}, {{"axis", Int(1)}});
  const ValueId rows = net.Op("Gather", {boxes, net.Constant(I({3, 1}))}, {{"axis", Int(1)}});
  net.graph.outputs = {net.Op("Concat", {rows, picked}, {{"axis", Int(-1)}})};
  InferShapes(net.graph);
  EXPECT_EQ(net.Names(), "Slice Gather Concat");
  EXPECT_EQ(net.graph.nodes[2].inputs, std::vector<ValueId>{rows});
  EXPECT_EQ(*net.graph.At(net.graph.outputs[0]).shape, (Shape{1, 2, 4}));
}

TEST(EmptyValues, ASplitKeepsThePartsWithElements) {
  Net net;
  const ValueId x = net.Input({2, 6});
  const std::vector<ValueId> parts =
      net.Ops("Split", {x, net.Constant(I({4, 0, 2}))}, 3, {{"axis", Int(1)}});
  const ValueId nothing = net.Op("Relu", {parts[1]});
  net.graph.outputs = {net.Op("Concat", {parts[2], nothing, parts[0]}, {{"axis", Int(1)}})};
  InferShapes(net.graph);
  EXPECT_EQ(net.Names(), "Split Concat");
  EXPECT_EQ(net.graph.nodes[0].outputs, (std::vector<ValueId>{parts[0], parts[2]}));
  InferShapes(net.graph);
  const std::vector<Tensor> out =
      executor::Executor(net.graph).Run({F({2, 6}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})});
  ExpectFloats(out[0], {2, 6}, {4, 5, 0, 1, 2, 3, 10, 11, 6, 7, 8, 9});
}

TEST(EmptyValues, ASplitKeepsPartsThatNobodyReads) {
  Net net;
  const ValueId x = net.Input({1, 6});
  const std::vector<ValueId> parts =
      net.Ops("Split", {x, net.Constant(I({1, 0, 2, 3}))}, 4, {{"axis", Int(1)}});
  net.graph.outputs = {parts[3]};
  InferShapes(net.graph);
  const std::vector<Tensor> out =
      executor::Executor(net.graph).Run({F({1, 6}, {0, 1, 2, 3, 4, 5})});
  ExpectFloats(out[0], {1, 3}, {3, 4, 5});
}

// What is asked of the shape alone is known.
TEST(EmptyValues, TheirShapeIsKnown) {
  Net net;
  const ValueId x = net.Input({1, 6});
  const ValueId shape = net.Op("Shape", {net.Slice(x, 0, 0, 1)});
  const ValueId length = net.Op("Slice", {shape, net.Constant(I({0})), net.Constant(I({1}))});
  net.graph.outputs = {
      net.Op("Reshape", {x, net.Op("Concat", {length, net.Constant(I({6}))}, {{"axis", Int(0)}})})};
  InferShapes(net.graph);
  EXPECT_EQ(*net.graph.At(net.graph.outputs[0]).shape, (Shape{1, 6}));
  EXPECT_EQ(net.graph.nodes[0].op, "Slice") << "of the shape";
}

TEST(EmptyValues, AnOutputOrSomethingMadeOfThemIsRefused) {
  Net output;
  const ValueId none = output.Slice(output.Input({1, 6}), 2, 2, 1);
  output.graph.outputs = {none};
  EXPECT_NE(output.Refusal().find("'Slice0' (Slice): the result [1,0] is empty"), std::string::npos)
      << output.Refusal();

  Net padded;
  const ValueId empty = padded.Slice(padded.Input({1, 6}), 2, 2, 1);
  padded.graph.outputs = {padded.Op("Pad", {empty, padded.Constant(I({0, 1, 0, 1}))})};
  EXPECT_NE(padded.Refusal().find("'Slice0' (Slice): the result [1,0] is empty"), std::string::npos)
      << padded.Refusal();

  Net part;
  const std::vector<ValueId> parts =
      part.Ops("Split", {part.Input({1, 6}), part.Constant(I({6, 0}))}, 2, {{"axis", Int(1)}});
  part.graph.outputs = parts;
  EXPECT_NE(part.Refusal().find("'Split0' (Split): the result [1,0] is empty"), std::string::npos)
      << part.Refusal();
}

// Where a single node is asked, nobody takes an empty result away.
TEST(EmptyValues, ASingleNodeWithAnEmptyResultIsRefused) {
  Net net;
  const ValueId x = net.Input({1, 6});
  net.graph.outputs = {net.Slice(x, 2, 3, 1)};
  InferShapes(net.graph);
  EXPECT_NO_THROW(InferNode(net.graph, net.graph.nodes[0]));
  net.Slice(x, 2, 2, 1);
  for (graph::Value& value : net.graph.values) {
    if (value.constant != nullptr) value.shape = value.constant->shape;
    if (value.constant != nullptr) value.type = value.constant->type;
  }
  try {
    InferNode(net.graph, net.graph.nodes[1]);
    ADD_FAILURE() << "taken";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("the result [1,0] is empty"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace octet::operators
