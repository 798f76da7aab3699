// Whole models: what a good one becomes, and each way a file or graph is refused.
#include <set>

#include "converter/import/plain_names.h"
#include "tests/converter/import/import_support.h"

namespace octet::import {
namespace {

using graph::Graph;

// A model of one Relu to which a test adds its fault.
void AddRelu(OnnxBuilder& model, const Dims& shape = {-1, 3, 8, 8}) {
  model.Input("x", shape).Op("Relu").Output("y");
}

TEST_F(ImportTest, GoodModelComesBackWhole) {
  OnnxBuilder model;
  model.Input("image", {-1, 3, 8, 8})
      .Conv({.channels = 4, .kernel = 3, .pad = 1})
      .BatchNorm()
      .Relu6()
      .GlobalAveragePool()
      .Flatten()
      .Gemm(10)
      .Output("scores");
  const Graph graph = Import(model);
  ASSERT_EQ(graph.inputs.size(), 1u);
  EXPECT_EQ(graph.At(graph.inputs[0]).name, "image");
  EXPECT_EQ(graph.At(graph.inputs[0]).shape, (graph::Shape{1, 3, 8, 8}));
  ASSERT_EQ(graph.outputs.size(), 1u);
  EXPECT_EQ(graph.At(graph.outputs[0]).name, "scores");
  std::vector<std::string> ops;
  for (const graph::Node& node : graph.nodes) {
    ops.push_back(node.op);
    EXPECT_EQ(node.since_opset, 13);
  }
  EXPECT_EQ(ops, (std::vector<std::string>{"Conv", "BatchNormalization", "Clip",
                                           "GlobalAveragePool", "Flatten", "Gemm", "Identity"}));
  const graph::Node& conv = graph.nodes[0];
  EXPECT_EQ(conv.Ints("pads"), (std::vector<int64_t>{1, 1, 1, 1}));
  const graph::Tensor* weight = graph.Constant(conv.inputs[1]);
  ASSERT_NE(weight, nullptr);
  EXPECT_EQ(weight->shape, (graph::Shape{4, 3, 3, 3}));
  const onnx::TensorProto& stored = model.Proto().graph().initializer(0);
  EXPECT_EQ(0,
            std::memcmp(weight->floats.data(), stored.raw_data().data(), stored.raw_data().size()));
}

TEST_F(ImportTest, UnsortedNodesAreSorted) {
  OnnxBuilder model;
  model.Input("x", {1, 3});
  model.Node("Relu", {"a"}, {}, {"y"});
  model.Node("Sigmoid", {"x"}, {}, {"a"});
  model.Output("y");
  const Graph graph = Import(model);
  EXPECT_EQ(graph.nodes[0].op, "Sigmoid");
}

TEST_F(ImportTest, InitialisersListedAsInputsAreConstants) {
  OnnxBuilder model(8);
  model.Input("x", {1, 3});
  model.Input("w", {1, 3});
  model.Initializer("w", {1, 3}, std::vector<float>{1, 2, 3});
  model.Node("Add", {"x", "w"}, {}, {"y"});
  model.Output("y");
  const Graph graph = Import(model);
  EXPECT_EQ(graph.inputs.size(), 1u);
  EXPECT_NE(graph.Constant(graph.nodes[0].inputs[1]), nullptr);
}

TEST_F(ImportTest, NodeNamesBecomeUnique) {
  OnnxBuilder model;
  model.Input("x", {1, 3});
  model.Node("Relu", {"x"}, {}, {"a"}, "same");
  model.Node("Relu", {"a"}, {}, {"b"}, "same");
  model.Node("Relu", {"b"}, {}, {"y"});
  model.LastNode().clear_name();
  model.Output("y");
  const Graph graph = Import(model);
  std::set<std::string> names;
  for (const graph::Node& node : graph.nodes) names.insert(node.name);
  EXPECT_EQ(names, (std::set<std::string>{"same", "same_2", "Relu_y"}));
}

TEST_F(ImportTest, MissingEmptyAndForeignFiles) {
  EXPECT_SAYS(RefusalOfFile(), "no such file");
  WriteFile("m.onnx", "");
  EXPECT_SAYS(RefusalOfFile(), "the file is empty");
  WriteFile("m.onnx", "This is a text about models, and no model.");
  EXPECT_SAYS(RefusalOfFile(), "not an ONNX model, or truncated");
  std::filesystem::remove(ModelPath());
  std::filesystem::create_directory(ModelPath());
  EXPECT_SAYS(RefusalOfFile(), "not a regular file");
}

TEST_F(ImportTest, EveryTruncationIsRefused) {
  OnnxBuilder model;
  model.Input("x", {1, 2, 4, 4}).Conv({.channels = 2, .kernel = 1}).Output("y");
  const std::string bytes = model.Serialize();
  // opset_import was written after the graph, so that no prefix is a whole model.
  for (size_t length = 1; length < bytes.size(); ++length) {
    WriteFile("m.onnx", bytes.substr(0, length));
    ASSERT_NE(RefusalOfFile(), "accepted") << length << " of " << bytes.size() << " bytes";
  }
}

// Whatever one byte does, the answer is a graph or one line.
TEST_F(ImportTest, EveryByteMayBeWrong) {
  OnnxBuilder model(10);
  const OnnxValue x = model.Input("x", {-1, 2, 4, 4});
  const OnnxValue y =
      x.Conv({.channels = 2, .kernel = 1}).Slice({0}, {2}, {1}).Resize({1, 1, 2, 2});
  model.Node("Dropout", {y.name()}, {{"ratio", Float(0.5f)}}, {"z", "mask"});
  model.Output("z");
  const std::string bytes = model.Serialize();
  size_t accepted = 0, refused = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int value : {0x00, 0x01, 0x7f, 0x80, 0xff, ~bytes[at] & 0xff}) {
      std::string wrong = bytes;
      wrong[at] = static_cast<char>(value);
      WriteFile("m.onnx", wrong);
      ++(RefusalOfFile() == "accepted" ? accepted : refused);
    }
  }
  EXPECT_GT(accepted, 0u);
  EXPECT_GT(refused, 0u);
}

