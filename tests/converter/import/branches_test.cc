// If: the branch that a condition of shapes or constants chooses takes its place.
#include <algorithm>
#include <string>
#include <vector>

#include "converter/operators/operator.h"
#include "tests/converter/import/import_support.h"

namespace octet::import {
namespace {

// x [1, rows, 6]: Relu if it has one row, else Neg; as PyTorch writes squeeze.
void OneRow(OnnxBuilder& model, int64_t rows) {
  model.Input("x", {1, rows, 6});
  model.Initializer("at", {1}, std::vector<int64_t>{1});
  model.Initializer("one", {1}, std::vector<int64_t>{1});
  model.Node("Shape", {"x"}, {}, {"shape"}, "shape");
  model.Node("Gather", {"shape", "at"}, {}, {"rows"}, "rows");
  model.Node("Equal", {"rows", "one"}, {}, {"is_one"}, "is_one");
  model.Node("If", {"is_one"}, {}, {"z"}, "choice");
  onnx::GraphProto& yes = GraphOf(model.LastNode(), "then_branch");
  AddNode(yes, "Relu", {"x"}, "inner");
  yes.add_output()->set_name("inner");
  onnx::GraphProto& no = GraphOf(model.LastNode(), "else_branch");
  AddNode(no, "Neg", {"x"}, "inner");
  no.add_output()->set_name("inner");
  model.Node("Abs", {"z"}, {}, {"y"}, "last");
  model.Output("y");
}

bool Has(const graph::Graph& graph, const std::string& op) {
  const std::vector<std::string> names = Operators(graph);
  return std::find(names.begin(), names.end(), op) != names.end();
}

TEST_F(ImportTest, BranchThatShapesChooseStands) {
  OnnxBuilder of_one, of_two;
  OneRow(of_one, 1);
  OneRow(of_two, 2);
  const graph::Graph one = Import(of_one);
  EXPECT_TRUE(Has(one, "Relu"));
  EXPECT_FALSE(Has(one, "Neg") || Has(one, "If"));
  const graph::Graph many = Import(of_two);
  EXPECT_TRUE(Has(many, "Neg"));
  EXPECT_FALSE(Has(many, "Relu") || Has(many, "If"));
  EXPECT_EQ(one.At(one.outputs[0]).name, "y");
}

// Two results, one of them a value from outside, one a constant of the branch; an If inside.
TEST_F(ImportTest, BranchesKeepWhatTheyReadAndGive) {
  OnnxBuilder model;
  model.Input("x", {1, 3});
  model.Initializer("training", {}, std::vector<int64_t>{0});
  model.Node("Cast", {"training"}, {{"to", Int(9)}}, {"is_training"}, "cast");
  model.Node("If", {"is_training"}, {}, {"a", "b", "c"}, "outer");
  onnx::NodeProto& outer = model.LastNode();
  onnx::GraphProto& yes = GraphOf(outer, "then_branch");
  AddNode(yes, "Relu", {"x"}, "u");
  for (int i = 0; i < 3; ++i) yes.add_output()->set_name("u");
  onnx::GraphProto& no = GraphOf(outer, "else_branch");
  onnx::TensorProto& constant = *no.add_initializer();
  constant.set_name("c");  // as the If's own output: names inside are their own
  constant.set_data_type(onnx::TensorProto::FLOAT);
  constant.add_dims(1);
  constant.add_dims(3);
  for (const float value : {1.f, 2.f, 3.f}) constant.add_float_data(value);
  AddNode(no, "If", {"is_training"}, "v");
  onnx::NodeProto& nested = *no.mutable_node(0);
  onnx::GraphProto& nested_yes = GraphOf(nested, "then_branch");
  AddNode(nested_yes, "Neg", {"x"}, "w");
  nested_yes.add_output()->set_name("w");
  onnx::GraphProto& nested_no = GraphOf(nested, "else_branch");
  AddNode(nested_no, "Add", {"x", "c"}, "w");
  nested_no.add_output()->set_name("w");
  for (const char* name : {"v", "x", "c"}) no.add_output()->set_name(name);
  model.Node("Sum", {"a", "b", "c"}, {}, {"y"}, "sum");
  model.Output("y");

  const graph::Graph graph = Import(model);
  EXPECT_TRUE(Has(graph, "Add"));
  EXPECT_FALSE(Has(graph, "If") || Has(graph, "Relu") || Has(graph, "Neg"));
  const auto sum = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                [](const graph::Node& node) { return node.name == "sum"; });
  ASSERT_NE(sum, graph.nodes.end());
  ASSERT_EQ(sum->inputs.size(), 3u);
  const auto source = [&](size_t input) -> std::string {
    for (const graph::Node& node : graph.nodes) {
      if (node.outputs[0] != sum->inputs[input]) continue;
      return node.op + " " + graph.At(node.inputs[0]).name;
    }
    return "none";
  };
  EXPECT_EQ(source(0), "Add x");
  EXPECT_EQ(source(1), "Identity x");
  EXPECT_EQ(source(2), "Identity outer/c");
}

// Relu or another operator, as the sum of the input's numbers is positive or not.
void ChoiceOnData(OnnxBuilder& model, const std::string& otherwise) {
  model.Input("x", {1, 3});
  model.Initializer("zero", {}, std::vector<float>{0});
  model.Node("ReduceSum", {"x"}, {{"keepdims", Int(0)}}, {"sum"}, "sum");
  model.Node("Greater", {"sum", "zero"}, {}, {"is_positive"}, "greater");
  model.Node("If", {"is_positive"}, {}, {"y"}, "choice");
  for (const char* key : {"then_branch", "else_branch"}) {
    onnx::GraphProto& branch = GraphOf(model.LastNode(), key);
    AddNode(branch, key[0] == 't' ? "Relu" : otherwise, {"x"}, "inner");
    branch.add_output()->set_name("inner");
  }
  model.Output("y");
}

TEST_F(ImportTest, ConditionOfTheInputsNumbersSelectsBetweenBoth) {
  OnnxBuilder model;
  ChoiceOnData(model, "Neg");
  graph::Graph graph = Import(model);
  EXPECT_FALSE(Has(graph, "If"));
  operators::InferShapes(graph);
  const auto where = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                  [](const graph::Node& node) { return node.op == "Where"; });
  ASSERT_NE(where, graph.nodes.end());
  EXPECT_EQ(graph.At(where->outputs[0]).name, "y");
  EXPECT_EQ(graph.At(where->inputs[1]).name, "choice/then/inner");
  EXPECT_EQ(graph.At(where->inputs[2]).name, "choice/else/inner");
}

