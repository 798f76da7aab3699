// Passes that remove what does nothing.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/converter/passes/net.h"

namespace octet::passes::testing {
namespace {

constexpr int64_t kFloat16 = 10, kOnnxInt64 = 7;

TEST(RemoveDeadCode, TakesWholeChains) {
  Net net;
  const ValueId x = net.Input({1, 4});
  net.Op("Relu", {net.Op("Abs", {x})});
  net.Output(net.Op("Tanh", {x}));
  EXPECT_EQ(RunPass(net, "remove_dead_code", 2), "Tanh");
}

TEST(RemoveDeadCode, KeepsOutputsAndWhatTheyNeed) {
  Net net;
  const ValueId middle = net.Op("Abs", {net.Input({1, 4})});
  net.Output(middle);
  net.Output(net.Op("Relu", {middle}));
  EXPECT_EQ(RunPass(net, "remove_dead_code", 0), "Abs Relu");
}

TEST(FoldConstants, EvaluatesChains) {
  Net net;
  const ValueId sum = net.Op("Add", {net.Floats({2}, {1, 2}), net.Floats({2}, {3, 4})});
  net.Output(net.Op("Mul", {net.Input({3, 2}), net.Op("Relu", {sum})}));
  EXPECT_EQ(RunPass(net, "fold_constants", 2), "Mul");
}

TEST(FoldConstants, LeavesGrowthOutputsAndQuantization) {
  Net net;
  const ValueId grown = net.Op("Expand", {net.Scalar(2), net.Integers({2048, 1024})});
  net.Output(net.Op("Mul", {net.Input({1024}), grown}));
  net.Output(net.Op("Relu", {net.Random({3})}));
  EXPECT_EQ(RunPass(net, "fold_constants", 0), "Expand Mul Relu");
}

TEST(FoldShape, ReadsKnownShapesOnly) {
  Net net;
  const ValueId x = net.Input({2, 3, 4});
  const ValueId tail = net.Op("Shape", {x}, {{"start", int64_t{-2}}});
  const ValueId flat = net.Op("Reshape", {x, net.Integers({-1})});
  net.Output(net.Op("Mul", {flat, net.Op("Cast", {net.Op("Gather", {tail, net.Integers({1})})},
                                         {{"to", int64_t{1}}})}));
  EXPECT_EQ(RunPass(net, "fold_shape", 1), "Reshape Gather Cast Mul");
  EXPECT_EQ(RunPass(net, "fold_constants", 2), "Reshape Mul");
}

TEST(FoldShape, LeavesOutputs) {
  Net net;
  net.Output(net.Op("Shape", {net.Input({2, 3})}));
  EXPECT_EQ(RunPass(net, "fold_shape", 0), "Shape");
}

TEST(RemoveIdentity, KeepsOutputNames) {
  Net net;
  const ValueId y = net.Op("Identity", {net.Op("Relu", {net.Op("Identity", {net.Input({2, 3})})})});
  net.Output(y);
  const std::string name = net.NameOf(y);
  EXPECT_EQ(RunPass(net, "remove_identity", 2), "Relu");
  EXPECT_EQ(net.NameOf(net.graph.nodes[0].outputs[0]), name);
}

// A mask that masks nothing, and one that is not the same everywhere.
TEST(RemoveIdentity, AndAWhereThatChoosesOneSide) {
  for (const bool chosen : {true, false}) {
    Net net;
    const ValueId x = net.Op("Relu", {net.Input({2, 3})});
    const ValueId low = net.Floats({2, 3}, std::vector<float>(6, -INFINITY));
    const ValueId condition = net.graph.AddConstant(
        "condition", Tensor::Integers({1, 3}, Ints(3, chosen ? 1 : 0), graph::DataType::kBool));
    const ValueId first = chosen ? x : low, second = chosen ? low : x;
    net.Output(net.Op("Sigmoid", {net.Op("Where", {condition, first, second})}));
    RunPass(net, "remove_identity", 2);
    EXPECT_EQ(net.Ops(), "Relu Sigmoid");
  }
  Net mixed;
  const ValueId x = mixed.Op("Relu", {mixed.Input({2, 3})});
  const ValueId condition = mixed.graph.AddConstant(
      "condition", Tensor::Integers({1, 3}, {0, 1, 0}, graph::DataType::kBool));
  mixed.Output(mixed.Op("Where", {condition, x, mixed.Scalar(0)}));
  RunPass(mixed, "remove_identity", 0);
}

TEST(RemoveIdentity, StaysBetweenInterfaces) {
  Net net;
  const ValueId x = net.Input({2, 3});
  const ValueId y = net.Op("Relu", {x});
  net.Output(net.Op("Identity", {x}));
  net.Output(y);
  net.Output(net.Op("Identity", {y}));
  EXPECT_EQ(RunPass(net, "remove_identity", 0), "Relu Identity Identity");
}

TEST(RemoveDropout, Goes) {
  Net net;
  net.Output(net.Op("Relu", {net.Op("Dropout", {net.Input({2, 3})})}));
  EXPECT_EQ(RunPass(net, "remove_dropout", 1), "Relu");
}

TEST(RemoveDropout, IsTheIdentityBetweenInputAndOutput) {
  Net net;
  net.Output(net.Op("Dropout", {net.Input({2, 3})}));
  EXPECT_EQ(RunPass(net, "remove_dropout", 1), "Identity");
}

TEST(RemoveDropout, StaysWhenItsMaskIsUsed) {
  Net net;
  const auto results = net.Nodes("Dropout", {net.Input({2, 3})}, 2);
  net.Output(results[0]);
  net.Output(results[1]);
  EXPECT_EQ(RunPass(net, "remove_dropout", 0), "Dropout");
}

TEST(RemoveCast, FloatToFloatGoes) {
  Net net;
  const ValueId half = net.Op("Cast", {net.Input({2, 3})}, {{"to", kFloat16}});
  net.Output(net.Op("Relu", {half}));
  EXPECT_EQ(RunPass(net, "remove_cast", 1), "Relu");
}

TEST(RemoveCast, FloatToIntegerStays) {
  Net net;
  const ValueId whole = net.Op("Cast", {net.Input({2, 3})}, {{"to", kOnnxInt64}});
  net.Output(net.Op("Cast", {whole}, {{"to", int64_t{1}}}));
  EXPECT_EQ(RunPass(net, "remove_cast", 0), "Cast Cast");
}

TEST(RemoveNoopPad, OnlyByNothing) {
  Net net;
  const ValueId kept = net.Op("Pad", {net.Input({2, 3}), net.Integers({0, 0, 0, 1})});
  net.Output(net.Op("Relu", {net.Op("Pad", {kept, net.Integers({0, 0, 0, 0})})}));
  EXPECT_EQ(RunPass(net, "remove_noop_pad", 1), "Pad Relu");
}

TEST(RemoveNoopReshape, OnlyToTheSameShape) {
  Net net;
  const ValueId same = net.Op("Reshape", {net.Input({2, 3}), net.Integers({2, -1})});
  net.Output(net.Op("Relu", {net.Op("Reshape", {same, net.Integers({3, 2})})}));
  EXPECT_EQ(RunPass(net, "remove_noop_reshape", 1), "Reshape Relu");
}

TEST(RemoveNoopTranspose, IdentityGoesAndUnitMovesReshape) {
  Net net;
  const ValueId same = net.Op("Transpose", {net.Input({2, 1, 3})}, {{"perm", Ints{0, 1, 2}}});
  const ValueId view = net.Op("Transpose", {same}, {{"perm", Ints{1, 0, 2}}});
  const ValueId moved = net.Op("Transpose", {view}, {{"perm", Ints{0, 2, 1}}});
  net.Output(net.Op("Relu", {moved}));
  EXPECT_EQ(RunPass(net, "remove_noop_transpose", 2), "Reshape Transpose Relu");
}

TEST(RemoveNoopResize, OnlyAtScaleOne) {
  Net net;
  const ValueId x = net.Input({1, 2, 4, 4});
  const ValueId same = net.Op("Resize", {x, kNoValue, net.Floats({4}, {1, 1, 1, 1})});
  const ValueId twice = net.Op("Resize", {same, kNoValue, net.Floats({4}, {1, 1, 2, 2})});
  const ValueId nearly = net.Op("Resize", {twice, kNoValue, net.Floats({4}, {1, 1, 1.1f, 1.1f})});
  net.Output(net.Op("Relu", {nearly}));
  EXPECT_EQ(RunPass(net, "remove_noop_resize", 1), "Resize Resize Relu");
}

TEST(RemoveNoopSlice, OnlyWhenAllIsKeptInOrder) {
  Net net;
  const ValueId x = net.Input({2, 3});
  const ValueId same =
      net.Op("Slice", {x, net.Integers({0}), net.Integers({1000}), net.Integers({1})});
  const ValueId part =
      net.Op("Slice", {same, net.Integers({1}), net.Integers({3}), net.Integers({1})});
  const ValueId reversed = net.Op("Slice", {part, net.Integers({-1}), net.Integers({-9}),
                                            net.Integers({1}), net.Integers({-1})});
  net.Output(net.Op("Relu", {reversed}));
  EXPECT_EQ(RunPass(net, "remove_noop_slice", 1), "Slice Slice Relu");
}

TEST(RemoveSingleConcat, OnlyOfOne) {
  Net net;
  const ValueId one = net.Op("Concat", {net.Input({2, 3})}, {{"axis", int64_t{1}}});
  net.Output(net.Op("Concat", {one, one}, {{"axis", int64_t{1}}}));
  EXPECT_EQ(RunPass(net, "remove_single_concat", 1), "Concat");
}

}  // namespace
}  // namespace octet::passes::testing