TEST_F(ImportTest, FilesBeyondTwoGigabytes) {
  WriteFile("m.onnx", "");
  std::filesystem::resize_file(ModelPath(), uintmax_t{1} << 31);  // a hole: no disk is used
  EXPECT_SAYS(RefusalOfFile(),
              "a protobuf file has at most 2 GiB; save the weights as external data");
}

TEST_F(ImportTest, OutputsLeftOutLeaveNoHoles) {
  OnnxBuilder model;
  model.Input("x", {1, 3});
  model.Node("Wobble", {"x"}, {}, {"", "y", ""});
  model.Output("y");
  const Graph graph = Import(model);
  ASSERT_EQ(graph.nodes[0].outputs.size(), 2u);
  EXPECT_NE(graph.nodes[0].outputs[0], graph::kNoValue);
  EXPECT_EQ(graph.nodes[0].outputs[1], graph.outputs[0]);
}

TEST_F(ImportTest, Versions) {
  for (int64_t opset : {1, 7, 24}) {
    OnnxBuilder good(opset);
    AddRelu(good);
    EXPECT_EQ(Refusal(good), "accepted") << opset;
  }
  for (int64_t opset : {0, 25}) {
    OnnxBuilder bad(opset);
    AddRelu(bad);
    EXPECT_SAYS(Refusal(bad), "opset " + std::to_string(opset) + " is not supported, only 1 to 24");
  }
  OnnxBuilder model;
  AddRelu(model);
  model.Proto().set_ir_version(0);
  EXPECT_SAYS(Refusal(model), "IR version 0 ");
  // Before IR 3 there were no opsets.
  model.Proto().set_ir_version(2);
  model.Proto().clear_opset_import();
  EXPECT_EQ(Refusal(model), "accepted");
  model.Proto().add_opset_import()->set_version(13);
  model.Proto().set_ir_version(99);
  EXPECT_SAYS(Refusal(model), "IR version 99 ");
  model.Proto().set_ir_version(7);
  model.Proto().mutable_opset_import(0)->set_domain("com.example");
  EXPECT_SAYS(Refusal(model), "no opset version for domain ai.onnx");
}

TEST_F(ImportTest, CustomDomainNamesNodeOperatorAndDomain) {
  OnnxBuilder model;
  model.Input("x", {1, 3});
  model.Node("Fancy", {"x"}, {}, {"y"}, "n1");
  model.LastNode().set_domain("com.example");
  model.Output("y");
  EXPECT_SAYS(Refusal(model), "node 'n1' (Fancy): domain 'com.example' is not supported");
  model.LastNode().set_domain("com.microsoft");
  EXPECT_SAYS(Refusal(model), "before ONNX Runtime optimized it");
  model.LastNode().set_domain("ai.onnx");
  model.LastNode().set_op_type("Relu");
  EXPECT_EQ(Refusal(model), "accepted");
}

