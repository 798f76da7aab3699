// Passes over data movement, pooling and matrix products.
#include <gtest/gtest.h>

#include "tests/converter/passes/net.h"

namespace octet::passes::testing {
namespace {

TEST(ViewToReshape, EveryViewGetsAConstantShape) {
  Net net;
  const ValueId x = net.Input({2, 3, 1, 4});
  const ValueId a = net.Op("Squeeze", {x, net.Integers({2})});
  const ValueId b = net.Op("Unsqueeze", {a, net.Integers({0})});
  const ValueId c = net.Op("Flatten", {b}, {{"axis", int64_t{2}}});
  const ValueId d = net.Op("Reshape", {c, net.Integers({0, -1, 2})});
  net.Output(net.Op("Reshape", {d, net.Integers({6, 4})}));
  EXPECT_EQ(RunPass(net, "view_to_reshape", 4), "Reshape Reshape Reshape Reshape Reshape");
}

TEST(MergeReshapes, KeepsTheLast) {
  Net net;
  const ValueId a = net.Op("Reshape", {net.Input({2, 6}), net.Integers({3, 4})});
  const ValueId b = net.Op("Reshape", {a, net.Integers({4, 3})});
  net.Output(net.Op("Reshape", {b, net.Integers({12})}));
  EXPECT_EQ(RunPass(net, "merge_reshapes", 2), "Reshape");
}

TEST(MergeReshapes, NotAcrossACopiedDimension) {
  Net net;
  const ValueId a = net.Op("Reshape", {net.Input({2, 6}), net.Integers({3, 4})});
  net.Output(a);
  net.Output(net.Op("Reshape", {a, net.Integers({0, 2, 2})}));
  EXPECT_EQ(RunPass(net, "merge_reshapes", 0), "Reshape Reshape");
}

TEST(MergeTransposes, ComposesAndKeepsASharedOne) {
  Net net;
  const ValueId a = net.Op("Transpose", {net.Input({2, 3, 4, 5})}, {{"perm", Ints{0, 2, 3, 1}}});
  net.Output(net.Op("Transpose", {a}, {{"perm", Ints{1, 0, 3, 2}}}));
  net.Output(net.Op("Transpose", {a}));
  net.Output(a);
  EXPECT_EQ(RunPass(net, "merge_transposes", 2), "Transpose Transpose Transpose");
}

TEST(MergeTransposes, NotAcrossAnotherNode) {
  Net net;
  const ValueId a = net.Op("Transpose", {net.Input({2, 3})});
  net.Output(net.Op("Transpose", {net.Op("Relu", {a})}));
  EXPECT_EQ(RunPass(net, "merge_transposes", 0), "Transpose Relu Transpose");
}

TEST(SliceOfConcat, TakesTheInputWhereItLiesInOne) {
  Net net;
  const ValueId a = net.Op("Neg", {net.Input({1, 4, 6})}), b = net.Op("Abs", {a});
  const ValueId joined = net.Op("Concat", {a, b}, {{"axis", int64_t{1}}});
  const auto slice = [&](int64_t begin, int64_t end) {
    return net.Op("Slice", {joined, net.Integers({begin}), net.Integers({end}), net.Integers({1})});
  };
  net.Output(slice(0, 4));
  net.Output(slice(-3, 8));
  net.Output(slice(3, 5));  // of both
  EXPECT_EQ(RunPass(net, "slice_of_concat", 2), "Neg Abs Concat Slice Slice Slice");
}

TEST(SliceBeforeTranspose, NotWhereItWouldCostMore) {
  for (const int64_t length : {3, 2}) {  // of four columns, twice
    Net net;
    const ValueId turned = net.Op("Transpose", {net.Input({4, 3})}, {{"perm", Ints{1, 0}}});
    for (const int64_t begin : {0, 1}) {
      net.Output(net.Op("Slice", {turned, net.Integers({begin}), net.Integers({begin + length}),
                                  net.Integers({1})}));
    }
    EXPECT_EQ(RunPass(net, "slice_before_transpose", length == 2 ? 2 : 0),
              length == 2 ? "Transpose Slice Transpose Slice Transpose" : "Transpose Slice Slice");
  }
}

TEST(SliceBeforeTranspose, WhereNobodyReadsTheWhole) {
  Net net;
  const ValueId x = net.Input({2, 5, 6});
  const auto slices = [&](ValueId turned) {
    for (int64_t begin : {0, 2}) {
      net.Output(net.Op(
          "Slice", {turned, net.Integers({begin}), net.Integers({begin + 2}), net.Integers({-1})}));
    }
  };
  slices(net.Op("Transpose", {x}, {{"perm", Ints{0, 2, 1}}}));
  const ValueId whole = net.Op("Transpose", {x}, {{"perm", Ints{2, 0, 1}}});
  slices(whole);
  net.Output(net.Op("Neg", {whole}));
  EXPECT_EQ(RunPass(net, "slice_before_transpose", 2),
            "Transpose Slice Transpose Slice Transpose Transpose Slice Slice Neg");
}

TEST(GatherElementsToGather, OfARepeatedList) {
  Net net;
  const ValueId x = net.Input({1, 7, 3});
  const ValueId values = net.Op("ReduceMax", {x, net.Integers({2})}, {{"keepdims", int64_t{0}}});
  const auto top = net.Nodes("TopK", {values, net.Integers({4})}, 2);
  const ValueId list = net.Op("Unsqueeze", {top[1], net.Integers({2})});
  const auto gather = [&](std::vector<int64_t> repeats) {
    const ValueId places = net.Op("Tile", {list, net.Integers(std::move(repeats))});
    net.Output(net.Op("GatherElements", {x, places}, {{"axis", int64_t{1}}}));
  };
  gather({1, 1, 3});
  gather({1, 1, 2});  // not all of a row
  const std::string ops = RunPass(net, "gather_elements_to_gather", 1);
  EXPECT_NE(ops.find("Reshape Gather"), std::string::npos) << ops;
  EXPECT_NE(ops.find("GatherElements"), std::string::npos) << ops;
}

TEST(OneHotToWhere, PlacesFromBothEnds) {
  Net net;
  const ValueId places = net.Op("Cast", {net.Input({2, 3})}, {{"to", int64_t{7}}});
  const ValueId values = net.Floats({2}, {-1, 2});
  net.Output(net.Op("OneHot", {places, net.Integers({4}), values}, {{"axis", int64_t{1}}}));
  net.Output(net.Op("OneHot", {net.Op("Neg", {net.graph.inputs[0]}), net.Integers({4}), values}));
  EXPECT_EQ(RunPass(net, "one_hot_to_where", 2),
            "Cast Reshape Equal Equal Or Slice Slice Where Neg Cast Reshape Equal Equal Or Slice "
            "Slice Where");
}

TEST(UnpoolToScatter, WithAndWithoutASizeOfItsOwn) {
  Net net;
  const ValueId x = net.Input({1, 1, 2, 2});
  const ValueId places =
      net.Op("Reshape", {net.Integers({5, 7, 13, 15}), net.Integers({1, 1, 2, 2})});
  const Attributes window = {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}};
  net.Output(net.Op("MaxUnpool", {x, places}, window));
  net.Output(net.Op("MaxUnpool", {x, places, net.Integers({1, 1, 5, 3})}, window));
  const std::string ops = RunPass(net, "unpool_to_scatter", 2);
  EXPECT_NE(ops.find("ScatterElements Reshape Pad"), std::string::npos) << ops;
  EXPECT_EQ(ops.find("MaxUnpool"), std::string::npos) << ops;
}

TEST(SplitToSlices, OnlyTheUsedParts) {
  Net net;
  const ValueId x = net.Input({1, 7, 2});
  const auto parts = net.Nodes("Split", {x, net.Integers({2, 1, 4})}, 3, {{"axis", int64_t{-2}}});
  net.Output(parts[2]);
  net.Output(net.Op("Relu", {parts[0]}));
  EXPECT_EQ(RunPass(net, "split_to_slices", 1), "Slice Slice Relu");
}

TEST(DepthSpaceToTranspose, AllThree) {
  for (const std::string mode : {"DCR", "CRD"}) {
    Net net;
    net.Output(net.Op("DepthToSpace", {net.Input({2, 12, 3, 4})},
                      {{"blocksize", int64_t{2}}, {"mode", mode}}));
    EXPECT_EQ(RunPass(net, "depth_space_to_transpose", 1), "Reshape Transpose Reshape");
  }
  Net net;
  net.Output(net.Op("SpaceToDepth", {net.Input({2, 3, 4, 6})}, {{"blocksize", int64_t{2}}}));
  EXPECT_EQ(RunPass(net, "depth_space_to_transpose", 1), "Reshape Transpose Reshape");
}

TEST(SpatialMeanToPool, KeepsOrDropsTheAxes) {
  Net net;
  const ValueId x = net.Input({2, 3, 4, 5});
  net.Output(net.Op("ReduceMean", {x, net.Integers({-1, 2})}));
  net.Output(net.Op("ReduceMean", {x, net.Integers({2, 3})}, {{"keepdims", int64_t{0}}}));
  EXPECT_EQ(RunPass(net, "spatial_mean_to_pool", 2), "GlobalAveragePool GlobalAveragePool Reshape");
}

TEST(SpatialMeanToPool, NotOverOtherAxes) {
  Net net;
  const ValueId x = net.Input({2, 3, 4, 5});
  net.Output(net.Op("ReduceMean", {x, net.Integers({1, 2})}));
  net.Output(net.Op("ReduceMean", {x}));
  net.Output(net.Op("ReduceMean", {net.Input({2, 3, 4}, "z"), net.Integers({1, 2})}));
  EXPECT_EQ(RunPass(net, "spatial_mean_to_pool", 0), "ReduceMean ReduceMean ReduceMean");
}

TEST(GlobalMaxPoolToMaxPool, Images) {
  Net net;
  net.Output(net.Op("GlobalMaxPool", {net.Input({2, 3, 4, 5})}));
  net.Output(net.Op("GlobalMaxPool", {net.Input({2, 3, 4}, "z")}));
  EXPECT_EQ(RunPass(net, "global_max_pool_to_max_pool", 1), "MaxPool GlobalMaxPool");
}

TEST(MatMulToGemm, TakesTheBiasAndFlattens) {
  Net net;
  const ValueId flat = net.Op("MatMul", {net.Input({3, 4}), net.Random({4, 5})});
  net.Output(net.Op("Add", {net.Random({5}), flat}));
  const ValueId deep = net.Op("MatMul", {net.Input({2, 3, 4}, "z"), net.Random({4, 5})});
  net.Output(net.Op("Add", {deep, net.Random({1, 1, 5})}));
  EXPECT_EQ(RunPass(net, "matmul_to_gemm", 2), "Gemm Reshape Gemm Reshape");
  EXPECT_EQ(net.graph.nodes[0].inputs.size(), 3u);
}

TEST(MatMulToGemm, NotForTwoActivationsNorWithAMatrixAddend) {
  Net net;
  const ValueId x = net.Input({3, 4});
  net.Output(net.Op("MatMul", {x, net.Op("Transpose", {x})}));
  net.Output(net.Op("MatMul", {net.Random({2, 3}), x}));
  EXPECT_EQ(RunPass(net, "matmul_to_gemm", 0), "Transpose MatMul MatMul");
  net.Output(net.Op("Add", {net.Op("MatMul", {x, net.Random({4, 5})}), net.Random({3, 5})}));
  EXPECT_EQ(RunPass(net, "matmul_to_gemm", 1), "Transpose MatMul MatMul Gemm Add");
}

TEST(NormaliseGemm, EveryAttribute) {
  for (const int64_t trans_a : {0, 1}) {
    for (const int64_t trans_b : {0, 1}) {
      Net net;
      const ValueId x = net.Input(trans_a ? Shape{4, 3} : Shape{3, 4});
      const ValueId w = net.Random(trans_b ? Shape{5, 4} : Shape{4, 5});
      net.Output(
          net.Op("Gemm", {x, w, net.Random({1, 5})},
                 {{"transA", trans_a}, {"transB", trans_b}, {"alpha", 0.5f}, {"beta", 2.0f}}));
      EXPECT_EQ(RunPass(net, "normalise_gemm", 1), trans_a ? "Transpose Gemm" : "Gemm");
      const Node& gemm = net.graph.nodes.back();
      EXPECT_EQ(gemm.Int("transB", 0), 1);
      EXPECT_EQ(gemm.Float("alpha", 1), 1);
      EXPECT_EQ(net.graph.Constant(gemm.inputs[2])->shape, Shape{5});
    }
  }
}

TEST(NormaliseGemm, DetachesWhatIsNoBias) {
  Net net;
  const ValueId x = net.Input({3, 4});
  net.Output(net.Op("Gemm", {x, net.Random({4, 5}), net.Random({3, 1})}));
  net.Output(net.Op("Gemm", {x, net.Random({4, 5}), net.Input({5}, "c")}, {{"beta", 0.5f}}));
  EXPECT_EQ(RunPass(net, "normalise_gemm", 2), "Gemm Add Mul Gemm Add");
}

TEST(NormaliseGemm, NotWithoutAConstantMatrix) {
  Net net;
  net.Output(net.Op("Gemm", {net.Input({3, 4}), net.Input({4, 5}, "w")}, {{"alpha", 0.5f}}));
  EXPECT_EQ(RunPass(net, "normalise_gemm", 0), "Gemm");
}

TEST(OneToTwoDimensions, ConvolutionsAndPools) {
  Net net;
  const ValueId x = net.Input({2, 4, 11});
  const ValueId a = net.Op("Conv", {x, net.Random({6, 2, 3}), net.Random({6})},
                           {{"group", int64_t{2}}, {"strides", Ints{2}}, {"pads", Ints{1, 0}}});
  const ValueId b = net.Op("ConvTranspose", {a, net.Random({6, 3, 2})}, {{"strides", Ints{2}}});
  net.Output(net.Op("MaxPool", {b}, {{"kernel_shape", Ints{3}}, {"pads", Ints{0, 1}}}));
  net.Output(net.Op("AveragePool", {b}, {{"kernel_shape", Ints{2}}}));
  EXPECT_EQ(RunPass(net, "one_to_two_dimensions", 4),
            "Reshape Conv Reshape Reshape ConvTranspose Reshape Reshape MaxPool Reshape Reshape "
            "AveragePool Reshape");
  // A transposed convolution is a convolution whose outputs are interleaved.
  EXPECT_EQ(RunAll(net),
            "Reshape Conv Conv Transpose Reshape Transpose MaxPool Reshape AveragePool Reshape");
}

TEST(OneToTwoDimensions, NotWithComputedWeights) {
  Net net;
  net.Output(net.Op("Conv", {net.Input({2, 4, 11}), net.Input({6, 4, 3}, "w")}));
  EXPECT_EQ(RunPass(net, "one_to_two_dimensions", 0), "Conv");
}

}  // namespace
}  // namespace octet::passes::testing
