// Loop, Scan and If on data: what takes their place, and what is refused.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "tests/converter/import/import_support.h"

namespace octet::import {
namespace {

void Bool(OnnxBuilder& model, const std::string& name, bool value) {
  onnx::TensorProto& tensor = *model.Proto().mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::BOOL);
  tensor.add_int32_data(value ? 1 : 0);
}

// state := Relu(state), as long as `goes_on` of the body.
onnx::GraphProto& ReluLoop(OnnxBuilder& model, const std::string& count, const std::string& from,
                           const std::string& to) {
  model.Node("Loop", {count, "yes", from}, {}, {to}, "loop");
  onnx::GraphProto& body = GraphOf(model.LastNode(), "body");
  for (const char* name : {"step", "holds", "state"}) body.add_input()->set_name(name);
  AddNode(body, "Relu", {"state"}, "new");
  for (const char* name : {"holds", "new"}) body.add_output()->set_name(name);
  return body;
}

int64_t CountOf(const graph::Graph& graph, const std::string& op) {
  const std::vector<std::string> names = Operators(graph);
  return std::count(names.begin(), names.end(), op);
}

void LoopOf(OnnxBuilder& model, int64_t count) {
  model.Input("x", {1, 3});
  model.Initializer("count", {}, std::vector<int64_t>{count});
  Bool(model, "yes", true);
  ReluLoop(model, "count", "x", "y");
  model.Output("y");
}

TEST_F(ImportTest, LoopRunsItsTripCount) {
  // Below 0 is no step, as ONNX Runtime has it.
  for (const auto& [count, steps] : {std::pair<int64_t, int64_t>{3, 3}, {0, 0}, {-1, 0}}) {
    OnnxBuilder model;
    LoopOf(model, count);
    EXPECT_EQ(CountOf(Import(model), "Relu"), steps) << count;
  }
}

TEST_F(ImportTest, LoopBeyondTheLimitIsRefusedAtOnce) {
  OnnxBuilder within;
  LoopOf(within, 5000);
  EXPECT_EQ(CountOf(Import(within), "Relu"), 5000);
  for (const int64_t count : {int64_t{20000}, std::numeric_limits<int64_t>::max()}) {
    OnnxBuilder beyond;
    LoopOf(beyond, count);
    const std::string line = Refusal(beyond);
    EXPECT_SAYS(line, "node 'loop' (Loop): it unrolls to more than 16384 nodes");
    EXPECT_SAYS(line, "export the model with fewer steps");
  }
}

// The same nodes are not repeated where they read nothing of the step.
TEST_F(ImportTest, WhatIsTheSameInEachStepIsThereOnce) {
  OnnxBuilder model;
  model.Input("x", {1, 3});
  model.Initializer("count", {}, std::vector<int64_t>{4});
  Bool(model, "yes", true);
  onnx::GraphProto& body = ReluLoop(model, "count", "x", "y");
  AddNode(body, "Sigmoid", {"x"}, "gate");
  AddNode(body, "Mul", {"new", "gate"}, "gated");
  body.mutable_output(1)->set_name("gated");
  model.Output("y");
  const graph::Graph graph = Import(model);
  EXPECT_EQ(CountOf(graph, "Sigmoid"), 1);
  EXPECT_EQ(CountOf(graph, "Mul"), 4);
  EXPECT_EQ(graph.At(graph.outputs[0]).name, "y");
}

TEST_F(ImportTest, LoopsWithinLoopsShareOneLimit) {
  OnnxBuilder model;
  model.Input("x", {1, 3});
  model.Initializer("count", {}, std::vector<int64_t>{150});
  Bool(model, "yes", true);
  onnx::GraphProto& outer = ReluLoop(model, "count", "x", "y");
  onnx::NodeProto& inner = AddNode(outer, "Loop", {"count", "yes", "new"}, "result");
  onnx::GraphProto& body = GraphOf(inner, "body");
  for (const char* name : {"i", "c", "s"}) body.add_input()->set_name(name);
  AddNode(body, "Neg", {"s"}, "t");
  for (const char* name : {"c", "t"}) body.add_output()->set_name(name);
  outer.mutable_output(1)->set_name("result");
  model.Output("y");
  EXPECT_SAYS(Refusal(model), "(Loop): it unrolls to more than 16384 nodes");
}

TEST_F(ImportTest, LoopThatDependsOnNumbersIsRefused) {
  OnnxBuilder model;
  model.Input("x", {1, 3});
  Bool(model, "yes", true);
  model.Node("ReduceMax", {"x"}, {{"keepdims", Int(0)}}, {"most"}, "most");
  model.Node("Cast", {"most"}, {{"to", Int(7)}}, {"count"}, "cast");
  ReluLoop(model, "count", "x", "y");
  model.Output("y");
  const std::string count = Refusal(model);
  EXPECT_SAYS(count, "node 'loop' (Loop): its trip count 'count' depends on the input's numbers");
  // Which is what the advice leads to.
  ImportOptions cut;
  cut.cut_at = {"most"};
  EXPECT_EQ(Operators(Import(model, cut)), std::vector<std::string>{"ReduceMax"});

  OnnxBuilder until;
  until.Input("x", {1, 3});
  until.Initializer("count", {}, std::vector<int64_t>{9});
  Bool(until, "yes", true);
  onnx::GraphProto& body = ReluLoop(until, "count", "x", "y");
  onnx::NodeProto& sum = AddNode(body, "ReduceSum", {"new"}, "sum");
  onnx::AttributeProto& keep = *sum.add_attribute();
  keep.set_name("keepdims");
  keep.set_type(onnx::AttributeProto::INT);
  keep.set_i(0);
  AddNode(body, "Greater", {"sum", "sum"}, "more");
  body.mutable_output(0)->set_name("more");
  until.Output("y");
  EXPECT_SAYS(Refusal(until), "its condition 'loop/0/more' depends on the input's numbers");
}

TEST_F(ImportTest, FlowThatDoesNotFitIsNamed) {
  OnnxBuilder loop;
  LoopOf(loop, 2);
  loop.LastNode().mutable_attribute(0)->mutable_g()->mutable_input()->RemoveLast();
  EXPECT_SAYS(Refusal(loop), "node 'loop' (Loop): its body has 2 inputs and 2 outputs");

  OnnxBuilder no_body;
  LoopOf(no_body, 2);
  no_body.LastNode().clear_attribute();
  EXPECT_SAYS(Refusal(no_body), "node 'loop' (Loop): it has no body");

  OnnxBuilder scan;
  scan.Input("x", {1, 3});
  scan.Node("Scan", {"x"}, {{"num_scan_inputs", Int(7)}}, {"y"}, "scan");
  GraphOf(scan.LastNode(), "body");
  scan.Output("y");
  EXPECT_SAYS(Refusal(scan), "node 'scan' (Scan): num_scan_inputs is 7 of 1 inputs");

  OnnxBuilder branch;
  branch.Input("x", {1, 3});
  Bool(branch, "yes", true);
  branch.Node("If", {"yes"}, {}, {"y"}, "choice");
  GraphOf(branch.LastNode(), "then_branch");
  branch.Output("y");
  EXPECT_SAYS(Refusal(branch), "node 'choice' (If): its then_branch has 0 results, the node 1");
}

TEST_F(ImportTest, LoopThatNeedsItsOwnResultIsNamed) {
  OnnxBuilder model;
  model.Input("x", {1, 3});
  Bool(model, "yes", true);
  model.Node("Cast", {"y"}, {{"to", Int(7)}}, {"count"}, "cast");
  ReluLoop(model, "count", "x", "y");
  model.Output("y");
  EXPECT_SAYS(Refusal(model), "the graph is cyclic: node 'loop' (Loop)");
}

// A name inside is that of another value outside, and of one that the prefix would make.
TEST_F(ImportTest, NamesOfABodyAreItsOwn) {
  OnnxBuilder model;
  model.Input("new", {1, 3});
  model.Initializer("count", {}, std::vector<int64_t>{2});
  Bool(model, "yes", true);
  model.Node("Neg", {"new"}, {}, {"loop/0/new"}, "neg");
  ReluLoop(model, "count", "loop/0/new", "state");
  model.Node("Add", {"state", "new"}, {}, {"y"}, "add");
  model.Output("y");
  const graph::Graph graph = Import(model);
  const auto add = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                [](const graph::Node& node) { return node.op == "Add"; });
  ASSERT_NE(add, graph.nodes.end());
  EXPECT_EQ(graph.At(add->inputs[0]).name, "state");
  EXPECT_EQ(graph.At(add->inputs[1]).name, "new");
  EXPECT_EQ(CountOf(graph, "Relu"), 2);
}

