// Passes that bring one thing into one spelling, and those that recognise activations.
#include <gtest/gtest.h>

#include "converter/passes/read.h"
#include "tests/converter/passes/net.h"

namespace octet::passes::testing {
namespace {

TEST(SubConstantToAdd, OnlyAConstantSubtrahend) {
  Net net;
  const ValueId x = net.Input({1, 3, 2, 2});
  const ValueId shared = net.Random({3, 1, 1});
  const ValueId less = net.Op("Sub", {x, shared});
  net.Output(net.Op("Sub", {net.Op("Mul", {less, shared}), x}));
  net.Output(net.Op("Sub", {shared, x}));
  EXPECT_EQ(RunPass(net, "sub_constant_to_add", 1), "Add Mul Sub Sub");
}

TEST(DivConstantToMul, OnlyANormalConstantDivisor) {
  Net net;
  const ValueId x = net.Input({2, 3});
  net.Output(net.Op("Div", {x, net.Scalar(6)}));
  net.Output(net.Op("Div", {net.Scalar(6), net.Op("Exp", {x})}));
  net.Output(net.Op("Div", {x, net.Scalar(3e38f)}));
  EXPECT_EQ(RunPass(net, "div_constant_to_mul", 1), "Mul Exp Div Div");
}

TEST(NormaliseClip, ReluAndMergedBounds) {
  Net net;
  const ValueId x = net.Input({2, 3});
  net.Output(net.Op("Clip", {x, net.Scalar(0)}));
  net.Output(net.Op("Clip", {net.Op("Relu", {x}), net.Scalar(-1), net.Scalar(2)}));
  net.Output(net.Op("Clip", {x, kNoValue, net.Scalar(1)}));
  EXPECT_EQ(RunPass(net, "normalise_clip", 3), "Relu Relu Clip Clip");
  const auto merged = ReadClipBounds(net.graph, net.graph.nodes[2]);
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->min, 0);
  EXPECT_EQ(merged->max, 2);
  EXPECT_EQ(RunPass(net, "remove_dead_code", 1), "Relu Clip Clip");
}

TEST(NormaliseClip, LeavesSharedReluAndComputedBounds) {
  Net net;
  const ValueId x = net.Input({2, 3});
  const ValueId relu = net.Op("Relu", {x});
  net.Output(relu);
  net.Output(net.Op("Clip", {relu, net.Scalar(-1), net.Scalar(2)}));
  net.Output(net.Op("Clip", {x, net.Op("ReduceMax", {x}, {{"keepdims", int64_t{0}}})}));
  EXPECT_EQ(RunPass(net, "normalise_clip", 0), "Relu Clip ReduceMax Clip");
}

TEST(NormaliseClip, CrossedBoundsGiveTheUpper) {
  Net net;
  net.Output(net.Op("Clip", {net.Input({2, 3}), net.Scalar(1), net.Scalar(-1)}));
  EXPECT_EQ(RunPass(net, "normalise_clip", 1), "Clip");
  const auto bounds = ReadClipBounds(net.graph, net.graph.nodes[0]);
  ASSERT_TRUE(bounds);
  EXPECT_EQ(bounds->min, -1);
  EXPECT_EQ(bounds->max, -1);
  EXPECT_EQ(RunPass(net, "normalise_clip", 0), "Clip");
}

TEST(ClipToMinMax, OnlyComputedBounds) {
  Net net;
  const ValueId x = net.Input({2, 3});
  const ValueId largest = net.Op("ReduceMax", {x}, {{"keepdims", int64_t{0}}});
  net.Output(net.Op("Clip", {x, net.Scalar(-1), net.Scalar(1)}));
  net.Output(net.Op("Clip", {x, net.Scalar(-1), largest}));
  net.Output(net.Op("Clip", {x, kNoValue, largest}));
  net.Output(net.Op("Clip", {x, largest}));
  EXPECT_EQ(RunPass(net, "clip_to_min_max", 3), "ReduceMax Clip Max Min Min Max");
}

TEST(VariadicToBinary, ChainsOfTwo) {
  Net net;
  const ValueId x = net.Input({2, 3}), row = net.Random({3}), column = net.Random({2, 1});
  net.Output(net.Op("Sum", {x, row, column}));
  net.Output(net.Op("Mean", {row, column, x}));
  net.Output(net.Op("Max", {x, row, column, x}));
  net.Output(net.Op("Min", {x}));
  net.Output(net.Op("Min", {x, row}));
  EXPECT_EQ(RunPass(net, "variadic_to_binary", 4), "Add Add Add Add Mul Max Max Max Identity Min");
}

TEST(LossToSum, OfKnownClasses) {
  for (const char* reduction : {"none", "sum", "mean"}) {
    for (const char* op : {"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"}) {
      Net net;
      const ValueId x = net.Input({2, 3, 2});
      const ValueId classes = net.Op("Reshape", {net.Integers({2, 0, 1, 1}), net.Integers({2, 2})});
      RunPass(net, "fold_constants", 1);
      net.Output(net.Op(op, {x, classes, net.Floats({3}, {1, 0.5f, 2})},
                        {{"reduction", std::string(reduction)}, {"ignore_index", int64_t{0}}}));
      const std::string sum = "Mul ReduceSum";
      EXPECT_EQ(RunPass(net, "loss_to_sum", 1), *op == 'N' ? sum : "LogSoftmax " + sum);
    }
  }
}

TEST(PReluToLeakyRelu, OnlyOneSlope) {
  Net net;
  const ValueId x = net.Input({2, 3});
  net.Output(net.Op("PRelu", {x, net.Floats({3}, {0.5f, 0.5f, 0.5f})}));
  net.Output(net.Op("PRelu", {x, net.Floats({3}, {0.5f, 0.5f, 0.25f})}));
  EXPECT_EQ(RunPass(net, "prelu_to_leaky_relu", 1), "LeakyRelu PRelu");
}

TEST(ExplicitPadding, SameUpperAndLower) {
  for (const std::string mode : {"SAME_UPPER", "SAME_LOWER"}) {
    Net net;
    const ValueId x = net.Input({1, 2, 7, 8});
    const ValueId y = net.Op("Conv", {x, net.Random({3, 2, 3, 2})},
                             {{"auto_pad", mode}, {"strides", Ints{2, 1}}});
    net.Output(net.Op("MaxPool", {y}, {{"auto_pad", mode}, {"kernel_shape", Ints{2, 3}}}));
    RunPass(net, "explicit_padding", 2);
    const Ints odd = mode == "SAME_UPPER" ? Ints{1, 0, 1, 1} : Ints{1, 1, 1, 0};
    EXPECT_EQ(net.graph.nodes[0].Ints("pads"), odd);
    EXPECT_FALSE(net.graph.nodes[1].Has("auto_pad"));
  }
}

TEST(ExplicitPadding, LeavesWhatIsComplete) {
  Net net;
  const ValueId x = net.Input({1, 2, 4, 4});
  net.Output(net.Op("AveragePool", {x},
                    {{"kernel_shape", Ints{2, 2}},
                     {"strides", Ints{2, 2}},
                     {"dilations", Ints{1, 1}},
                     {"pads", Ints{0, 0, 0, 0}}}));
  EXPECT_EQ(RunPass(net, "explicit_padding", 0), "AveragePool");
}

// x * Clip(x + 3, 0, 6) / 6, its factors grouped in three ways.
TEST(RecogniseHardSwish, EveryGrouping) {
  for (int grouping = 0; grouping < 3; ++grouping) {
    Net net;
    const ValueId x = net.Input({2, 3});
    const ValueId clip =
        net.Op("Clip", {net.Op("Add", {x, net.Scalar(3)}), net.Scalar(0), net.Scalar(6)});
    const ValueId sixth = net.Scalar(1.0f / 6);
    if (grouping == 0) net.Output(net.Op("Mul", {net.Op("Mul", {x, clip}), sixth}));
    if (grouping == 1) net.Output(net.Op("Mul", {net.Op("Mul", {sixth, clip}), x}));
    if (grouping == 2) net.Output(net.Op("Mul", {clip, net.Op("Mul", {x, sixth})}));
    RunPass(net, "recognise_hard_swish", 1);
    EXPECT_EQ(RunAll(net), "HardSwish") << grouping;
  }
}

TEST(RecogniseHardSwish, FromHardSigmoid) {
  Net net;
  const ValueId x = net.Input({2, 3});
  const ValueId gate = net.Op("HardSigmoid", {x}, {{"alpha", 1.0f / 6}, {"beta", 0.5f}});
  net.Output(net.Op("Mul", {gate, x}));
  EXPECT_EQ(RunPass(net, "recognise_hard_swish", 1), "HardSigmoid HardSwish");
}

TEST(RecogniseHardSwish, NotForOtherConstantsOrSharedGates) {
  Net net;
  const ValueId x = net.Input({2, 3});
  net.Output(net.Op("Mul", {x, net.Op("HardSigmoid", {x})}));  // alpha 0.2
  const ValueId clip =
      net.Op("Clip", {net.Op("Add", {x, net.Scalar(3)}), net.Scalar(0), net.Scalar(6)});
  net.Output(clip);
  net.Output(net.Op("Mul", {net.Op("Mul", {x, clip}), net.Scalar(1.0f / 6)}));
  RunPass(net, "recognise_hard_swish", 0);
}

TEST(RecogniseHardSigmoid, BothForms) {
  Net net;
  const ValueId x = net.Input({2, 3});
  const ValueId clip =
      net.Op("Clip", {net.Op("Add", {x, net.Scalar(3)}), net.Scalar(0), net.Scalar(6)});
  net.Output(net.Op("Mul", {clip, net.Scalar(1.0f / 6)}));
  const ValueId line = net.Op("Add", {net.Op("Mul", {x, net.Scalar(0.3f)}), net.Scalar(0.4f)});
  net.Output(net.Op("Clip", {line, net.Scalar(0), net.Scalar(1)}));
  RunPass(net, "recognise_hard_sigmoid", 2);
  EXPECT_EQ(RunPass(net, "remove_dead_code", 4), "HardSigmoid HardSigmoid");
}

TEST(RecogniseHardSigmoid, NotForOtherBoundsNorBehindALayer) {
  Net net;
  const ValueId x = net.Input({1, 2, 3, 3});
  const ValueId clip =
      net.Op("Clip", {net.Op("Add", {x, net.Scalar(3)}), net.Scalar(0), net.Scalar(5)});
  net.Output(net.Op("Mul", {clip, net.Scalar(1.0f / 6)}));
  const ValueId y = net.Op("Conv", {x, net.Random({2, 2, 1, 1})});
  const ValueId line = net.Op("Add", {net.Op("Mul", {y, net.Scalar(0.3f)}), net.Scalar(0.4f)});
  net.Output(net.Op("Clip", {line, net.Scalar(0), net.Scalar(1)}));
  RunPass(net, "recognise_hard_sigmoid", 0);
}

TEST(RecogniseSilu, BothOrders) {
  Net net;
  const ValueId x = net.Input({2, 3});
  net.Output(net.Op("Mul", {x, net.Op("Sigmoid", {x})}));
  net.Output(net.Op("Mul", {net.Op("Sigmoid", {x}), x}));
  RunPass(net, "recognise_silu", 2);
  EXPECT_EQ(RunPass(net, "remove_dead_code", 2), "Silu Silu");
}

TEST(RecogniseSilu, NotForAnotherGateBroadcastOrSharedSigmoid) {
  Net net;
  const ValueId x = net.Input({2, 3}), z = net.Input({2, 3}, "z");
  net.Output(net.Op("Mul", {x, net.Op("Sigmoid", {z})}));
  const ValueId gate = net.Op("Sigmoid", {z});
  net.Output(gate);
  net.Output(net.Op("Mul", {z, gate}));
  net.Output(net.Op("Mul", {net.Op("Mul", {x, net.Op("Sigmoid", {x})}), net.Scalar(2)}));
  // The inner product of the last one is SiLU itself.
  EXPECT_EQ(RunPass(net, "recognise_silu", 1), "Sigmoid Mul Sigmoid Mul Sigmoid Silu Mul");
}

TEST(RecogniseGelu, EveryGrouping) {
  for (int grouping = 0; grouping < 3; ++grouping) {
    Net net;
    const ValueId x = net.Input({2, 3});
    const ValueId erf = net.Op("Erf", {net.Op("Mul", {x, net.Scalar(0.70710678f)})});
    const ValueId gate = net.Op("Add", {erf, net.Scalar(1)});
    const ValueId half = net.Scalar(0.5f);
    if (grouping == 0) net.Output(net.Op("Mul", {net.Op("Mul", {x, gate}), half}));
    if (grouping == 1) net.Output(net.Op("Mul", {net.Op("Mul", {x, half}), gate}));
    if (grouping == 2) net.Output(net.Op("Mul", {x, net.Op("Mul", {gate, half})}));
    RunPass(net, "recognise_gelu", 1);
    EXPECT_EQ(RunAll(net), "Gelu") << grouping;
  }
}

TEST(RecogniseGelu, NotWithoutTheHalf) {
  Net net;
  const ValueId x = net.Input({2, 3});
  const ValueId erf = net.Op("Erf", {net.Op("Mul", {x, net.Scalar(0.70710678f)})});
  net.Output(net.Op("Mul", {x, net.Op("Add", {erf, net.Scalar(1)})}));
  RunPass(net, "recognise_gelu", 0);
}

TEST(RecogniseMish, Matches) {
  Net net;
  const ValueId x = net.Input({2, 3});
  net.Output(net.Op("Mul", {x, net.Op("Tanh", {net.Op("Softplus", {x})})}));
  RunPass(net, "recognise_mish", 1);
  EXPECT_EQ(RunAll(net), "Mish");
}

TEST(RecogniseMish, NotForAnotherValue) {
  Net net;
  const ValueId x = net.Input({2, 3});
  net.Output(net.Op("Mul", {net.Op("Abs", {x}), net.Op("Tanh", {net.Op("Softplus", {x})})}));
  RunPass(net, "recognise_mish", 0);
}

// Sqrt(ReduceSum(square)) of x [2,3]; other: no square.
Net MagnitudeNet(bool power, bool shared, bool other) {
  Net net;
  const ValueId x = net.Input({2, 3});
  const ValueId size = other ? net.Op("Abs", {x}) : x;
  const ValueId square = power ? net.Op("Pow", {size, net.Scalar(other ? 3.0f : 2.0f)})
                               : net.Op("Mul", {size, other ? net.Op("Exp", {x}) : x});
  const ValueId sum = net.Op("ReduceSum", {square});
  net.Output(net.Op("Sqrt", {sum}));
  if (shared) net.Output(net.Op("Exp", {sum}));
  return net;
}

TEST(RecogniseReduceL2, Matches) {
  for (const bool power : {false, true}) {
    Net net = MagnitudeNet(power, false, false);
    RunPass(net, "recognise_reduce_l2", 1);
    EXPECT_EQ(RunAll(net), "ReduceL2");
  }
}

TEST(RecogniseReduceL2, NotWhereTheSumIsReadOrNoSquare) {
  for (const bool power : {false, true}) {
    for (const bool other : {false, true}) {
      Net net = MagnitudeNet(power, !other, other);
      RunPass(net, "recognise_reduce_l2", 0);
    }
  }
}

}  // namespace
}  // namespace octet::passes::testing
