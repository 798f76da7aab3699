// Passes over convolutions and pools: fewer dimensions, sub-pixel convolutions, pools by others.
#include <gtest/gtest.h>

#include "tests/converter/passes/net.h"

namespace octet::passes::testing {
namespace {

// One ConvTranspose, alone and with its activation behind it.
void CheckTransposed(const Shape& in, const Shape& weights, Attributes attributes,
                     const std::string& expected) {
  Net net;
  const int64_t channels =
      weights[1] * (attributes.count("group") != 0 ? std::get<int64_t>(attributes["group"]) : 1);
  const ValueId y = net.Op(
      "ConvTranspose", {net.Input(in), net.Random(weights), net.Random({channels})}, attributes);
  net.Output(net.Op("Relu", {y}));
  EXPECT_EQ(RunPass(net, "conv_transpose_to_conv", 1), expected);
}

TEST(ConvTransposeToConv, TwiceTheSizeNeedsNoCut) {
  for (int64_t kernel : {2, 3}) {
    const int64_t pad = kernel == 3 ? 1 : 0;
    CheckTransposed({2, 5, 4, 3}, {5, 6, kernel, kernel},
                    {{"strides", Ints{2, 2}},
                     {"pads", Ints{pad, pad, pad, pad}},
                     {"output_padding", Ints{pad, pad}}},
                    "Conv Transpose Reshape Transpose Reshape Transpose Relu");
  }
}

TEST(ConvTransposeToConv, FewestTapsThenACut) {
  CheckTransposed({1, 5, 4, 3}, {5, 6, 4, 4}, {{"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}},
                  "Conv Transpose Reshape Transpose Reshape Slice Slice Transpose Relu");
}

TEST(ConvTransposeToConv, AllAttributes) {
  for (int64_t kernel = 1; kernel <= 5; ++kernel) {
    for (int64_t stride = 1; stride <= 4; ++stride) {
      for (int64_t pad = 0; pad <= 3; ++pad) {
        for (int64_t dilation = 1; dilation <= 3; ++dilation) {
          if ((4 - 1) * stride + (kernel - 1) * dilation + 1 - pad < 1) continue;
          Net net;
          net.Output(net.Op("ConvTranspose",
                            {net.Input({2, 4, 4, 3}), net.Random({4, 3, kernel, 2})},
                            {{"strides", Ints{stride, 2}},
                             {"dilations", Ints{dilation, 1}},
                             {"pads", Ints{pad, 0, 0, 1}},
                             {"group", int64_t{pad % 2 + 1}},
                             {"output_padding", Ints{stride - 1, 0}}}));
          SCOPED_TRACE("kernel " + std::to_string(kernel) + " stride " + std::to_string(stride) +
                       " pad " + std::to_string(pad) + " dilation " + std::to_string(dilation));
          RunPass(net, "conv_transpose_to_conv", 1);
        }
      }
    }
  }
}

TEST(ConvTransposeToConv, PaddingModesAndShapes) {
  for (const std::string mode : {"SAME_UPPER", "SAME_LOWER", "VALID"}) {
    Net net;
    net.Output(net.Op("ConvTranspose", {net.Input({1, 3, 4}), net.Random({3, 2, 4})},
                      {{"strides", Ints{3}}, {"auto_pad", mode}}));
    EXPECT_EQ(RunAll(net).find("ConvTranspose"), std::string::npos);
  }
  for (int64_t size : {7, 8, 9, 12}) {
    Net net;
    net.Output(net.Op("ConvTranspose", {net.Input({1, 3, 3, 3}), net.Random({3, 2, 3, 3})},
                      {{"strides", Ints{3, 2}}, {"output_shape", Ints{size, 8}}}));
    EXPECT_EQ(RunAll(net).find("ConvTranspose"), std::string::npos);
  }
}

TEST(ComputedWeightsToMatMul, OfAConstantPicture) {
  const Attributes window = {{"strides", Ints{2, 1}}, {"pads", Ints{1, 0, 0, 2}}};
  Net net;
  const ValueId bias = net.Input({4}, "b");
  net.Output(net.Op("Conv", {net.Random({2, 3, 6, 5}), net.Input({4, 3, 3, 2}), bias}, window));
  net.Output(net.Op("ConvTranspose",
                    {net.Random({1, 3, 4, 4}), net.Input({3, 4, 3, 2}, "w"), net.Random({4})},
                    window));
  net.Output(net.Op("Conv", {net.Input({1, 3, 6, 5}, "p"), net.Input({4, 3, 3, 2}, "v")}));
  EXPECT_EQ(
      RunPass(net, "computed_weights_to_matmul", 2),
      "Reshape Reshape MatMul Reshape Add Reshape Transpose Reshape Reshape Transpose Reshape "
      "MatMul Reshape Add Reshape Transpose Reshape Conv");
}

TEST(ComputedWeightsToColumns, OfAComputedPicture) {
  for (const int64_t groups : {1, 2, 4}) {
    Net net;
    net.Output(net.Op(
        "Conv",
        {net.Input({1, 4, 7, 6}), net.Input({8, 4 / groups, 3, 2}, "w"), net.Input({8}, "b")},
        {{"group", groups},
         {"strides", Ints{2, 1}},
         {"dilations", Ints{1, 2}},
         {"pads", Ints{1, 0, 0, 2}}}));
    EXPECT_EQ(RunPass(net, "computed_weights_to_columns", 1).find("Conv "), std::string::npos);
  }
  Net two;
  two.Output(two.Op("Conv", {two.Input({2, 3, 6, 5}), two.Input({4, 3, 3, 2}, "w")}));
  EXPECT_EQ(RunPass(two, "computed_weights_to_columns", 0), "Conv");
}

TEST(ConvTransposeToConv, ThreeDimensions) {
  for (int64_t groups : {1, 2}) {
    Net net;
    net.Output(
        net.Op("ConvTranspose",
               {net.Input({2, 4, 3, 4, 2}), net.Random({4, 2, 3, 2, 4}), net.Random({2 * groups})},
               {{"strides", Ints{2, 3, 2}}, {"pads", Ints{1, 0, 1, 0, 0, 1}}, {"group", groups}}));
    RunPass(net, "conv_transpose_to_conv", 1);
    EXPECT_EQ(RunAll(net).find("ConvTranspose"), std::string::npos);
  }
}

TEST(ThreeToTwoDimensions, Convolutions) {
  for (int64_t groups : {1, 2, 4}) {
    Net net;
    net.Output(net.Op(
        "Conv", {net.Input({2, 4, 5, 6, 3}), net.Random({8, 4 / groups, 3, 2, 3}), net.Random({8})},
        {{"strides", Ints{2, 1, 1}},
         {"dilations", Ints{1, 2, 1}},
         {"pads", Ints{1, 0, 1, 2, 1, 1}},
         {"group", groups}}));
    RunPass(net, "three_to_two_dimensions", 1);
  }
}

// The channels stay last from one layer to the next.
TEST(ThreeToTwoDimensions, SuccessiveLayersMeet) {
  Net net;
  const auto same = [](int64_t k) { return Attributes{{"pads", Ints(6, k / 2)}}; };
  ValueId x = net.Input({1, 2, 4, 4, 4});
  x = net.Op("Relu", {net.Op("Conv", {x, net.Random({3, 2, 3, 3, 3})}, same(3))});
  x = net.Op("MaxPool", {x}, {{"kernel_shape", Ints{2, 2, 2}}, {"strides", Ints{2, 2, 2}}});
  net.Output(net.Op("Conv", {x, net.Random({2, 3, 1, 1, 1})}, same(1)));
  EXPECT_EQ(RunAll(net),
            "Reshape Transpose Reshape Pad Slice Reshape Slice Reshape Slice Reshape "
            "Concat Reshape Transpose Conv+Relu Transpose Reshape Transpose MaxPool Transpose "
            "Reshape Transpose MaxPool Conv Transpose Reshape Transpose Reshape");
}

TEST(ThreeToTwoDimensions, Pools) {
  for (const std::string op : {"MaxPool", "AveragePool"}) {
    for (int64_t variant = 0; variant < 4; ++variant) {
      Net net;
      Attributes attributes = {{"kernel_shape", Ints{2, 3, 3}},
                               {"strides", Ints{2, 2, 1}},
                               {"pads", Ints{1, 1, 1, 1, 0, 2}},
                               {"ceil_mode", variant % 2}};
      if (op == "AveragePool") attributes["count_include_pad"] = variant / 2;
      net.Output(net.Op(op, {net.Input({2, 3, 4, 6, 5})}, attributes));
      RunPass(net, "three_to_two_dimensions", 1);
    }
  }
}

TEST(GlobalPoolToPicture, AnyDimensions) {
  Net net;
  const ValueId x = net.Input({2, 3, 4, 5, 6});
  net.Output(net.Op("GlobalAveragePool", {x}));
  net.Output(net.Op("GlobalMaxPool", {x}));
  net.Output(net.Op("GlobalAveragePool", {net.Input({2, 3, 70001}, "y")}));  // a prime: no sides
  EXPECT_EQ(RunPass(net, "global_pool_to_picture", 2),
            "Reshape GlobalAveragePool Reshape Reshape GlobalMaxPool Reshape GlobalAveragePool");
}

TEST(LpPoolToAverage, EveryPower) {
  for (int64_t p : {1, 2, 3}) {
    Net net;
    const ValueId x = net.Input({1, 3, 6, 5});
    net.Output(net.Op("LpPool", {x},
                      {{"kernel_shape", Ints{2, 3}},
                       {"strides", Ints{2, 2}},
                       {"pads", Ints{1, 0, 0, 1}},
                       {"ceil_mode", int64_t{1}},
                       {"p", p}}));
    net.Output(net.Op("GlobalLpPool", {x}, {{"p", p}}));
    RunPass(net, "lp_pool_to_average", 2);
  }
}

TEST(DilatedAverageToConv, CountsWhatEachWindowMeets) {
  for (int64_t counted : {0, 1}) {
    Net net;
    net.Output(net.Op("AveragePool", {net.Input({2, 3, 8, 7})},
                      {{"kernel_shape", Ints{3, 2}},
                       {"dilations", Ints{2, 3}},
                       {"strides", Ints{1, 2}},
                       {"pads", Ints{2, 1, 1, 1}},
                       {"ceil_mode", int64_t{1}},
                       {"count_include_pad", counted}}));
    EXPECT_EQ(RunPass(net, "dilated_average_to_conv", 1), "Conv Mul");
  }
  Net net;
  net.Output(net.Op("AveragePool", {net.Input({1, 2, 5, 5})},
                    {{"kernel_shape", Ints{2, 2}}, {"dilations", Ints{2, 2}}}));
  EXPECT_EQ(RunPass(net, "dilated_average_to_conv", 1), "Conv");
}

TEST(DropUnusedIndices, OnlyUnused) {
  Net net;
  const ValueId x = net.Input({1, 2, 4, 4});
  const Attributes window = {{"kernel_shape", Ints{2, 2}}};
  net.Output(net.Nodes("MaxPool", {x}, 2, window)[0]);
  net.Output(net.Nodes("MaxPool", {x}, 2, window)[1]);
  EXPECT_EQ(RunPass(net, "drop_unused_indices", 1), "MaxPool MaxPool");
}

TEST(ResizeToResample, WhereTheRangeIsLeft) {
  Net net;
  const ValueId x = net.Input({1, 2, 4, 4});
  const ValueId scales = net.Floats({4}, {1, 1, 2, 2});
  for (const std::string mode : {"nearest", "linear", "cubic"}) {
    net.Output(net.Op("Resize", {x, kNoValue, scales, kNoValue}, {{"mode", mode}}));
  }
  EXPECT_EQ(RunPass(net, "resize_to_resample", 1), "Resize Resize Resample");
}

}  // namespace
}  // namespace octet::passes::testing