// 80 graphs in one another: protobuf reads no more than 100 levels of messages.
TEST_F(ImportTest, DeepNestingIsRefusedOrRead) {
  for (const int depth : {20, 80}) {
    OnnxBuilder model;
    model.Input("x", {1, 3});
    Bool(model, "yes", true);
    onnx::GraphProto* graph = model.Proto().mutable_graph();
    for (int i = 0; i < depth; ++i) {
      const std::string own = std::to_string(i);
      onnx::NodeProto& choice = AddNode(*graph, "If", {"yes"}, i == 0 ? "y" : "r" + own);
      choice.set_name("choice" + own);
      if (i > 0) graph->add_output()->set_name("r" + own);
      onnx::GraphProto& no = GraphOf(choice, "else_branch");
      AddNode(no, "Neg", {"x"}, "n");
      no.add_output()->set_name("n");
      graph = &GraphOf(choice, "then_branch");
    }
    AddNode(*graph, "Relu", {"x"}, "last");
    graph->add_output()->set_name("last");
    model.Output("y");
    if (depth < 30) {
      EXPECT_EQ(CountOf(Import(model), "Relu"), 1);
    } else {
      EXPECT_SAYS(Refusal(model), "protobuf cannot parse it");
    }
  }
}

// s := s + a[:, i] + b[2 - i]; two rows, one of them from behind and joined as columns.
onnx::NodeProto& SumScan(OnnxBuilder& model, const test::Dims& a, const test::Dims& b,
                         const std::vector<int64_t>& axes) {
  model.Input("s", {2});
  model.Input("a", a);
  model.Input("b", b);
  model.Node("Scan", {"s", "a", "b"},
             {{"num_scan_inputs", Int(2)},
              {"scan_input_axes", Ints(axes)},
              {"scan_input_directions", Ints({0, 1})},
              {"scan_output_axes", Ints({1, 0})},
              {"scan_output_directions", Ints({1, 0})}},
             {"last", "columns", "rows"}, "scan");
  onnx::NodeProto& node = model.LastNode();
  onnx::GraphProto& body = GraphOf(node, "body");
  for (const char* name : {"state", "from_a", "from_b"}) body.add_input()->set_name(name);
  AddNode(body, "Add", {"state", "from_a"}, "part");
  AddNode(body, "Add", {"part", "from_b"}, "new");
  for (const char* name : {"new", "part", "new"}) body.add_output()->set_name(name);
  for (const char* name : {"last", "columns", "rows"}) model.Output(name);
  return node;
}