TEST_F(ImportTest, BrokenGraphs) {
  OnnxBuilder empty;
  EXPECT_SAYS(Refusal(empty), "the graph has no nodes");

  OnnxBuilder no_outputs;
  no_outputs.Input("x", {1, 3}).Relu();
  EXPECT_SAYS(Refusal(no_outputs), "the graph has no outputs");

  OnnxBuilder no_inputs;
  no_inputs.Initializer("w", {1}, std::vector<float>{1});
  no_inputs.Node("Relu", {"w"}, {}, {"y"});
  no_inputs.Output("y");
  EXPECT_SAYS(Refusal(no_inputs), "the graph has no inputs");

  OnnxBuilder dangling;
  dangling.Input("x", {1, 3});
  dangling.Node("Add", {"x", "nowhere"}, {}, {"y"}, "sum");
  dangling.Output("y");
  EXPECT_SAYS(Refusal(dangling), "node 'sum' (Add): reads 'nowhere', which no node computes");

  OnnxBuilder lost_output;
  AddRelu(lost_output);
  lost_output.Output("elsewhere");
  EXPECT_SAYS(Refusal(lost_output), "output 'elsewhere' is not computed by any node");

  OnnxBuilder twice_listed;
  AddRelu(twice_listed);
  twice_listed.Output("y");
  EXPECT_SAYS(Refusal(twice_listed), "output 'y' is listed twice");

  OnnxBuilder no_result;
  AddRelu(no_result);
  no_result.Node("Relu", {"x"}, {}, {""}, "void");
  EXPECT_SAYS(Refusal(no_result), "node 'void' (Relu): has no outputs");
}

TEST_F(ImportTest, CycleNamesANodeOnIt) {
  OnnxBuilder model;
  model.Input("x", {1, 3});
  model.Node("Add", {"x", "b"}, {}, {"a"}, "first");
  model.Node("Relu", {"a"}, {}, {"b"}, "second");
  model.Output("b");
  const std::string line = Refusal(model);
  EXPECT_SAYS(line, "the graph is cyclic: node '");
  EXPECT_TRUE(line.find("'first'") != std::string::npos ||
              line.find("'second'") != std::string::npos);
}

TEST_F(ImportTest, SecondDefinitions) {
  OnnxBuilder nodes;
  nodes.Input("x", {1, 3});
  nodes.Node("Relu", {"x"}, {}, {"y"}, "one");
  nodes.Node("Sigmoid", {"x"}, {}, {"y"}, "two");
  nodes.Output("y");
  EXPECT_SAYS(Refusal(nodes),
              "value 'y' is defined twice, by node 'one' (Relu) and by node 'two' (Sigmoid)");

  OnnxBuilder input;
  input.Input("x", {1, 3});
  input.Node("Relu", {"x"}, {}, {"x"}, "one");
  input.Output("x");
  EXPECT_SAYS(Refusal(input), "value 'x' is defined twice, by input 'x' and by node 'one'");

  OnnxBuilder initialisers;
  AddRelu(initialisers);
  initialisers.Initializer("w", {1}, std::vector<float>{1});
  initialisers.Initializer("w", {1}, std::vector<float>{1});
  EXPECT_SAYS(Refusal(initialisers), "value 'w' is defined twice");
}

TEST_F(ImportTest, SubgraphsSparseTensorsAndSequences) {
  OnnxBuilder branch;
  branch.Input("x", {1, 3});
  branch.Node("SequenceMap", {"x"}, {}, {"y"}, "choice");
  onnx::AttributeProto& attribute = *branch.LastNode().add_attribute();
  attribute.set_name("body");
  attribute.set_type(onnx::AttributeProto::GRAPH);
  attribute.mutable_g();
  branch.Output("y");
  EXPECT_SAYS(Refusal(branch), "node 'choice' (SequenceMap), attribute 'body': subgraphs");

  OnnxBuilder sparse;
  AddRelu(sparse);
  sparse.Proto().mutable_graph()->add_sparse_initializer()->mutable_values()->set_name("w");
  EXPECT_SAYS(Refusal(sparse), "initialiser 'w' is sparse");

  OnnxBuilder sequence;
  AddRelu(sequence);
  sequence.Proto().mutable_graph()->mutable_input(0)->mutable_type()->mutable_sequence_type();
  EXPECT_SAYS(Refusal(sequence), "input 'x': not a tensor");

  OnnxBuilder text;
  text.Input("x", {1, 3}, onnx::TensorProto::STRING).Op("Relu").Output("y");
  EXPECT_SAYS(Refusal(text), "input 'x': element type string is not supported");
}

