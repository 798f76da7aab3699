// Functions that a model brings with it: attributes, names, overloads, opsets.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/converter/import/import_support.h"

namespace octet::import {
namespace {

using graph::Graph;
using graph::Node;

// Fields that the schema of Debian does not know.
constexpr int kDefaults = 11, kOverload = 13, kNodeOverload = 8;

// One input `a`, one output `o`.
onnx::FunctionProto& AddFunction(OnnxBuilder& model, const std::string& name,
                                 const std::string& domain = "pkg") {
  onnx::FunctionProto& function = *model.Proto().add_functions();
  function.set_name(name);
  function.set_domain(domain);
  function.add_input("a");
  function.add_output("o");
  return function;
}

onnx::NodeProto& AddNode(onnx::FunctionProto& function, const std::string& op,
                         const std::string& in, const std::string& out,
                         const std::string& domain = "") {
  onnx::NodeProto& node = *function.add_node();
  node.set_op_type(op);
  node.set_domain(domain);
  node.add_input(in);
  node.add_output(out);
  return node;
}

void AddReference(onnx::NodeProto& node, const std::string& name, const std::string& to) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_ref_attr_name(to);
  attribute.set_type(onnx::AttributeProto::FLOAT);
}

onnx::AttributeProto FloatNamed(const std::string& name, float value) {
  onnx::AttributeProto attribute;
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::FLOAT);
  attribute.set_f(value);
  return attribute;
}

void AddDefault(onnx::FunctionProto& function, const std::string& name, float value) {
  function.mutable_unknown_fields()->AddLengthDelimited(kDefaults)->assign(
      FloatNamed(name, value).SerializeAsString());
}

void Call(OnnxBuilder& model, const std::string& function, const std::string& in,
          const std::string& out, const std::string& name, const std::string& overload = "") {
  model.Node(function, {in}, {}, {out}, name);
  model.LastNode().set_domain("pkg");
  if (!overload.empty()) {
    model.LastNode().mutable_unknown_fields()->AddLengthDelimited(kNodeOverload)->assign(overload);
  }
}

std::vector<std::pair<std::string, float>> Alphas(const Graph& graph) {
  std::vector<std::pair<std::string, float>> alphas;
  for (const Node& node : graph.nodes) {
    alphas.emplace_back(node.op, node.Has("alpha") ? node.Float("alpha", 0) : -1.0f);
  }
  return alphas;
}

using Expected = std::vector<std::pair<std::string, float>>;

TEST_F(ImportTest, AttributeIsTheCallsElseTheDefaultElseAbsent) {
  OnnxBuilder model;
  model.Input("x", {1, 4});
  onnx::FunctionProto& with = AddFunction(model, "With");
  AddReference(AddNode(with, "LeakyRelu", "a", "o"), "alpha", "slope");
  AddDefault(with, "slope", 0.25f);
  onnx::FunctionProto& without = AddFunction(model, "Without");
  AddReference(AddNode(without, "LeakyRelu", "a", "o"), "alpha", "slope");
  without.add_attribute("slope");
  Call(model, "With", "x", "u", "first");
  *model.LastNode().add_attribute() = FloatNamed("slope", 0.5f);
  Call(model, "With", "u", "v", "second");
  Call(model, "Without", "v", "y", "third");
  model.Output("y");
  EXPECT_EQ(Alphas(Import(model)),
            (Expected{{"LeakyRelu", 0.5f}, {"LeakyRelu", 0.25f}, {"LeakyRelu", -1.0f}}));
}

// G calls F and refers its own attributes on: given there, by G's default, or left to F's default.
TEST_F(ImportTest, ReferencesGoThroughNestedCalls) {
  OnnxBuilder model;
  model.Input("x", {1, 4});
  onnx::FunctionProto& inner = AddFunction(model, "F");
  AddReference(AddNode(inner, "Elu", "a", "o"), "alpha", "p");
  AddDefault(inner, "p", 0.125f);
  onnx::FunctionProto& outer = AddFunction(model, "G");
  AddReference(AddNode(outer, "F", "a", "m", "pkg"), "p", "q");
  AddReference(AddNode(outer, "F", "m", "o", "pkg"), "p", "absent");
  AddDefault(outer, "q", 0.75f);
  Call(model, "G", "x", "u", "first");
  Call(model, "G", "u", "y", "second");
  *model.LastNode().add_attribute() = FloatNamed("q", 0.5f);
  model.Output("y");
  EXPECT_EQ(Alphas(Import(model)),
            (Expected{{"Elu", 0.75f}, {"Elu", 0.125f}, {"Elu", 0.5f}, {"Elu", 0.125f}}));
}