// [1,3] and [3] would broadcast, but the result has the shape of one of them.
TEST_F(ImportTest, BranchesOfOtherShapesAreRefused) {
  OnnxBuilder model;
  ChoiceOnData(model, "Squeeze");
  graph::Graph graph = Import(model);
  try {
    operators::InferShapes(graph);
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_SAYS(error.what(), "node 'choice/result' (Where): the branches of an If have different");
    EXPECT_SAYS(error.what(), "export the model with");
  }
}

// The branch reads a value of the function around it, which has another name in the model.
TEST_F(ImportTest, BranchInsideAFunctionReadsItsValues) {
  OnnxBuilder model;
  model.Input("x", {1, 1, 6});
  model.Node("Squeezed", {"x"}, {}, {"y"}, "call");
  model.LastNode().set_domain("pkg");
  model.Output("y");
  onnx::ModelProto& proto = model.Proto();
  onnx::FunctionProto& function = *proto.add_functions();
  function.set_name("Squeezed");
  function.set_domain("pkg");
  function.add_input("given");
  function.add_output("result");
  onnx::OperatorSetIdProto& opset = *function.add_opset_import();
  opset.set_version(17);
  onnx::NodeProto& constant = *function.add_node();
  constant.set_op_type("Constant");
  constant.add_output("yes");
  onnx::AttributeProto& value = *constant.add_attribute();
  value.set_name("value_int");
  value.set_type(onnx::AttributeProto::INT);
  value.set_i(1);
  onnx::NodeProto& cast = *function.add_node();
  cast.set_op_type("Cast");
  cast.add_input("yes");
  cast.add_output("sure");
  onnx::AttributeProto& to = *cast.add_attribute();
  to.set_name("to");
  to.set_type(onnx::AttributeProto::INT);
  to.set_i(9);
  onnx::NodeProto& neg = *function.add_node();
  neg.set_op_type("Neg");
  neg.add_input("given");
  neg.add_output("turned");
  onnx::NodeProto& choice = *function.add_node();
  choice.set_op_type("If");
  choice.add_input("sure");
  choice.add_output("result");
  onnx::GraphProto& yes = GraphOf(choice, "then_branch");
  AddNode(yes, "Relu", {"turned"}, "inner");
  yes.add_output()->set_name("inner");
  onnx::GraphProto& no = GraphOf(choice, "else_branch");
  AddNode(no, "Abs", {"turned"}, "inner");
  no.add_output()->set_name("inner");

  const graph::Graph graph = Import(model);
  ASSERT_TRUE(Has(graph, "Relu")) << testing::PrintToString(Operators(graph));
  for (const graph::Node& node : graph.nodes) {
    if (node.op != "Relu") continue;
    EXPECT_EQ(graph.At(node.inputs[0]).name, "call/turned");
  }
}

