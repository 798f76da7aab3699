// Quantization that a model brings: what it says stays, bit for bit, and what it means too.
#include <stdexcept>

#include <gtest/gtest.h>

#include "converter/operators/operator.h"
#include "converter/operators/weights.h"
#include "converter/passes/editor.h"
#include "tests/converter/graph/given_by_test.h"
#include "tests/converter/passes/net.h"

namespace octet::passes::testing {
namespace {

using graph::DataType;
using graph::Given;

ValueId Codes(Net& net, const Shape& shape, std::vector<int64_t> values, DataType type) {
  return net.graph.AddConstant("q" + std::to_string(net.graph.values.size()),
                               Tensor::Integers(shape, std::move(values), type));
}

ValueId Quantize(Net& net, ValueId x, float scale, int64_t zero_point,
                 DataType type = DataType::kUInt8) {
  return net.Op("QuantizeLinear", {x, net.Scalar(scale), Codes(net, {}, {zero_point}, type)});
}

ValueId Dequantize(Net& net, ValueId q, float scale, int64_t zero_point,
                   DataType type = DataType::kUInt8) {
  return net.Op("DequantizeLinear", {q, net.Scalar(scale), Codes(net, {}, {zero_point}, type)});
}

ValueId Both(Net& net, ValueId x, float scale, int64_t zero_point,
             DataType type = DataType::kUInt8) {
  return Dequantize(net, Quantize(net, x, scale, zero_point, type), scale, zero_point, type);
}

Given Scheme(float scale, int zero_point) {
  return {scale, zero_point};
}

// 1x1 weights of four outputs and two inputs, a scale an output.
ValueId Weights(Net& net) {
  const ValueId codes =
      Codes(net, {4, 2, 1, 1}, {-128, 127, 5, -7, 64, 3, 0, 100}, DataType::kInt8);
  return net.Op("DequantizeLinear",
                {codes, net.Floats({4}, {0.01f, 0.02f, 0.5f, 0.25f}),
                 Codes(net, {4}, {0, 0, 0, 0}, DataType::kInt8)},
                {{"axis", int64_t{0}}});
}

TEST(DequantizeConstants, RemembersScalesByOutput) {
  Net net;
  net.Output(net.Op("Conv", {net.Input({1, 2, 3, 3}), Weights(net)}));
  EXPECT_EQ(RunPass(net, "dequantize_constants", 1), "Conv");
  EXPECT_EQ(operators::CodedScalesOf(net.graph, net.graph.nodes[0]),
            (std::vector<float>{0.01f, 0.02f, 0.5f, 0.25f}));
}

// Few enough for shape inference to know their values before they are dequantized.
TEST(DequantizeConstants, WeightsThatMoveKeepTheirScales) {
  Net net;
  const ValueId codes = Codes(net, {1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}, DataType::kInt8);
  const ValueId weights =
      net.Op("DequantizeLinear", {codes, net.Floats({3}, {1, 2, 4})}, {{"axis", int64_t{3}}});
  const ValueId turned = net.Op("Transpose", {weights}, {{"perm", Ints{3, 2, 0, 1}}});
  net.Output(net.Op("Conv", {net.Input({1, 2, 3, 3}), turned}));
  EXPECT_EQ(RunAll(net), "Conv");
  EXPECT_EQ(operators::CodedScalesOf(net.graph, net.graph.nodes[0]), (std::vector<float>{1, 2, 4}));
}

TEST(DequantizeConstants, OfAMatrixByColumnAndItsBias) {
  Net net;
  const ValueId codes = Codes(net, {2, 3}, {1, 2, 3, 4, 5, 6}, DataType::kInt8);
  const ValueId weights =
      net.Op("DequantizeLinear", {codes, net.Floats({3}, {1, 2, 4})}, {{"axis", int64_t{1}}});
  const ValueId bias = net.Op(
      "DequantizeLinear", {Codes(net, {3}, {1 << 30, -7, 0}, DataType::kInt32), net.Scalar(0.5f)});
  net.Output(net.Op("Gemm", {net.Input({1, 2}), weights, bias}));
  EXPECT_EQ(RunAll(net), "Gemm");
  EXPECT_EQ(operators::CodedScalesOf(net.graph, net.graph.nodes[0]), (std::vector<float>{1, 2, 4}));
  EXPECT_EQ(operators::CodedBiasOf(net.graph, net.graph.nodes[0]).codes,
            (std::vector<int64_t>{1 << 30, -7, 0}));
}

TEST(RemoveQuantize, KeepsTheClampThatLivesInTheCodes) {
  Net net;
  const ValueId x = net.Input({1, 2, 3, 3});
  const ValueId conv = net.Op("Conv", {Both(net, x, 0.03f, 120), Weights(net)});
  net.Output(net.Op("Abs", {Both(net, conv, 6.0f / 255, 0)}));
  // The first Clip is the range of the input's codes.
  EXPECT_EQ(RunAll(net), "Clip Conv+Clip Abs");
  const Node& node = net.graph.nodes[1];
  EXPECT_EQ(node.alpha, 0);
  EXPECT_FLOAT_EQ(node.beta, 6);
  const graph::Value &in = net.graph.At(node.inputs[0]), &out = net.graph.At(node.outputs[0]);
  ASSERT_NE(in.given, nullptr);
  EXPECT_TRUE(*in.given == Scheme(0.03f, -8));
  ASSERT_NE(out.given, nullptr);
  EXPECT_TRUE(*out.given == Scheme(6.0f / 255, -128));
  EXPECT_EQ(out.name, "Conv_3_y0");
}

TEST(RemoveQuantize, OtherReadersReadTheSameCodes) {
  Net net;
  const ValueId sum = net.Op("Add", {net.Input({1, 2, 3, 3}), net.Random({1, 2, 3, 3})});
  net.Output(net.Op("Abs", {Both(net, sum, 0.05f, 0, DataType::kInt8)}));
  net.Output(net.Op("Neg", {Both(net, sum, 0.05f, 0, DataType::kInt8)}));
  EXPECT_EQ(RunPass(net, "remove_quantize", 2), "Add Clip Abs Neg");
}

TEST(RemoveQuantize, ASecondSchemeIsReachedFromTheFirst) {
  Net net;
  const ValueId first = Both(net, net.Op("Abs", {net.Input({1, 8})}), 0.05f, 0);
  net.Output(net.Op("Neg", {Both(net, first, 0.1f, 3)}));
  net.Output(net.Op("Abs", {first}));
  EXPECT_EQ(RunPass(net, "remove_quantize", 2), "Abs Clip Clip Neg Abs");
}

TEST(RemoveQuantize, SixteenBitsAreCalibrated) {
  Net net;
  const ValueId x = net.Op("Abs", {net.Input({1, 8})});
  net.Output(net.Op("Neg", {Both(net, x, 5e-5f, 0, DataType::kInt16)}));
  // 1.6 is the largest that the codes say.
  EXPECT_EQ(RunPass(net, "remove_quantize", 1), "Abs Clip Neg");
  ASSERT_EQ(net.graph.notes.size(), 1u);
  EXPECT_NE(net.graph.notes[0].find("16 bits"), std::string::npos) << net.graph.notes[0];
}

TEST(RemoveImpliedClip, GoesWhereItDoesNothing) {
  Net net;
  net.Output(Both(net, net.Op("Sigmoid", {net.Input({1, 8})}), 1.0f / 256, 0));
  EXPECT_EQ(RunPass(net, "remove_quantize", 1), "Sigmoid Clip Identity");
  EXPECT_EQ(RunPass(net, "remove_identity", 1), "Sigmoid Clip");
  EXPECT_EQ(RunPass(net, "remove_implied_clip", 1), "Sigmoid");
  ASSERT_NE(net.graph.At(net.graph.outputs[0]).given, nullptr);
}

TEST(RemoveImpliedClip, StaysWhereItMayBeAnActivation) {
  Net net;
  const ValueId x = net.Input({1, 2, 8, 8});
  // Negative values of x would come through the mean.
  net.Output(net.Op("Abs", {Both(net, net.Op("GlobalAveragePool", {x}), 0.01f, 0)}));
  net.Output(net.Op("Neg", {Both(net, net.Op("Softmax", {x}), 1.0f / 255, 0)}));
  EXPECT_EQ(RunPass(net, "remove_quantize", 2), "GlobalAveragePool Clip Abs Softmax Clip Neg");
  EXPECT_EQ(RunPass(net, "remove_implied_clip", 1), "GlobalAveragePool Clip Abs Softmax Neg");
}

TEST(RemoveImpliedClip, OfAProductOfComputedTensors) {
  Net net;
  const ValueId x = net.Input({1, 2, 4, 4});
  net.Output(net.Op("Neg", {Both(net, net.Op("MatMul", {x, x}), 0.5f, 98)}));
  EXPECT_EQ(RunPass(net, "remove_quantize", 1), "MatMul Clip Neg");
  EXPECT_EQ(RunPass(net, "remove_implied_clip", 0), "MatMul Clip Neg");
}

TEST(RemoveImpliedClip, GoesWhereCodesOfTheInputsBoundTheResult) {
  const auto ops = [](float step) {
    Net net;
    const ValueId x = Both(net, net.Input({1, 2, 3, 3}), 0.02f, 128);
    net.Output(net.Op("Neg", {Both(net, net.Op("Silu", {x}), step, 28)}));
    RunPass(net, "remove_quantize", 2);
    RunPass(net, "remove_implied_clip", step > 0.01f ? 1 : 0);
    return net.Ops();
  };
  // Silu of at most 2.54 is at most 2.35 and at least -0.28; the codes end at 2.38, or 2.16.
  EXPECT_EQ(ops(0.0105f), "Clip Silu Neg");
  EXPECT_EQ(ops(0.0095f), "Clip Silu Clip Neg");
}

TEST(GiveBeforeClip, WhatStaysIsRoundedOnce) {
  Net net;
  net.Output(net.Op("Neg", {Both(net, net.Op("Sigmoid", {net.Input({1, 8})}), 0.002f, 3)}));
  EXPECT_EQ(RunAll(net), "Sigmoid Clip Neg");
  for (const size_t n : {0, 1}) {
    const graph::Value& value = net.graph.At(net.graph.nodes[n].outputs[0]);
    ASSERT_NE(value.given, nullptr);
    EXPECT_TRUE(*value.given == Scheme(0.002f, -125));
  }
}

// What only moves elements of an input leaves them what they are: the input is rounded, once.
TEST(HoistActivation, ARangeOfCodesMovesUpToAnInput) {
  Net net;
  const ValueId x = net.Input({1, 2, 4, 4});
  const ValueId flat = net.Op("Reshape", {x, net.Integers({1, 32})});
  net.Output(net.Op("Neg", {Both(net, flat, 0.05f, 3)}));
  EXPECT_EQ(RunPass(net, "remove_quantize", 1), "Reshape Clip Neg");
  EXPECT_EQ(RunPass(net, "hoist_activation", 1), "Clip Reshape Neg");
  EXPECT_TRUE(*net.graph.At(x).given == Scheme(0.05f, -125));
  for (const size_t n : {0, 1}) {
    EXPECT_TRUE(*net.graph.At(net.graph.nodes[n].outputs[0]).given == Scheme(0.05f, -125));
  }
}

TEST(HoistActivation, NotWhereAnInputIsReadInOtherCodes) {
  for (const bool is_real : {true, false}) {
    Net net;
    const ValueId x = net.Input({1, 2, 4, 4});
    const ValueId flat = net.Op("Reshape", {x, net.Integers({1, 32})});
    net.Output(net.Op("Neg", {Both(net, flat, 0.05f, 3)}));
    const ValueId other = net.Op("Reshape", {x, net.Integers({1, 8, 4})});
    net.Output(net.Op("Neg", {is_real ? net.Op("Sin", {x}) : Both(net, other, 0.04f, 3)}));
    RunAll(net);
    EXPECT_EQ(net.graph.At(x).given, nullptr) << is_real;
  }
}

// The border of a Pad is one of the values that the codes can say, or the Clip cuts it off.
TEST(HoistActivation, ARangeOfCodesMovesBeforeAPad) {
  for (const float fill : {0.0f, 100.0f}) {
    Net net;
    const ValueId x = net.Op("Sin", {net.Input({1, 2, 4, 4})});
    const ValueId padded =
        net.Op("Pad", {x, net.Integers({0, 0, 1, 1, 0, 0, 1, 1}), net.Scalar(fill)});
    net.Output(net.Op("Neg", {Both(net, padded, 0.05f, 3)}));
    EXPECT_EQ(RunPass(net, "remove_quantize", 1), "Sin Pad Clip Neg");
    EXPECT_EQ(RunPass(net, "hoist_activation", fill == 0 ? 1 : 0),
              fill == 0 ? "Sin Clip Pad Neg" : "Sin Pad Clip Neg");
  }
}

// What the model rounds does not go into a neighbour: the range would go with it.
TEST(FoldBatchNormBefore, NotWhereItsResultIsRounded) {
  Net net;
  const ValueId norm = net.Norm(net.Input({1, 2, 5, 5}), 2);
  net.Output(net.Op("Conv", {Both(net, norm, 0.001f, 128), Weights(net)}));
  EXPECT_EQ(RunAll(net), "Conv+Clip Conv");
}

TEST(FoldScaleBefore, NotWhereItsResultIsRounded) {
  Net net;
  const ValueId scaled = net.Op("Mul", {net.Input({1, 2, 5, 5}), net.Random({1, 2, 1, 1})});
  net.Output(net.Op("Conv", {Both(net, scaled, 0.001f, 128), Weights(net)}));
  EXPECT_EQ(RunAll(net), "Mul+Clip Conv");
}

TEST(SliceOfConcat, NotWhereTheConcatRounds) {
  Net net;
  const ValueId x = net.Input({1, 2, 3, 3});
  const ValueId joined =
      net.Op("Concat",
             {Both(net, net.Op("Neg", {x}), 0.02f, 128), Both(net, net.Op("Sin", {x}), 0.01f, 128)},
             {{"axis", int64_t{1}}});
  const ValueId cut = net.Op("Slice", {Both(net, joined, 0.03f, 128), net.Integers({0}),
                                       net.Integers({2}), net.Integers({1})});
  net.Output(net.Op("Abs", {cut}));
  EXPECT_EQ(RunAll(net), "Neg Clip Sin Concat Slice Abs");
}

// Every output of a ConvTranspose is as many outputs of the Conv as it has phases.
TEST(ConvTransposeToConv, ScalesGoWithTheirOutputs) {
  struct Case {
    int64_t groups, axis;
    std::vector<float> scales;   // in the model
    std::vector<float> outputs;  // by output of the ConvTranspose; empty where one has several
  };
  const Case cases[] = {{1, 1, {1, 2, 4}, {1, 2, 4}},
                        {2, 1, {1, 2, 4}, {1, 2, 4, 1, 2, 4}},
                        {4, 0, {1, 2, 4, 8}, {1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8}},
                        {1, 0, {1, 2, 4, 8}, {}},
                        {2, 0, {1, 1, 4, 4}, {1, 1, 1, 4, 4, 4}}};
  for (const Case& one : cases) {
    SCOPED_TRACE("groups " + std::to_string(one.groups) + " axis " + std::to_string(one.axis));
    Net net;
    std::vector<int64_t> codes;
    for (int64_t i = 0; i < 4 * 3 * 3 * 3; ++i) codes.push_back(i * 7 % 255 - 127);
    const ValueId weights =
        net.Op("DequantizeLinear",
               {Codes(net, {4, 3, 3, 3}, codes, DataType::kInt8),
                net.Floats({static_cast<int64_t>(one.scales.size())}, one.scales)},
               {{"axis", one.axis}});
    net.Output(
        net.Op("ConvTranspose", {net.Input({1, 4, 3, 3}), weights},
               {{"group", one.groups}, {"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}}));
    RunAll(net);
    ASSERT_EQ(net.graph.nodes[0].op, "Conv");
    const std::vector<float> scales = operators::CodedScalesOf(net.graph, net.graph.nodes[0]);
    ASSERT_EQ(scales.size(), 4 * one.outputs.size());
    for (size_t o = 0; o < scales.size(); ++o) {
      const size_t output = one.groups == 1 ? o % one.outputs.size() : o / 4;
      EXPECT_EQ(scales[o], one.outputs[output]) << o;
    }
  }
}

TEST(RemoveImpliedClip, OfAConcatCutsWhatNothingBounds) {
  Net net;
  const ValueId x = net.Input({1, 2, 3, 3});
  const ValueId joined =
      net.Op("Concat", {net.Op("Neg", {x}), Both(net, net.Op("Abs", {x}), 0.05f, 0)},
             {{"axis", int64_t{1}}});
  net.Output(net.Op("Tanh", {Both(net, joined, 0.01f, 0)}));
  // Codes of the second input reach further than those of the result.
  EXPECT_EQ(RunAll(net), "Neg Abs Clip Clip Concat Clip Tanh");
}

TEST(RemoveImpliedClip, BehindATighterClipOfTheSameScheme) {
  Net net;
  const ValueId x = Both(net, net.Op("Abs", {net.Input({1, 8})}), 0.005f, 0);
  const ValueId inside = net.Op("Clip", {x, net.Scalar(0.1f), net.Scalar(0.9f)});
  net.Output(net.Op("Neg", {Both(net, inside, 0.005f, 0)}));
  EXPECT_EQ(RunPass(net, "remove_quantize", 2), "Abs Clip Clip Clip Neg");
  EXPECT_EQ(RunPass(net, "remove_implied_clip", 1), "Abs Clip Clip Neg");
  EXPECT_TRUE(*net.graph.At(net.graph.nodes[2].outputs[0]).given == Scheme(0.005f, -128));
}

TEST(GiveBeforeClip, ByItself) {
  Net net;
  net.Output(net.Op("Neg", {Both(net, net.Op("Sigmoid", {net.Input({1, 8})}), 0.002f, 3)}));
  EXPECT_EQ(RunPass(net, "remove_quantize", 1), "Sigmoid Clip Neg");
  EXPECT_EQ(RunPass(net, "give_before_clip", 1), "Sigmoid Clip Neg");
}

// Codes stay as they are where they are read in another scheme than they were written in: each
// step has the scheme in which it changes no code.
TEST(RemoveQuantize, AnotherSchemeOfTheSameCodes) {
  Net net;
  const ValueId codes = Quantize(net, net.Op("Abs", {net.Input({1, 8})}), 0.01f, 3);
  net.Output(net.Op("Neg", {Dequantize(net, codes, 0.02f, 3)}));
  net.Output(net.Op("Exp", {Dequantize(net, codes, 0.02f, 1)}));
  net.Output(net.Op("Sin", {Dequantize(net, codes, 0.01f, 1)}));
  EXPECT_EQ(RunPass(net, "remove_quantize", 1), "Abs Clip Mul Neg Mul Add Exp Add Sin");
  const auto scheme = [&](size_t node) {
    return *net.graph.At(net.graph.nodes[node].outputs[0]).given;
  };
  EXPECT_TRUE(scheme(1) == Scheme(0.01f, -125));
  EXPECT_TRUE(scheme(2) == Scheme(0.02f, -125));
  EXPECT_TRUE(scheme(4) == Scheme(0.02f, -125));
  EXPECT_TRUE(scheme(5) == Scheme(0.02f, -127));
  EXPECT_TRUE(scheme(7) == Scheme(0.01f, -127));
}

TEST(FoldScaleBefore, OneFactorScalesTheWeightsScales) {
  Net net;
  const ValueId doubled = net.Op("Mul", {net.Input({1, 2, 3, 3}), net.Scalar(2)});
  net.Output(net.Op("Conv", {doubled, Weights(net)}));
  EXPECT_EQ(RunAll(net), "Conv");
  EXPECT_EQ(operators::CodedScalesOf(net.graph, net.graph.nodes[0]),
            (std::vector<float>{0.02f, 0.04f, 1.0f, 0.5f}));
}

TEST(RemoveQuantize, ChannelsOfTheSameCodes) {
  Net net;
  const ValueId x = net.Op("Tanh", {net.Input({1, 3, 2, 2})});
  const ValueId codes = Quantize(net, x, 0.01f, 0, DataType::kInt8);
  net.Output(net.Op("Neg", {net.Op("DequantizeLinear",
                                   {codes, net.Floats({3}, {0.01f, 0.02f, 0.04f}),
                                    Codes(net, {3}, {0, 0, 5}, DataType::kInt8)},
                                   {{"axis", int64_t{1}}})}));
  EXPECT_EQ(RunPass(net, "remove_quantize", 1), "Tanh Clip Mul Add Neg");
}

TEST(DequantizeConstants, AScaleOfZeroGivesZero) {
  Net net;
  const ValueId codes = Codes(net, {2, 1, 1, 1}, {5, 7}, DataType::kInt8);
  const ValueId bias = Codes(net, {2}, {100, 7}, DataType::kInt32);
  const Attributes axis = {{"axis", int64_t{0}}};
  const ValueId weights = net.Op("DequantizeLinear", {codes, net.Floats({2}, {0, 0.5f})}, axis);
  const ValueId offset = net.Op("DequantizeLinear", {bias, net.Floats({2}, {0, 0.25f})}, axis);
  net.Output(net.Op("Conv", {net.Input({1, 1, 2, 2}), weights, offset}));
  EXPECT_EQ(RunAll(net), "Conv");
  const Node& conv = net.graph.nodes[0];
  EXPECT_EQ(net.graph.Constant(conv.inputs[1])->floats, (std::vector<float>{0, 3.5f}));
  EXPECT_EQ(net.graph.Constant(conv.inputs[2])->floats, (std::vector<float>{0, 1.75f}));
  EXPECT_EQ(operators::CodedScalesOf(net.graph, conv), (std::vector<float>{0.5f, 0.5f}));
  EXPECT_TRUE(operators::CodedBiasOf(net.graph, conv).codes.empty());
}

TEST(RemoveInputCodes, ReadersOfAnotherSchemeComeBehindTheFirst) {
  const auto input = [](Net& net) {
    const ValueId x = net.Input({1, 3, 4, 4});
    net.graph.At(x).type = DataType::kUInt8;
    return x;
  };
  {
    Net net;
    const ValueId x = input(net);
    net.Output(net.Op("Neg", {Dequantize(net, x, 0.5f, 2)}));
    net.Output(net.Op("Abs", {Dequantize(net, x, 0.25f, 2)}));
    EXPECT_EQ(RunPass(net, "remove_input_codes", 1), "Neg Mul Abs");
    EXPECT_TRUE(*net.graph.At(x).given == Scheme(0.5f, -126));
    EXPECT_TRUE(*net.graph.At(net.graph.nodes[1].outputs[0]).given == Scheme(0.25f, -126));
  }
  {
    Net net;
    const ValueId x = input(net);
    net.Output(net.Op("Neg", {Dequantize(net, x, 0.5f, 2)}));
    net.Output(x);
    const std::string before = net.Ops();
    EXPECT_EQ(RunPass(net, "remove_input_codes", 0), before);
  }
  {
    Net net;
    const ValueId x = input(net);
    net.Output(net.Op("Neg", {Dequantize(net, x, 0.5f, 2)}));
    net.Output(net.Op("Abs", {Dequantize(net, x, 0.5f, 2)}));
    EXPECT_EQ(RunPass(net, "remove_input_codes", 1), "Neg Abs");
    EXPECT_TRUE(*net.graph.At(x).given == Scheme(0.5f, -126));
  }
}

// A rewrite that drops codes does not get past the editor; of constants: codes_test.cc.
TEST(Editor, ThrowsWhereGivenCodesFallOutOfUse) {
  const auto bypass = [](bool says_so) {
    Net net;
    const ValueId x = net.Input({1, 8});
    const ValueId rounded = net.Op("Sin", {x});
    net.Output(net.Op("Neg", {rounded}));
    graph::GivenByTest::Give(net.graph, rounded, {0.01f, 0});
    operators::InferShapes(net.graph);
    Editor editor(net.graph);
    editor.SetInput(1, 0, x);
    if (says_so) editor.Forgo(rounded);
    editor.Finish();
  };
  EXPECT_THROW(bypass(false), std::logic_error);
  EXPECT_NO_THROW(bypass(true));
}

TEST(Editor, AResultThatIsKnownIsRoundedAsItWas) {
  Net net;
  const ValueId y = net.Op("Neg", {net.Input({2})});
  net.Output(net.Op("Abs", {y}));
  graph::GivenByTest::Give(net.graph, y, {0.5f, -128});
  Editor editor(net.graph);
  editor.SetConstant(y, graph::Constant::Real(Tensor::Floats({2}, {0.7f, -3})));
  EXPECT_EQ(net.graph.Constant(y)->floats, (std::vector<float>{0.5f, 0}));
  ASSERT_NE(net.graph.At(y).constant.codes(), nullptr);
  EXPECT_EQ(net.graph.At(y).given, nullptr);
  editor.Finish();
}

}  // namespace
}  // namespace octet::passes::testing