TEST_F(ImportTest, ScanTakesAndJoinsAlongItsAxes) {
  OnnxBuilder model;
  SumScan(model, {2, 3}, {3, 2}, {1, -2});
  const graph::Graph graph = Import(model);
  std::string taken, joined;
  for (const graph::Node& node : graph.nodes) {
    if (node.op == "Gather") {
      taken += graph.At(node.inputs[0]).name + std::to_string(node.Int("axis", 9)) + ":" +
               std::to_string(graph.Constant(node.inputs[1])->integers[0]) + " ";
    }
    if (node.op != "Concat") continue;
    joined += graph.At(node.outputs[0]).name + std::to_string(node.Int("axis", 9)) + ":";
    for (const graph::ValueId row : node.inputs) {
      const auto& unsqueeze = graph.nodes[static_cast<size_t>(graph.Producer(row))];
      joined += " " + graph.At(unsqueeze.inputs[0]).name;
    }
    joined += "; ";
  }
  EXPECT_EQ(taken, "a1:0 b0:2 a1:1 b0:1 a1:2 b0:0 ");
  EXPECT_EQ(joined,
            "columns1: scan/2/part scan/1/part scan/0/part; rows0: scan/0/new scan/1/new "
            "scan/2/new; ");
}

TEST_F(ImportTest, ScanThatDoesNotFitIsNamed) {
  struct Row {
    test::Dims a, b;
    std::vector<int64_t> axes;
    const char* says;
  };
  for (const Row& row :
       {Row{{2, 3}, {3, 2}, {2, 0}, "axis 2 of 'a' [2,3] does not exist"},
        Row{{2, 3}, {3, 2}, {1, -3}, "axis -3 of 'b' [3,2] does not exist"},
        Row{{2, 3}, {2, 2}, {1, 0}, "'a' has 3 steps and 'b' 2"},
        Row{{2, 3}, {3, 2}, {1, 0, 0}, "scan_input_axes has 3 numbers for 2 values"}}) {
    OnnxBuilder model;
    SumScan(model, row.a, row.b, row.axes);
    EXPECT_SAYS(Refusal(model), row.says);
  }
}

}  // namespace
}  // namespace octet::import
