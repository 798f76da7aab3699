// Opset 1 to 6, functions of the model, graphs that are cut, layers on codes.
#include "tests/converter/import/import_support.h"

#include "converter/operators/operator.h"

namespace octet::import {
namespace {

using graph::Graph;
using graph::Node;
using Integers = std::vector<int64_t>;

class OldFormsTest : public ImportTest {
 protected:
  static const Node* Find(const Graph& graph, const std::string& op) {
    for (const Node& node : graph.nodes) {
      if (node.op == op) return &node;
    }
    ADD_FAILURE() << "no node " << op;
    return nullptr;
  }
  static const graph::Tensor& Constant(const Graph& graph, const Node& node, size_t input) {
    return *graph.Constant(node.inputs.at(input));
  }
};

TEST_F(OldFormsTest, AnAxisOfABroadcastCountsFromTheLeft) {
  OnnxBuilder model(6);
  model.Input("x", {1, 3, 4, 5});
  model.Random("b", {3}, 1);
  model.Node("Add", {"x", "b"}, {{"broadcast", Int(1)}, {"axis", Int(1)}}, {"y"});
  model.Output("y");
  Graph graph = Import(model);
  operators::InferShapes(graph);
  const Node* reshape = Find(graph, "Reshape");
  EXPECT_EQ(Constant(graph, *reshape, 1).integers, (Integers{3, 1, 1}));
  EXPECT_EQ(*graph.At(graph.outputs[0]).shape, (graph::Shape{1, 3, 4, 5}));
  EXPECT_TRUE(Find(graph, "Add")->attributes.empty());
}

TEST_F(OldFormsTest, AttributesBecomeInputs) {
  OnnxBuilder model(1);
  model.Input("x", {1, 4, 2, 2});
  model.Node("Reshape", {"x"}, {{"shape", Ints({1, 16})}, {"consumed_inputs", Ints({0})}},
             {"flat"});
  model.Node("TopK", {"flat"}, {{"k", Int(2)}, {"axis", Int(1)}}, {"top", "at"});
  model.Node("Cast", {"top"}, {{"to", std::string("FLOAT")}}, {"y"});
  model.Node("Upsample", {"x"}, {{"height_scale", Float(2)}, {"width_scale", Float(3)}}, {"up"});
  model.Node("Pad", {"x"}, {{"paddings", Ints({0, 0, 1, 1, 0, 0, 1, 1})}}, {"wide"});
  model.Node("Concat", {"x", "x"}, {}, {"both"});
  for (const char* name : {"y", "up", "wide", "both"}) model.Output(name);
  const Graph graph = Import(model);
  EXPECT_EQ(Constant(graph, *Find(graph, "Reshape"), 1).integers, (Integers{1, 16}));
  EXPECT_EQ(Constant(graph, *Find(graph, "TopK"), 1).integers, (Integers{2}));
  EXPECT_EQ(Find(graph, "Cast")->Int("to", 0), 1);
  EXPECT_EQ(Constant(graph, *Find(graph, "Resize"), 2).floats, (std::vector<float>{1, 1, 2, 3}));
  EXPECT_EQ(Constant(graph, *Find(graph, "Pad"), 1).integers, (Integers{0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(Find(graph, "Concat")->Int("axis", 0), 1);
}

TEST_F(OldFormsTest, RemovedOperatorsNameTheirSuccessor) {
  OnnxBuilder model(1);
  model.Input("x", {1, 3, 4, 4});
  model.Node("ImageScaler", {"x"}, {{"scale", Float(2)}}, {"y"});
  model.Node("Crop", {"y"}, {{"border", Ints({0, 0, 1, 1})}}, {"z"});
  model.Output("z");
  const Graph graph = Import(model);
  try {
    CheckOperators(graph);
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_SAYS(error.what(), "--scale, --mean and --std");
    EXPECT_SAYS(error.what(), "use Slice");
  }
}

TEST_F(OldFormsTest, FunctionsAreInlined) {
  OnnxBuilder model;
  model.Input("x", {1, 4});
  model.Node("Twice", {"x"}, {{"slope", Float(0.25f)}}, {"y"}, "call");
  model.LastNode().set_domain("local");
  model.Output("y");
  onnx::FunctionProto& function = *model.Proto().add_functions();
  function.set_name("Twice");
  function.set_domain("local");
  function.add_input("a");
  function.add_output("b");
  function.add_attribute("slope");
  for (int i = 0; i < 2; ++i) {
    onnx::NodeProto& node = *function.add_node();
    node.set_op_type("LeakyRelu");
    node.add_input(i == 0 ? "a" : "middle");
    node.add_output(i == 0 ? "middle" : "b");
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name("alpha");
    attribute.set_ref_attr_name("slope");
    attribute.set_type(onnx::AttributeProto::FLOAT);
  }
  const Graph graph = Import(model);
  ASSERT_EQ(graph.nodes.size(), 2u);
  for (const Node& node : graph.nodes) EXPECT_EQ(node.Float("alpha", 0), 0.25f);
  EXPECT_EQ(graph.At(graph.outputs[0]).name, "y");
  EXPECT_EQ(graph.At(graph.nodes[0].outputs[0]).name, "call/middle");

  function.mutable_node(0)->set_op_type("Twice");
  function.mutable_node(0)->set_domain("local");
  EXPECT_SAYS(Refusal(model), "calls itself");
}

TEST_F(OldFormsTest, CutAtEndsTheGraph) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("x", {1, 4});
  model.Input("unused", {1, 4});
  model.Node("Relu", {"x"}, {}, {"middle"});
  model.Node("NoSuchOperator", {"middle", "unused"}, {}, {"y"});
  model.Output("y");
  ImportOptions options;
  options.cut_at = {"middle"};
  const Graph graph = Import(model, options);
  EXPECT_NO_THROW(CheckOperators(graph));
  EXPECT_EQ(graph.nodes.size(), 1u);
  EXPECT_EQ(graph.inputs.size(), 1u);
  EXPECT_EQ(graph.At(graph.outputs[0]).name, "middle");
  // What is cut off need not be read: another domain, a graph inside.
  model.LastNode().set_domain("ai.onnx.ml");
  EXPECT_EQ(Import(model, options).nodes.size(), 1u);
  EXPECT_SAYS(Refusal(model), "domain 'ai.onnx.ml' is not supported");
  EXPECT_SAYS(Refusal(model), "--cut-at 'middle'");
  options.cut_at = {"y"};
  EXPECT_SAYS(Refusal(model, options), "domain 'ai.onnx.ml' is not supported");
  model.LastNode().clear_domain();
  options.cut_at = {"midle"};
  EXPECT_SAYS(Refusal(model, options),
              "names 'midle', which is not the output of a node; similar names: middle");
  options.cut_if_known = true;
  EXPECT_EQ(Import(model, options).nodes.size(), 2u);
}

// An input that nothing reads stays where nothing is cut.
TEST_F(OldFormsTest, CutAtTheEndKeepsAllInputs) {
  OnnxBuilder model;
  model.Input("x", {1, 4});
  model.Input("unused", {1, 4});
  model.Node("Relu", {"x"}, {}, {"y"});
  model.Output("y");
  ImportOptions options;
  options.cut_at = {"y"};
  EXPECT_EQ(Import(model, options).inputs.size(), 2u);
}

// Names that hold the one asked for by what they have more, then by letters to change, add or leave
// out: sitting is 3 away from kitten, kitchen 2, mittens 2, bitten 1, smitten 2.
TEST_F(OldFormsTest, CutAtSaysWhatIsWrittenAlike) {
  OnnxBuilder model;
  std::string last = model.Input("x", {1, 4}).name();
  for (const char* name : {"sitting", "mittens", "smitten", "bitten", "kitchen", "zzzzzz"}) {
    model.Node("Relu", {last}, {}, {name});
    last = name;
  }
  model.Output(last);
  ImportOptions options;
  options.cut_at = {"kitten"};
  EXPECT_SAYS(Refusal(model, options), "similar names: bitten, kitchen, mittens, smitten");
  options.cut_at = {"bittens"};
  EXPECT_SAYS(Refusal(model, options), "similar names: bitten, mittens, sitting, smitten");
  options.cut_at = {"itten"};
  EXPECT_SAYS(Refusal(model, options), "similar names: bitten, mittens, smitten, kitchen");
}

// ConvInteger of codes made while the model runs is a convolution of the real values.
TEST_F(OldFormsTest, DynamicQuantizationBecomesFloat) {
  OnnxBuilder model;
  model.Input("x", {1, 1, 4, 4});
  Codes(model, "w", {2, 1, 1, 1}, kUint8, {130, 100});
  Codes(model, "wz", {}, kUint8, {128});
  model.Initializer("ws", {1}, std::vector<float>{0.5f});
  model.Node("DynamicQuantizeLinear", {"x"}, {}, {"q", "s", "z"});
  model.Node("ConvInteger", {"q", "w", "z", "wz"}, {}, {"sum"}, "conv");
  model.Node("Cast", {"sum"}, {{"to", Int(1)}}, {"real"});
  model.Node("Mul", {"s", "ws"}, {}, {"scales"});
  model.Node("Mul", {"real", "scales"}, {}, {"y"});
  model.Output("y");
  const Graph graph = Import(model);
  ASSERT_EQ(graph.nodes.size(), 2u);
  const Node* conv = Find(graph, "Conv");
  EXPECT_EQ(graph.At(conv->inputs[0]).name, "x");
  const Node* weights = Find(graph, "DequantizeLinear");
  EXPECT_EQ(operators::Evaluate(graph, *weights)[0].floats, (std::vector<float>{1, -14}));
  ASSERT_EQ(graph.notes.size(), 1u);
  EXPECT_SAYS(graph.notes[0], "dynamically quantized");
}

TEST_F(OldFormsTest, LayersOnCodesBecomeLayersBetweenCodes) {
  OnnxBuilder model;
  model.Input("x", {1, 2, 4, 4});
  model.Initializer("s", {}, std::vector<float>{0.5f});
  Codes(model, "z", {}, kUint8, {3});
  Codes(model, "w", {2, 2, 1, 1}, kInt8, {1, 2, 3, 4});
  model.Initializer("ws", {2}, std::vector<float>{0.25f, 2.0f});
  Codes(model, "wz", {2}, kInt8, {0, 0});
  Codes(model, "b", {2}, kInt32, {8, -8});
  model.Node("QuantizeLinear", {"x", "s", "z"}, {}, {"q"});
  model.Node("QLinearConv", {"q", "s", "z", "w", "ws", "wz", "s", "z", "b"}, {}, {"qy"}, "conv");
  model.Node("QLinearAdd", {"qy", "s", "z", "qy", "s", "z", "s", "z"}, {}, {"sum"});
  model.LastNode().set_domain("com.microsoft");
  model.Node("DequantizeLinear", {"sum", "s", "z"}, {}, {"y"});
  model.Output("y");
  Graph graph = Import(model);
  operators::InferShapes(graph);
  const Node* conv = Find(graph, "Conv");
  ASSERT_EQ(conv->inputs.size(), 3u);
  for (const Node& node : graph.nodes) {
    if (node.outputs[0] != conv->inputs[2]) continue;
    EXPECT_EQ(operators::Evaluate(graph, node)[0].floats, (std::vector<float>{1, -8}));
  }
  EXPECT_NE(Find(graph, "Add"), nullptr);
  EXPECT_EQ(*graph.At(graph.outputs[0]).shape, (graph::Shape{1, 2, 4, 4}));
}

// What a mutated file makes of the patterns: nothing is read that is not there.
TEST_F(OldFormsTest, HalfPatternsAreLeftAlone) {
  OnnxBuilder model;
  model.Input("x", {1, 1, 4, 4});
  Codes(model, "w", {2, 1, 1, 1}, kUint8, {130, 100});
  Codes(model, "ws", {1}, kUint8, {1});
  model.Node("DynamicQuantizeLinear", {}, {}, {"q", "s", "z"});
  model.Node("ConvInteger", {"q", "w", "z"}, {}, {"sum"}, "conv");
  model.Node("Cast", {"sum"}, {{"to", Int(1)}}, {"real"});
  model.Node("Mul", {"real"}, {}, {"y"});
  model.Node("DequantizeLinear", {"q"}, {}, {"d"});
  model.Output("y");
  model.Output("d");
  EXPECT_EQ(Refusal(model), "accepted");  // refused later, for the number of its inputs
  OnnxBuilder old(6);
  old.Input("x", {1, 1, 4, 4});
  old.Node("Add", {"x"}, {{"broadcast", Int(1)}, {"axis", Int(1)}}, {"y"});
  old.Output("y");
  EXPECT_EQ(Refusal(old), "accepted");
}

}  // namespace
}  // namespace octet::import