TEST_F(ImportTest, NamesWithLineBreaksStayOnOneLine) {
  OnnxBuilder model;
  model.Input("x", {1, 3});
  model.Node("Add", {"x", "no\nwhere"}, {}, {"y"}, "a\nb");
  model.Output("y");
  EXPECT_SAYS(Refusal(model), "node 'a%0Ab' (Add): reads 'no%0Awhere'");
}

TEST_F(ImportTest, NamesAreUtf8WithoutControlCharacters) {
  EXPECT_EQ(PlainName("conv/1:0 %41 \u00e9\u20ac"), "conv/1:0 %41 \u00e9\u20ac");
  EXPECT_EQ(PlainName("\xff\x1b[m\xc3"), "%FF%1B[m%C3");
  EXPECT_EQ(PlainName(std::string("a\0b", 3)), "a%00b");
  EXPECT_EQ(PlainName("\xc0\x80 \xed\xa0\x80"), "%C0%80 %ED%A0%80");
  // The first and the last character of every length, and what lies right beyond.
  for (const char* name : {" ", "~", "\u0080", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff",
                           "\U00010000", "\U0010ffff"}) {
    EXPECT_EQ(PlainName(name), name);
  }
  EXPECT_EQ(PlainName("\x1f\x7f"), "%1F%7F");
  EXPECT_EQ(PlainName("\xc1\xbf"), "%C1%BF");
  EXPECT_EQ(PlainName("\xe0\x9f\xbf"), "%E0%9F%BF");
  EXPECT_EQ(PlainName("\xf0\x8f\xbf\xbf"), "%F0%8F%BF%BF");
  EXPECT_EQ(PlainName("\xf4\x90\x80\x80"), "%F4%90%80%80");
  EXPECT_EQ(PlainName("\xf5\x80\x80\x80"), "%F5%80%80%80");
  EXPECT_EQ(PlainName("\xe2\x82"), "%E2%82");
  EXPECT_EQ(PlainName("\xc3\xc0"), "%C3%C0");
  OnnxBuilder model;
  model.Input("x\xff", {1, 3});
  model.Node("Relu", {"x\xff"}, {}, {"y\x80"}, "n\xfe");
  model.Output("y\x80");
  const Graph graph = Import(model);
  EXPECT_EQ(graph.At(graph.inputs[0]).name, "x%FF");
  EXPECT_EQ(graph.At(graph.outputs[0]).name, "y%80");
  EXPECT_EQ(graph.nodes[0].name, "n%FE");
}

TEST_F(ImportTest, ManyNodesOfOneName) {
  OnnxBuilder model;
  model.Input("x", {1, 3});
  std::string last = "x";
  for (int i = 0; i < 5000; ++i) {
    const std::string next = "v" + std::to_string(i);
    model.Node("Relu", {last}, {}, {next}, i == 3 ? "same_2" : "same");
    last = next;
  }
  model.Output(last);
  const Graph graph = Import(model);
  EXPECT_EQ(graph.nodes[1].name, "same_2");
  EXPECT_EQ(graph.nodes[3].name, "same_2_2");
  EXPECT_EQ(graph.nodes[4999].name, "same_4999");
}

TEST_F(ImportTest, UnknownOperatorsAreNamedWithTheWayRound) {
  OnnxBuilder model(11);
  model.Input("x", {1, 3});
  model.Node("Wobble", {"x"}, {}, {"a"}, "w1");
  model.Node("Wobble", {"a"}, {}, {"b"}, "w2");
  model.Node("Unique", {"b"}, {}, {"y"}, "nms");
  model.Output("y");
  const Graph graph = Import(model);
  try {
    CheckOperators(graph);
    FAIL() << "unknown operators were accepted";
  } catch (const UserError& error) {
    EXPECT_SAYS(error.what(), "node 'w1' and 1 more: operator Wobble (opset 11, domain ai.onnx)");
    EXPECT_SAYS(error.what(), "node 'nms': operator Unique");
    EXPECT_SAYS(error.what(), "without its post-processing");
  }
  OnnxBuilder known;
  AddRelu(known);
  EXPECT_NO_THROW(CheckOperators(Import(known)));
}

}  // namespace
}  // namespace octet::import