// Relu where the condition is true, else Neg.
void AddChoice(OnnxBuilder& model, const std::string& condition, const std::string& from,
               const std::string& to) {
  model.Node("If", {condition}, {}, {to}, "choice");
  onnx::GraphProto& yes = GraphOf(model.LastNode(), "then_branch");
  AddNode(yes, "Relu", {from}, "inner");
  yes.add_output()->set_name("inner");
  onnx::GraphProto& no = GraphOf(model.LastNode(), "else_branch");
  AddNode(no, "Neg", {from}, "inner");
  no.add_output()->set_name("inner");
}

TEST_F(ImportTest, ConditionMayBeAnInitialiser) {
  OnnxBuilder model;
  model.Input("x", {1, 3});
  onnx::TensorProto& no = *model.Proto().mutable_graph()->add_initializer();
  no.set_name("no");
  no.set_data_type(onnx::TensorProto::BOOL);
  no.add_int32_data(0);
  AddChoice(model, "no", "x", "y");
  model.Output("y");
  EXPECT_EQ(Operators(Import(model)), std::vector<std::string>{"Neg"});
}

TEST_F(ImportTest, IfThatNeedsItsOwnResultIsNamed) {
  OnnxBuilder model;
  model.Input("x", {1, 3});
  model.Node("Cast", {"y"}, {{"to", Int(9)}}, {"is"}, "cast");
  AddChoice(model, "is", "x", "y");
  model.Output("y");
  EXPECT_SAYS(Refusal(model), "the graph is cyclic: node 'choice' (If)");
}

// Each condition is of the shape of the last result: nothing is asked for twice, in either order
// of the file. The nodes all have one name.
TEST_F(ImportTest, ChainOfIfsTakesTimeInProportion) {
  constexpr int kLength = 3000;
  for (const bool backwards : {false, true}) {
    OnnxBuilder model;
    model.Input("v0", {1, 3});
    model.Initializer("three", {1}, std::vector<int64_t>{3});
    model.Initializer("at", {1}, std::vector<int64_t>{1});
    for (int step = 0; step < kLength; ++step) {
      const int i = backwards ? kLength - 1 - step : step;
      const std::string own = std::to_string(i), from = "v" + own;
      model.Node("Shape", {from}, {}, {"shape" + own}, "shape");
      model.Node("Gather", {"shape" + own, "at"}, {}, {"columns" + own}, "columns");
      model.Node("Equal", {"columns" + own, "three"}, {}, {"is" + own}, "is");
      AddChoice(model, "is" + own, from, "v" + std::to_string(i + 1));
    }
    model.Output("v" + std::to_string(kLength));
    const graph::Graph graph = Import(model);
    EXPECT_FALSE(Has(graph, "If") || Has(graph, "Neg"));
    EXPECT_EQ(graph.nodes.size(), 4u * kLength);
  }
}

}  // namespace
}  // namespace octet::import
