// Passes that fold a node into the layer beside it.
#include <limits>

#include <gtest/gtest.h>

#include "tests/converter/passes/net.h"

namespace octet::passes::testing {
namespace {

const Attributes kPadded = {{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}};
const Attributes kGroups = {{"kernel_shape", Ints{3, 3}}, {"group", int64_t{2}}};

ValueId Pad(Net& net, ValueId x, float value, Ints amounts = {0, 0, 1, 0, 0, 0, 2, 1}) {
  return net.Op("Pad", {x, net.Integers(std::move(amounts)), net.Scalar(value)});
}

TEST(MergePad, IntoConvAveragePoolAndMaxPool) {
  Net net;
  const ValueId x = net.Input({1, 2, 6, 6});
  net.Output(net.Op("Conv", {Pad(net, x, 0), net.Random({3, 2, 3, 3})}, kPadded));
  net.Output(net.Op("AveragePool", {Pad(net, x, 0)}, {{"kernel_shape", Ints{3, 3}}}));
  net.Output(net.Op("MaxPool", {Pad(net, net.Op("Relu", {x}), 0)}, {{"kernel_shape", Ints{3, 3}}}));
  net.Output(net.Op("MaxPool", {Pad(net, x, -std::numeric_limits<float>::infinity())},
                    {{"kernel_shape", Ints{3, 3}}}));
  EXPECT_EQ(RunPass(net, "merge_pad", 4), "Conv AveragePool Relu MaxPool MaxPool");
}

TEST(MergePad, NotWhereItChangesTheResult) {
  Net net;
  const ValueId x = net.Input({1, 2, 6, 6});
  const ValueId w = net.Random({3, 2, 3, 3});
  net.Output(net.Op("Conv", {Pad(net, x, 1), w}, {{"kernel_shape", Ints{3, 3}}}));
  net.Output(net.Op("Conv", {Pad(net, x, 0, {0, 0, -1, 0, 0, 0, 1, 0}), w},
                    {{"kernel_shape", Ints{3, 3}}}));
  net.Output(net.Op("Conv", {Pad(net, x, 0, {0, 1, 0, 0, 0, 0, 0, 0}), net.Random({3, 3, 1, 1})},
                    {{"kernel_shape", Ints{1, 1}}}));
  net.Output(net.Op("AveragePool", {Pad(net, x, 0)}, kPadded));  // own pads do not count
  net.Output(
      net.Op("AveragePool", {Pad(net, x, 0)},
             {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}, {"ceil_mode", int64_t{1}}}));
  net.Output(
      net.Op("MaxPool", {Pad(net, x, 0)}, {{"kernel_shape", Ints{3, 3}}}));  // may be negative
  net.Output(net.Op("MaxPool", {Pad(net, net.Op("Relu", {x}), 0)},
                    {{"kernel_shape", Ints{2, 2}}}));  // pads alone
  const ValueId shared = Pad(net, x, 0);
  net.Output(shared);
  net.Output(net.Op("Conv", {shared, w}, {{"kernel_shape", Ints{3, 3}}}));
  RunPass(net, "merge_pad", 0);
}

TEST(FoldBatchNormAfter, ConvTransposedConvAndGemm) {
  Net net;
  const ValueId x = net.Input({2, 4, 6, 6});
  net.Output(net.Norm(net.Op("Conv", {x, net.Random({6, 2, 3, 3}), net.Random({6})}, kGroups), 6));
  net.Output(net.Norm(net.Op("Conv", {x, net.Random({3, 4, 3, 3})}, kPadded), 3));
  net.Output(net.Norm(net.Op("ConvTranspose", {x, net.Random({4, 3, 3, 3})}, kGroups), 6));
  const ValueId y = net.Op("Gemm", {net.Input({2, 5}, "y"), net.Random({3, 5}), net.Random({3})},
                           {{"transB", int64_t{1}}});
  const ValueId normed = net.Norm(y, 3);
  net.Output(normed);
  const std::string name = net.NameOf(normed);
  EXPECT_EQ(RunPass(net, "fold_batch_norm_after", 4), "Conv Conv ConvTranspose Gemm");
  EXPECT_EQ(net.graph.nodes[3].name.substr(0, 4), "Gemm");
  EXPECT_EQ(net.NameOf(net.graph.nodes[3].outputs[0]), name);
}

TEST(FoldBatchNormAfter, KeepsSharedWeightsApart) {
  Net net;
  const ValueId x = net.Input({1, 2, 4, 4});
  const ValueId w = net.Random({2, 2, 3, 3});
  net.Output(net.Norm(net.Op("Conv", {x, w}), 2));
  net.Output(net.Op("Conv", {x, w}));
  EXPECT_EQ(RunPass(net, "fold_batch_norm_after", 1), "Conv Conv");
}

TEST(FoldBatchNormAfter, NotForSharedResultsOutputsOrComputedWeights) {
  Net net;
  const ValueId x = net.Input({1, 2, 4, 4});
  const ValueId shared = net.Op("Conv", {x, net.Random({2, 2, 3, 3})});
  net.Output(net.Op("Relu", {shared}));
  net.Output(net.Norm(shared, 2));
  const ValueId output = net.Op("Conv", {x, net.Random({2, 2, 3, 3})});
  net.Output(output);
  net.Output(net.Norm(output, 2));
  net.Output(net.Norm(net.Op("Conv", {x, net.Input({2, 2, 3, 3}, "w")}), 2));
  RunPass(net, "fold_batch_norm_after", 0);
}

TEST(FoldBatchNormAfter, NotBehindAFusedActivation) {
  Net net;
  const ValueId y = net.Op("Conv", {net.Input({1, 2, 4, 4}), net.Random({2, 2, 3, 3})});
  net.graph.nodes.back().activation = "Relu";
  net.Output(net.Norm(y, 2));
  EXPECT_EQ(RunPass(net, "fold_batch_norm_after", 0), "Conv+Relu BatchNormalization");
}

TEST(FoldScaleAfter, MulAndAddPerChannel) {
  Net net;
  const ValueId y = net.Op("Conv", {net.Input({1, 4, 6, 6}), net.Random({6, 2, 3, 3})}, kGroups);
  const ValueId scaled = net.Op("Mul", {y, net.Random({6, 1, 1})});
  net.Output(net.Op("Add", {net.Random({1, 6, 1, 1}), net.Op("Mul", {scaled, net.Scalar(0.5f)})}));
  EXPECT_EQ(RunPass(net, "fold_scale_after", 3), "Conv");
}

TEST(FoldScaleAfter, NotAlongOtherAxesNorForSharedResults) {
  Net net;
  const ValueId x = net.Input({1, 4, 6, 6});
  net.Output(net.Op("Mul", {net.Op("Conv", {x, net.Random({6, 4, 1, 1})}), net.Random({6, 1})}));
  net.Output(
      net.Op("Add", {net.Op("Conv", {x, net.Random({6, 4, 1, 1})}), net.Random({2, 6, 1, 1})}));
  const ValueId shared = net.Op("Conv", {x, net.Random({6, 4, 1, 1})});
  net.Output(net.Op("Relu", {shared}));
  net.Output(net.Op("Mul", {shared, net.Scalar(2)}));
  net.Output(net.Op("Mul", {net.Op("Relu", {x}), net.Scalar(2)}));
  RunPass(net, "fold_scale_after", 0);
}

TEST(FoldBatchNormBefore, ConvAndGemm) {
  Net net;
  const ValueId x = net.Norm(net.Input({1, 4, 6, 6}), 4);
  net.Output(net.Op("Conv", {x, net.Random({6, 2, 3, 3}), net.Random({6})}, kGroups));
  const ValueId y = net.Norm(net.Input({2, 5}, "y"), 5);
  net.Output(net.Op("Gemm", {y, net.Random({3, 5})}, {{"transB", int64_t{1}}}));
  EXPECT_EQ(RunPass(net, "fold_batch_norm_before", 2), "Conv Gemm");
}

TEST(FoldBatchNormBefore, NotAgainstPaddingNorForTwoConsumers) {
  Net net;
  const ValueId x = net.Input({1, 4, 6, 6});
  net.Output(net.Op("Conv", {net.Norm(x, 4), net.Random({6, 4, 3, 3})}, kPadded));
  const ValueId shared = net.Norm(x, 4);
  net.Output(net.Op("Conv", {shared, net.Random({6, 4, 1, 1})}));
  net.Output(net.Op("Relu", {shared}));
  RunPass(net, "fold_batch_norm_before", 0);
}

TEST(FoldScaleBefore, MulAnywhereAddWithoutPadding) {
  Net net;
  const ValueId x = net.Input({1, 4, 6, 6});
  net.Output(net.Op("Conv", {net.Op("Mul", {x, net.Random({4, 1, 1})}), net.Random({6, 4, 3, 3})},
                    kPadded));
  net.Output(net.Op("Conv", {net.Op("Add", {x, net.Random({4, 1, 1})}), net.Random({6, 2, 3, 3})},
                    kGroups));
  EXPECT_EQ(RunPass(net, "fold_scale_before", 2), "Conv Conv");
}

TEST(FoldScaleBefore, NotAddAgainstPaddingNorAcrossPixels) {
  Net net;
  const ValueId x = net.Input({1, 4, 6, 6});
  net.Output(
      net.Op("Conv", {net.Op("Add", {x, net.Scalar(1)}), net.Random({6, 4, 3, 3})}, kPadded));
  net.Output(net.Op("Conv", {net.Op("Mul", {x, net.Random({6, 6})}), net.Random({6, 4, 3, 3})}));
  RunPass(net, "fold_scale_before", 0);
}

TEST(LowerBatchNorm, DepthwiseOrMulAdd) {
  Net net;
  net.Output(net.Norm(net.Input({2, 4, 3, 3}), 4));
  net.Output(net.Norm(net.Input({2, 5}, "y"), 5));
  EXPECT_EQ(RunPass(net, "lower_batch_norm", 2), "Conv Mul Add");
  EXPECT_EQ(net.graph.nodes[0].Int("group", 1), 4);
}

TEST(LowerBatchNorm, StepsWithComputedStatistics) {
  Net net;
  const ValueId x = net.Input({1, 4, 3, 3}), mean = net.Input({4}, "mean");
  const ValueId variance = net.Op("Abs", {net.Input({4}, "variance")});
  net.Output(net.Op("BatchNormalization",
                    {x, net.Input({4}, "scale"), net.Random({4}), mean, variance},
                    {{"epsilon", 0.01f}}));
  EXPECT_EQ(RunPass(net, "lower_batch_norm", 1),
            "Abs Add Sqrt Div Reshape Reshape Reshape Sub Mul Add");
}

}  // namespace
}  // namespace octet::passes::testing