TEST_F(ImportTest, FunctionIsKnownByDomainNameAndOverload) {
  OnnxBuilder model;
  model.Input("x", {1, 4});
  AddNode(AddFunction(model, "F"), "Relu", "a", "o");
  onnx::FunctionProto& overloaded = AddFunction(model, "F");
  AddNode(overloaded, "Abs", "a", "o");
  overloaded.mutable_unknown_fields()->AddLengthDelimited(kOverload)->assign("real");
  AddNode(AddFunction(model, "F", "other"), "Neg", "a", "o");
  Call(model, "F", "x", "u", "plain");
  Call(model, "F", "u", "v", "overloaded", "real");
  Call(model, "F", "v", "y", "of_other_domain");
  model.LastNode().set_domain("other");
  model.Output("y");
  EXPECT_EQ(Alphas(Import(model)), (Expected{{"Relu", -1}, {"Abs", -1}, {"Neg", -1}}));

  AddNode(AddFunction(model, "F"), "Exp", "a", "o");
  EXPECT_SAYS(Refusal(model), "function 'F' of domain 'pkg' is defined twice");
}

TEST_F(ImportTest, NodesOfAFunctionHaveItsOpset) {
  OnnxBuilder model(17);
  model.Input("x", {1, 4, 2, 2});
  onnx::FunctionProto& function = AddFunction(model, "F");
  AddNode(function, "Softmax", "a", "o");
  function.add_opset_import()->set_version(11);
  Call(model, "F", "x", "u", "call");
  model.Node("Softmax", {"u"}, {}, {"y"}, "own");
  model.Output("y");
  const Graph graph = Import(model);
  ASSERT_EQ(graph.nodes.size(), 2u);
  EXPECT_EQ(graph.nodes[0].Int("axis", 0), 1);
  EXPECT_EQ(graph.nodes[1].Int("axis", 0), -1);
  EXPECT_EQ(graph.nodes[0].attributes.size(), 2u);  // and that it is one matrix (normalise.cc)

  function.mutable_opset_import(0)->set_version(99);
  EXPECT_SAYS(Refusal(model), "function 'F': opset 99 is not supported");
}

TEST_F(ImportTest, StandardOperatorRunsInPlaceOfAFunctionOfItsName) {
  OnnxBuilder model(17);
  model.Input("x", {1, 4});
  AddNode(AddFunction(model, "Relu", ""), "Neg", "a", "o");
  // Opset 20 brought it.
  AddNode(AddFunction(model, "Gelu", "ai.onnx"), "Abs", "a", "o");
  model.Node("Relu", {"x"}, {}, {"u"}, "first");
  model.Node("Gelu", {"u"}, {}, {"y"}, "second");
  model.Output("y");
  const Graph graph = Import(model);
  EXPECT_EQ(Alphas(graph), (Expected{{"Relu", -1}, {"Abs", -1}}));
  ASSERT_EQ(graph.notes.size(), 1u);
  EXPECT_SAYS(graph.notes[0], "'Relu'");
  EXPECT_SAYS(graph.notes[0], "runs in its place");
}

TEST_F(ImportTest, CallsMayShareANameAndHandInputsBack) {
  OnnxBuilder model;
  model.Input("x", {1, 4});
  onnx::FunctionProto& function = AddFunction(model, "F");
  AddNode(function, "Relu", "a", "m");
  AddNode(function, "Neg", "m", "o");
  onnx::FunctionProto& same = AddFunction(model, "Same");
  same.set_output(0, "a");
  AddNode(same, "Exp", "a", "unused");
  Call(model, "F", "x", "u", "call");
  Call(model, "F", "u", "v", "call");
  Call(model, "Same", "v", "y", "back");
  model.Output("y");
  const Graph graph = Import(model);
  EXPECT_EQ(graph.nodes.back().op, "Identity");
  EXPECT_EQ(graph.At(graph.nodes.back().inputs[0]).name, "v");
  EXPECT_EQ(std::count_if(graph.nodes.begin(), graph.nodes.end(),
                          [](const Node& node) { return node.op == "Neg"; }),
            2);
}

TEST_F(ImportTest, FunctionThatDoesNotFitItsCallIsRefused) {
  OnnxBuilder model;
  model.Input("x", {1, 4});
  onnx::FunctionProto& function = AddFunction(model, "F");
  AddNode(function, "Relu", "a", "o");
  Call(model, "F", "x", "y", "call");
  model.LastNode().add_input("x");
  model.Output("y");
  EXPECT_SAYS(Refusal(model), "node 'call' (F): has 2 inputs and 1 outputs");
  model.LastNode().mutable_input()->RemoveLast();
  function.mutable_unknown_fields()->AddLengthDelimited(kDefaults)->assign("\xff");
  EXPECT_SAYS(Refusal(model), "function 'F': the defaults of its attributes cannot be read");
}

// 2^32 calls of nothing.
TEST_F(ImportTest, FunctionsThatGrowAreRefused) {
  OnnxBuilder model;
  model.Input("x", {1, 4});
  for (int i = 0; i < 31; ++i) {
    onnx::FunctionProto& function = AddFunction(model, "F" + std::to_string(i));
    if (i == 0) continue;
    AddNode(function, "F" + std::to_string(i - 1), "a", "m", "pkg");
    AddNode(function, "F" + std::to_string(i - 1), "m", "o", "pkg");
  }
  Call(model, "F30", "x", "y", "call");
  model.Output("y");
  EXPECT_SAYS(Refusal(model), "its functions expand to more than");
}

}  // namespace
}  // namespace octet::import
