// Operators on codes: real values do what the codes did.
#include <sstream>
#include <utility>

#include "tests/converter/import/codes_support.h"

namespace octet::import {
namespace {

// As PyTorch exports them: a narrow range is a Clip on the codes, which have a scale an output.
TEST_F(CodesTest, WeightsThatAreQuantizedInTheFileAreTheirCodes) {
  OnnxBuilder model;
  Quantized(model, {1, 1, 1, 2});
  model.Initializer("w", {2, 1, 1, 2}, Floats{-200, 1, 0.5f, 2});
  model.Initializer("ws", {2}, Floats{1, 0.5f});
  Codes(model, "wz", {2}, kInt8, {0, 0});
  Codes(model, "low", {}, kInt8, {-127});
  Codes(model, "high", {}, kInt8, {127});
  const test::Attributes by_output{{"axis", Int(0)}};
  model.Node("QuantizeLinear", {"w", "ws", "wz"}, by_output, {"wq"});
  model.Node("Clip", {"wq", "low", "high"}, {}, {"wc"});
  model.Node("DequantizeLinear", {"wc", "ws", "wz"}, by_output, {"wr"});
  model.Node("DequantizeLinear", {"q", "s", "z"}, {}, {"r"});
  model.Node("Conv", {"r", "wr"}, {}, {"y"}).Output();
  const Graph graph = Import(model);
  for (const Node& node : graph.nodes) {
    EXPECT_NE(node.op, "Clip");
    if (node.op != "DequantizeLinear" || node.Int("axis", 1) != 0) continue;
    EXPECT_EQ(Constant(graph, node, 0).integers, (Integers{-127, 1, 1, 4}));
  }
}

TEST_F(CodesTest, WhatMovesCodesMovesRealValues) {
  OnnxBuilder model;
  Quantized(model);
  model.Node("MaxPool", {"q"}, {{"kernel_shape", Ints({2, 2})}}, {"m"});
  model.Node("Transpose", {"m"}, {{"perm", Ints({0, 2, 3, 1})}}, {"p"});
  model.Node("DequantizeLinear", {"p", "s", "z"}, {}, {"y"});
  model.Output("y");
  const Graph graph = Import(model);
  EXPECT_EQ(Ops(graph), "QuantizeLinear DequantizeLinear MaxPool Transpose");
  EXPECT_EQ(graph.At(graph.outputs[0]).name, "y");
}

TEST_F(CodesTest, WithoutAZeroPointItIsZero) {
  OnnxBuilder model;
  Quantized(model);
  Codes(model, "high", {}, kUint8, {120});
  model.Node("QuantizeLinear", {"x", "s"}, {}, {"q0"});
  model.Node("Min", {"q0", "high"}, {}, {"m"});
  model.Node("DequantizeLinear", {"m", "s"}, {}, {"y"});
  model.Output("y");
  const Graph graph = Import(model);
  EXPECT_EQ(Constant(graph, Find(graph, "Min"), 1).floats, Floats{60});
}

TEST_F(CodesTest, ConstantsBesideCodesAreReal) {
  OnnxBuilder model;
  Quantized(model);
  Codes(model, "low", {}, kUint8, {10});
  Codes(model, "high", {}, kUint8, {120});
  model.Initializer("pads", {8}, Integers{0, 0, 1, 1, 0, 0, 1, 1});
  model.Node("Clip", {"q", "low", "high"}, {}, {"c"});
  model.Node("Pad", {"c", "pads"}, {}, {"p"});
  model.Node("DequantizeLinear", {"p", "s", "z"}, {}, {"y"});
  model.Output("y");
  const Graph graph = Import(model);
  EXPECT_EQ(Ops(graph), "QuantizeLinear DequantizeLinear Clip QuantizeLinear DequantizeLinear Pad");
  EXPECT_EQ(Constant(graph, Find(graph, "Clip"), 1).floats, Floats{3.5f});
  EXPECT_EQ(Constant(graph, Find(graph, "Clip"), 2).floats, Floats{58.5f});
  // The code 0, which the file leaves out.
  EXPECT_EQ(Constant(graph, Find(graph, "Pad"), 2).floats, Floats{-1.5f});
}

TEST_F(CodesTest, CodesAreWantedBeyondTheOperator) {
  OnnxBuilder model;
  Quantized(model);
  model.Node("Split", {"q"}, {{"axis", Int(1)}}, {"a", "b"});
  model.Node("Concat", {"b", "a"}, {{"axis", Int(1)}}, {"j"});
  model.Node("DequantizeLinear", {"j", "t", "u"}, {}, {"y"});
  for (const char* name : {"y", "a"}) model.Output(name);
  const Graph graph = Import(model);
  // Codes `a` of the output in one branch, those of `j` in the scheme of q in the other.
  EXPECT_EQ(Ops(graph),
            "QuantizeLinear DequantizeLinear Split Concat QuantizeLinear DequantizeLinear "
            "QuantizeLinear");
  EXPECT_EQ(Constant(graph, graph.nodes[4], 1).floats, Floats{0.5f});
  EXPECT_EQ(Constant(graph, graph.nodes[5], 1).floats, Floats{0.25f});
  EXPECT_EQ(graph.At(graph.nodes[6].outputs[0]).name, "a");
}

TEST_F(CodesTest, JoinedCodesShareTheSchemeOfTheFirst) {
  OnnxBuilder model;
  Quantized(model);
  model.Node("QuantizeLinear", {"x", "t", "u"}, {}, {"r"});
  model.Node("Concat", {"q", "r"}, {{"axis", Int(1)}}, {"j"});
  model.Node("DequantizeLinear", {"j", "s", "z"}, {}, {"y"});
  model.Output("y");
  const Graph graph = Import(model);
  const Node& concat = Find(graph, "Concat");
  for (const graph::ValueId id : concat.inputs) {
    const Node& own = Producer(graph, id);
    EXPECT_EQ(own.op, "DequantizeLinear");
    EXPECT_EQ(Constant(graph, own, 1).floats, Floats{0.5f});
    EXPECT_EQ(Constant(graph, own, 2).integers, Integers{3});
  }
}

TEST_F(CodesTest, WhatLiesBetweenCodesIsCutOff) {
  OnnxBuilder model;
  Quantized(model);
  model.Initializer("scales", {4}, Floats{1, 1, 2, 2});
  model.Node("Resize", {"q", "", "scales"}, {{"mode", std::string("linear")}}, {"r"});
  model.Node("DequantizeLinear", {"r", "s", "z"}, {}, {"y"});
  model.Output("y");
  const Graph graph = Import(model);
  // The code 0 is -1.5.
  EXPECT_EQ(Ops(graph),
            "QuantizeLinear DequantizeLinear Resize Clip Sub Add QuantizeLinear DequantizeLinear");
  EXPECT_EQ(Constant(graph, Find(graph, "Clip"), 1).floats, Floats{-1.5f - 0.234375f});
  EXPECT_EQ(Constant(graph, Find(graph, "Clip"), 2).floats, Floats{-1.5f + 0.234375f});
  EXPECT_EQ(Constant(graph, Find(graph, "Add"), 1).floats, Floats{-1.5f});
  for (const char* op : {"Resize", "Clip", "Sub", "Add"}) {
    EXPECT_EQ(operators::Int8Of(Find(graph, op)), operators::Int8::kFp16) << op;
  }
}

TEST_F(CodesTest, ACastCountsCodes) {
  OnnxBuilder model;
  model.Input("x", {1, 4, 4, 3}, kUint8);
  model.Node("Transpose", {"x"}, {{"perm", Ints({0, 3, 1, 2})}}, {"p"});
  model.Node("Cast", {"p"}, {{"to", Int(1)}}, {"y"});
  model.Output("y");
  const Graph graph = Import(model);
  EXPECT_EQ(Ops(graph), "DequantizeLinear Transpose");
  EXPECT_EQ(Constant(graph, graph.nodes[0], 1).floats, Floats{1});
  EXPECT_EQ(Constant(graph, graph.nodes[0], 2).integers, Integers{0});
}

TEST_F(CodesTest, SmallIntegersThatNothingQuantizesStay) {
  OnnxBuilder model;
  model.Input("x", {1, 4});
  model.Node("Cast", {"x"}, {{"to", Int(kUint8)}}, {"i"});
  model.Node("Transpose", {"i"}, {{"perm", Ints({1, 0})}}, {"p"});
  model.Node("Cast", {"p"}, {{"to", Int(1)}}, {"y"});
  model.Output("y");
  EXPECT_EQ(Ops(Import(model)), "Cast Transpose Cast");
}

TEST_F(CodesTest, ArithmeticOnCodesIsRefusedByName) {
  OnnxBuilder model;
  Quantized(model);
  model.Node("Mod", {"q", "u"}, {}, {"m"}, "culprit");
  model.Node("DequantizeLinear", {"m", "s", "z"}, {}, {"y"});
  model.Output("y");
  const std::string line = Refusal(model);
  EXPECT_SAYS(line, "node 'culprit' (Mod)");
  EXPECT_SAYS(line, "--cut-at 'q'");
}

TEST_F(CodesTest, ChannelsThatMoveAreRefusedByName) {
  OnnxBuilder model;
  model.Input("x", {1, 2, 4, 4});
  model.Initializer("s", {2}, Floats{0.5f, 0.25f});
  Codes(model, "z", {2}, kInt8, {0, 0});
  model.Node("QuantizeLinear", {"x", "s", "z"}, {{"axis", Int(1)}}, {"q"});
  model.Node("MaxPool", {"q"}, {{"kernel_shape", Ints({2, 2})}}, {"m"}, "culprit");
  model.Node("DequantizeLinear", {"m", "s", "z"}, {{"axis", Int(1)}}, {"y"});
  model.Output("y");
  EXPECT_SAYS(Refusal(model), "node 'culprit' (MaxPool): the codes of its input 'q'");
}

TEST_F(CodesTest, AScaleOfZeroGivesZero) {
  OnnxBuilder model;
  model.Input("x", {1, 2, 4, 4});
  model.Initializer("s", {}, Floats{0});
  Codes(model, "z", {}, kInt8, {0});
  model.Node("QuantizeLinear", {"x", "s", "z"}, {}, {"q"}, "none");
  model.Node("DequantizeLinear", {"q", "s", "z"}, {}, {"y"});
  model.Output("y");
  const Graph graph = Import(model);
  EXPECT_EQ(Ops(graph), "Mul");
  EXPECT_EQ(Constant(graph, graph.nodes[0], 1).floats, Floats{0});
  // Signs would decide here.
  model.Initializer("t", {}, Floats{0.5f});
  model.Node("DequantizeLinear", {"q", "t", "z"}, {}, {"signs"});
  model.Output("signs");
  EXPECT_SAYS(Refusal(model), "node 'none' (QuantizeLinear): its scale is 0");
}

TEST_F(CodesTest, CodesOfConstantsAndScalesAreComputed) {
  OnnxBuilder model;
  model.Input("x", {1, 1, 4, 4});
  Codes(model, "w", {1, 1, 1, 2}, kInt8, {3, -5});
  model.Initializer("s", {1, 2}, Floats{0.5f, 0.25f});
  model.Initializer("axes", {1}, Integers{0});
  model.Node("Transpose", {"w"}, {{"perm", Ints({3, 2, 0, 1})}}, {"turned"});
  model.Node("Squeeze", {"s", "axes"}, {}, {"scales"});
  model.Node("DequantizeLinear", {"turned", "scales"}, {{"axis", Int(0)}}, {"real"});
  model.Node("Conv", {"x", "real"}, {}, {"y"});
  model.Output("y");
  const Graph graph = Import(model);
  EXPECT_EQ(Ops(graph), "DequantizeLinear Conv");
  EXPECT_EQ(Constant(graph, graph.nodes[0], 0).integers, (Integers{3, -5}));
  EXPECT_EQ(operators::Evaluate(graph, graph.nodes[0])[0].floats, (Floats{1.5f, -1.25f}));
}

// Weights that are quantized in the file, as training for quantization exports them.
TEST_F(CodesTest, ConstantsAreQuantized) {
  OnnxBuilder model;
  model.Input("x", {1, 1, 4, 4});
  model.Initializer("w", {1, 1, 1, 2}, Floats{1.5f, -70.0f});
  model.Initializer("s", {2}, Floats{0.5f, 0.25f});
  Codes(model, "z", {2}, kInt8, {0, 0});
  Codes(model, "low", {}, kInt8, {-127});
  Codes(model, "high", {}, kInt8, {127});
  model.Node("Transpose", {"w"}, {{"perm", Ints({3, 2, 0, 1})}}, {"turned"});
  model.Node("QuantizeLinear", {"turned", "s", "z"}, {{"axis", Int(0)}}, {"q"});
  model.Node("Clip", {"q", "low", "high"}, {}, {"c"});
  model.Node("DequantizeLinear", {"c", "s", "z"}, {{"axis", Int(0)}}, {"real"});
  model.Node("Conv", {"x", "real"}, {}, {"y"});
  model.Output("y");
  const Graph graph = Import(model);
  EXPECT_EQ(Ops(graph), "DequantizeLinear Conv");
  EXPECT_EQ(Constant(graph, graph.nodes[0], 0).integers, (Integers{3, -127}));
}

TEST_F(CodesTest, LayersOnCodesKeepTheFormOfTheirOpset) {
  OnnxBuilder model;
  Quantized(model);
  for (const int opset : {11, 13}) {
    model.Node("QLinearSoftmax", {"q", "s", "z", "t", "u"},
               {{"axis", Int(1)}, {"opset", Int(opset)}}, {"p" + std::to_string(opset)});
    model.LastNode().set_domain("com.microsoft");
    model.Node("DequantizeLinear", {"p" + std::to_string(opset), "t", "u"}, {},
               {"y" + std::to_string(opset)});
    model.Output("y" + std::to_string(opset));
  }
  model.Node("QLinearReduceMean", {"q", "s", "z", "t", "u"},
             {{"axes", Ints({2, 3})}, {"keepdims", Int(0)}}, {"m"});
  model.LastNode().set_domain("com.microsoft");
  model.Node("DequantizeLinear", {"m", "t", "u"}, {}, {"y"});
  model.Output("y");
  const Graph graph = Import(model);
  std::vector<int64_t> coerced;
  for (const Node& node : graph.nodes) {
    if (node.op == "Softmax") coerced.push_back(node.Int("octet_coerced", 0));
  }
  EXPECT_EQ(coerced, (Integers{1, 0}));
  EXPECT_EQ(*graph.At(graph.outputs[2]).shape, (graph::Shape{1, 2}));
}

// As a zero point of that type: 0 in the shape of the scale.
TEST_F(CodesTest, OutputTypeOfAQuantizeLinearWithoutZeroPoint) {
  const std::pair<int64_t, graph::DataType> types[] = {{2, graph::DataType::kUInt8},
                                                       {3, graph::DataType::kInt8},
                                                       {4, graph::DataType::kUInt16},
                                                       {5, graph::DataType::kInt16}};
  for (const auto& [code, type] : types) {
    OnnxBuilder model(21);
    model.Input("x", {1, 2, 4, 4});
    model.Initializer("s", {2}, Floats{0.5f, 0.25f});
    model.Node("QuantizeLinear", {"x", "s"}, {{"output_dtype", Int(code)}}, {"q"}, "quantize");
    model.Node("DequantizeLinear", {"q", "s"}, {}, {"y"});
    model.Output("y");
    const Graph graph = Import(model);
    const Node& quantize = Find(graph, "QuantizeLinear");
    EXPECT_EQ(Constant(graph, quantize, 2).type, type);
    EXPECT_EQ(Constant(graph, quantize, 2).integers, (Integers{0, 0}));
    EXPECT_EQ(graph.At(quantize.outputs[0]).type, type);
  }
}

TEST_F(CodesTest, OutputTypeThatIsNotSupportedIsNamed) {
  const std::pair<int64_t, const char*> types[] = {
      {17, "float8e4m3fn"},   {18, "float8e4m3fnuz"}, {19, "float8e5m2"},
      {20, "float8e5m2fnuz"}, {21, "uint4"},          {22, "int4"},
      {23, "float4e2m1"},     {1, "float"},           {-3, "codes of type -3"}};
  for (const auto& [code, name] : types) {
    OnnxBuilder model(21);
    model.Input("x", {1, 2, 4, 4});
    model.Initializer("s", {}, Floats{0.5f});
    Codes(model, "z", {}, kUint8, {0});
    model.Node("QuantizeLinear", {"x", "s"}, {{"output_dtype", Int(code)}}, {"q"}, "quantize");
    model.Node("DequantizeLinear", {"q", "s"}, {}, {"y"});
    model.Output("y");
    const std::string line = Refusal(model);
    EXPECT_SAYS(line, "node 'quantize' (QuantizeLinear)");
    EXPECT_SAYS(line, name);
  }
  OnnxBuilder model(21);
  Quantized(model);
  model.LastNode().set_name("quantize");
  onnx::AttributeProto& type = *model.LastNode().add_attribute();
  type.set_name("output_dtype");
  type.set_type(onnx::AttributeProto::INT);
  type.set_i(3);
  model.Node("DequantizeLinear", {"q", "s", "z"}, {}, {"y"});
  model.Output("y");
  EXPECT_SAYS(Refusal(model), "output_dtype is int8, its zero point is uint8");
}

// What a Cast to codes does to real numbers, and to codes of another type.
TEST_F(CodesTest, CastsToCodes) {
  struct Row {
    std::string before;  // operators between x and the Cast
    int to;
    std::string ops;
  };
  const std::string coded = " Identity QuantizeLinear DequantizeLinear";
  for (const Row& row :
       {Row{"", kUint8, "Cast Floor" + coded}, Row{"", kInt8, "Cast Floor Ceil Less Where" + coded},
        Row{"Round", kInt8, "Round Cast" + coded},
        Row{"Floor Relu", kUint8, "Floor Relu Cast Floor" + coded},
        Row{"Ceil Clip", kUint8, "Ceil Clip Cast" + coded}}) {
    OnnxBuilder model;
    model.Input("x", {1, 4});
    std::string at = "x", op;
    for (std::istringstream words(row.before); words >> op;) {
      model.Node(op, {at}, {}, {"at_" + op});
      at = "at_" + op;
    }
    model.Node("Cast", {at}, {{"to", Int(row.to)}}, {"q"});
    model.Initializer("s", {}, Floats{0.5f});
    model.Node("DequantizeLinear", {"q", "s"}, {}, {"y"});
    model.Output("y");
    EXPECT_EQ(Ops(Import(model)), row.ops);
  }
}

TEST_F(CodesTest, CodesBecomeCodesOfAnotherSign) {
  for (const auto& [from, to] : {std::pair{kUint8, kInt8}, {kInt8, kUint8}, {kInt8, kInt8}}) {
    OnnxBuilder model;
    model.Input("x", {1, 4});
    model.Initializer("s", {}, Floats{0.5f});
    Codes(model, "z", {}, from, {0});
    model.Node("QuantizeLinear", {"x", "s", "z"}, {}, {"q"});
    model.Node("Cast", {"q"}, {{"to", Int(to)}}, {"c"});
    model.Node("DequantizeLinear", {"c", "s"}, {}, {"y"});
    model.Output("y");
    const std::string ops = Ops(Import(model));
    EXPECT_EQ(ops.find("Greater") != std::string::npos, to == kInt8 && from != to) << ops;
    EXPECT_EQ(ops.find("Less") != std::string::npos, to == kUint8) << ops;
  }
  OnnxBuilder model(21);
  model.Input("x", {1, 4});
  model.Initializer("s", {}, Floats{0.5f});
  Codes(model, "z", {}, kInt8, {0});
  model.Node("QuantizeLinear", {"x", "s", "z"}, {}, {"q"});
  model.Node("Cast", {"q"}, {{"to", Int(5)}}, {"c"}, "widen");
  model.Node("DequantizeLinear", {"c", "s"}, {}, {"y"});
  model.Output("y");
  EXPECT_SAYS(Refusal(model), "node 'widen' (Cast): converts int8 codes to int16");
}

}  // namespace
}  // namespace octet::import
