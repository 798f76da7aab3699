// Activation fusion, names, and the list as a whole.
#include <set>

#include <gtest/gtest.h>

#include "converter/operators/offset_function.h"
#include "converter/passes/passes.h"
#include "tests/converter/graph/given_by_test.h"
#include "tests/converter/passes/net.h"

namespace octet::passes::testing {
namespace {

TEST(HoistActivation, BehindALayer) {
  Net net;
  const ValueId y =
      net.Op("Gemm", {net.Input({2, 5}), net.Random({6, 5})}, {{"transB", int64_t{1}}});
  const ValueId view = net.Op("Reshape", {y, net.Integers({2, 3, 2})});
  net.Output(net.Op("Relu", {view}));
  const ValueId z = net.Op("Conv", {net.Input({1, 2, 3, 3}, "z"), net.Random({2, 2, 1, 1})});
  net.Output(net.Op("Silu", {net.Op("Transpose", {z})}));
  EXPECT_EQ(RunPass(net, "hoist_activation", 2), "Gemm Relu Reshape Conv Silu Transpose");
}

TEST(HoistActivation, ThroughSeveralUntilItFuses) {
  Net net;
  const ValueId y =
      net.Op("Gemm", {net.Input({2, 5}), net.Random({6, 5})}, {{"transB", int64_t{1}}});
  const ValueId view = net.Op("Reshape", {y, net.Integers({2, 3, 2})});
  net.Output(net.Op("Relu", {net.Op("Transpose", {view}, {{"perm", Ints{0, 2, 1}}})}));
  EXPECT_EQ(RunAll(net), "Gemm+Relu Reshape Transpose");
}

TEST(HoistActivation, NotInFrontOfAnInputOrASharedValue) {
  Net net;
  const ValueId x = net.Input({2, 6});
  net.Output(net.Op("Relu", {net.Op("Reshape", {x, net.Integers({3, 4})})}));
  const ValueId shared = net.Op("Reshape", {net.Op("Abs", {x}), net.Integers({3, 4})});
  net.Output(shared);
  net.Output(net.Op("Relu", {shared}));
  RunPass(net, "hoist_activation", 0);
}

TEST(FuseActivation, ReluBehindEachLayer) {
  Net net;
  const ValueId x = net.Input({1, 2, 4, 4});
  const ValueId y = net.Op("Relu", {net.Op("Conv", {x, net.Random({2, 2, 3, 3})})});
  const ValueId z = net.Op("Relu", {net.Op("Mul", {y, net.Op("Relu", {net.Op("Add", {y, y})})})});
  net.Output(net.Op("Relu", {net.Op("ConvTranspose", {z, net.Random({2, 2, 2, 2})})}));
  const ValueId a = net.Input({2, 5}, "a");
  const ValueId b = net.Op("Relu", {net.Op("Gemm", {a, net.Random({5, 3})})});
  net.Output(net.Op("Relu", {net.Op("MatMul", {b, net.Random({3, 2})})}));
  // A product of two computed matrices has no activation: one with constant weights is a Gemm.
  EXPECT_EQ(RunPass(net, "fuse_activation", 5),
            "Conv+Relu Add+Relu Mul+Relu ConvTranspose+Relu Gemm+Relu MatMul Relu");
}

// Their input's range has to stay visible to calibration.
TEST(FuseActivation, NotForCurves) {
  for (const char* curve :
       {"LeakyRelu", "Sigmoid", "Silu", "HardSwish", "HardSigmoid", "Tanh", "Mish", "Gelu"}) {
    Net net;
    net.Output(
        net.Op(curve, {net.Op("Conv", {net.Input({1, 2, 4, 4}), net.Random({2, 2, 3, 3})})}));
    EXPECT_EQ(RunPass(net, "fuse_activation", 0), std::string("Conv ") + curve);
  }
}

TEST(FuseActivation, ClipCarriesItsBounds) {
  Net net;
  const ValueId y = net.Op("ConvTranspose", {net.Input({1, 2, 4, 4}), net.Random({2, 3, 3, 3})});
  const ValueId clip = net.Op("Clip", {y, net.Scalar(0), net.Scalar(6)});
  net.Output(clip);
  const std::string name = net.NameOf(clip);
  EXPECT_EQ(RunPass(net, "fuse_activation", 1), "ConvTranspose+Clip");
  EXPECT_EQ(net.graph.nodes[0].alpha, 0);
  EXPECT_EQ(net.graph.nodes[0].beta, 6);
  EXPECT_EQ(net.NameOf(net.graph.nodes[0].outputs[0]), name);
}

TEST(FuseActivation, NotForSharedValuesOutputsOrOtherNodes) {
  Net net;
  const ValueId x = net.Input({1, 2, 4, 4});
  const ValueId shared = net.Op("Conv", {x, net.Random({2, 2, 1, 1})});
  net.Output(net.Op("Add", {net.Op("Relu", {shared}), shared}));
  const ValueId output = net.Op("Conv", {x, net.Random({2, 2, 1, 1})});
  net.Output(output);
  net.Output(net.Op("Relu", {output}));
  net.Output(net.Op("Relu", {net.Op("MaxPool", {x}, {{"kernel_shape", Ints{2, 2}}})}));
  net.Output(net.Op("Exp", {net.Op("Conv", {x, net.Random({2, 2, 1, 1})})}));
  RunPass(net, "fuse_activation", 0);
}

TEST(FuseActivation, OneBehindEachLayer) {
  Net net;
  const ValueId y = net.Op("Conv", {net.Input({1, 2, 4, 4}), net.Random({2, 2, 1, 1})});
  net.Output(net.Op("Tanh", {net.Op("Relu", {y})}));
  EXPECT_EQ(RunPass(net, "fuse_activation", 1), "Conv+Relu Tanh");
}

// The steps of the only merged function.
std::vector<operators::FunctionStep> StepsOf(const Net& net) {
  for (const Node& node : net.graph.nodes) {
    if (node.op == "OffsetFunction") return operators::OffsetFunctionOf(node).steps;
  }
  return {};
}

TEST(MergeFunctions, ASumBehindAFunctionIsPartOfIt) {
  Net net;
  const ValueId y = net.Op("Sigmoid", {net.Input({1, 6})});
  const ValueId doubled = net.Op("Mul", {net.Scalar(2), y});
  net.Output(net.Op("Softmax", {net.Op("Sub", {doubled, net.Scalar(1)})}));
  EXPECT_EQ(RunPass(net, "merge_functions", 1), "OffsetFunction Softmax");
  const auto steps = StepsOf(net);
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].name, "Sigmoid");
  EXPECT_EQ(steps[1].alpha, 2);
  EXPECT_EQ(steps[2].beta, -1);
}

TEST(MergeFunctions, EveryKindOfStepHasItsMeaning) {
  Net net;
  ValueId y = net.Op("Tanh", {net.Input({2, 8})});
  y = net.Op("Sub", {net.Scalar(2), y});
  net.graph.nodes.back().activation = "Clip";
  net.graph.nodes.back().alpha = 1.25f;
  net.graph.nodes.back().beta = 2.75f;
  y = net.Op("Pow", {y, net.Scalar(1.5f)});
  y = net.Op("Div", {net.Scalar(3), y});
  y = net.Op("Neg", {net.Op("Elu", {y}, {{"alpha", 0.7f}})});
  y = net.Op("Clip", {net.Op("Add", {y, net.Scalar(1)}), net.Scalar(-1), net.Scalar(0.5f)});
  net.Output(net.Op("Relu", {y}));
  EXPECT_EQ(RunPass(net, "merge_functions", 1), "OffsetFunction");
  EXPECT_EQ(StepsOf(net).size(), 10u);
}

TEST(MergeFunctions, AConstantTakenOutIsAdded) {
  Net net;
  const ValueId y = net.Op("Mul", {net.Op("Exp", {net.Input({1, 6})}), net.Scalar(3)});
  net.Output(net.Op("Softmax", {net.Op("Sigmoid", {y})}));
  Node& exp = net.graph.nodes[0];
  operators::BecomeOffset(net.graph, &exp);
  operators::MoveOffset(0, 0.75f, &exp);
  Node& sigmoid = net.graph.nodes[2];
  operators::BecomeOffset(net.graph, &sigmoid);
  operators::MoveOffset(2.25f, 0.5f, &sigmoid);
  EXPECT_EQ(RunPass(net, "merge_functions", 1), "OffsetFunction Softmax");
  const auto merged = operators::OffsetFunctionOf(net.graph.nodes[0]);
  EXPECT_EQ(merged.steps.size(), 5u);
  EXPECT_EQ(merged.from, 0);
  EXPECT_EQ(merged.by, 0.5f);
}

// FP16 has kernels for these; a sum in front of a function takes nothing out of its result.
TEST(MergeFunctions, NotWithoutASumBehindAFunction) {
  Net net;
  const ValueId x = net.Input({1, 6});
  net.Output(net.Op("Abs", {net.Op("Mul", {net.Op("Sigmoid", {x}), net.Scalar(3)})}));
  net.Output(net.Op("Abs", {net.Op("Sigmoid", {net.Op("Add", {x, net.Scalar(3)})})}));
  net.Output(net.Op("Add", {net.Op("Mul", {x, net.Scalar(3)}), net.Scalar(1)}));
  RunPass(net, "merge_functions", 0);
}

TEST(MergeFunctions, NotWhereOthersReadOrSizesChange) {
  Net net;
  const ValueId x = net.Input({1, 6});
  const ValueId shared = net.Op("Sigmoid", {x});
  net.Output(net.Op("Softmax", {net.Op("Sub", {shared, net.Scalar(1)})}));
  net.Output(net.Op("Softmax", {shared}));
  const ValueId shown = net.Op("Tanh", {x});
  net.Output(shown);
  net.Output(net.Op("Softmax", {net.Op("Add", {shown, net.Scalar(1)})}));
  const ValueId one = net.Op("Sigmoid", {net.Input({6}, "z")});
  net.Output(net.Op("Softmax", {net.Op("Add", {one, net.Floats({1, 1}, {3})})}));
  const ValueId many = net.Op("Sigmoid", {net.Input({1, 2}, "w")});
  net.Output(net.Op("Softmax", {net.Op("Add", {many, net.Floats({1, 2}, {3, 4})})}));
  RunPass(net, "merge_functions", 0);
}

TEST(MergeFunctions, NotWhereTheModelRoundsBetween) {
  Net net;
  const ValueId y = net.Op("Sigmoid", {net.Input({1, 6})});
  net.Output(net.Op("Softmax", {net.Op("Sub", {y, net.Scalar(0.5f)})}));
  graph::GivenByTest::Give(net.graph, y, graph::Given{1.0f / 256, -128});
  RunPass(net, "merge_functions", 0);
}

// It is computed in float there, on the value as it is.
TEST(MergeFunctions, NotWithTheFunctionInFrontOfAnOutput) {
  Net net;
  const ValueId y = net.Op("Add", {net.Op("Tanh", {net.Input({1, 6})}), net.Scalar(1)});
  net.Output(net.Op("Sigmoid", {y}));
  EXPECT_EQ(RunPass(net, "merge_functions", 1), "OffsetFunction Sigmoid");
}

TEST(UniqueNames, InterfacesKeepTheirs) {
  Net net;
  const ValueId x = net.Input({2, 3});
  const ValueId a = net.Op("Abs", {x});
  const ValueId b = net.Op("Relu", {a});
  net.Output(b);
  net.graph.At(a).name = net.NameOf(b);
  net.graph.nodes[0].name = net.graph.nodes[1].name = "same";
  RunPass(net, "unique_names", 2);
  EXPECT_NE(net.NameOf(a), net.NameOf(b));
  EXPECT_EQ(net.graph.nodes[0].name, "same");
  EXPECT_NE(net.graph.nodes[1].name, "same");
}

TEST(Canonicalise, ResidualBlock) {
  Net net;
  const ValueId x = net.Input({1, 4, 6, 6});
  const Attributes padded = {{"pads", Ints{1, 1, 1, 1}}};
  ValueId y = net.Norm(net.Op("Conv", {x, net.Random({4, 4, 3, 3})}, padded), 4);
  y = net.Op("Relu", {net.Op("Identity", {y})});
  y = net.Norm(net.Op("Conv", {y, net.Random({4, 4, 3, 3})}, padded), 4);
  y = net.Op("Relu", {net.Op("Add", {y, x})});
  y = net.Op("Flatten", {net.Op("GlobalAveragePool", {y})});
  net.Output(net.Op("Gemm", {y, net.Random({4, 3}), net.Random({3})}));
  EXPECT_EQ(RunAll(net), "Conv+Relu Conv Add+Relu GlobalAveragePool Reshape Gemm");
}

// A SE block as PyTorch exports it: computed shapes, HardSwish and HardSigmoid spelled out.
TEST(Canonicalise, SqueezeAndExcite) {
  Net net;
  const ValueId x = net.Input({1, 4, 6, 6});
  const ValueId y = net.Norm(net.Op("Conv", {x, net.Random({4, 4, 1, 1})}), 4);
  const auto gate = [&](ValueId v) {
    const ValueId clip =
        net.Op("Clip", {net.Op("Add", {v, net.Scalar(3)}), net.Scalar(0), net.Scalar(6)});
    return net.Op("Div", {clip, net.Scalar(6)});
  };
  const ValueId swish = net.Op("Mul", {y, gate(y)});
  const ValueId mean = net.Op("ReduceMean", {swish, net.Integers({-2, -1})});
  const ValueId excite = gate(net.Op("Conv", {mean, net.Random({4, 4, 1, 1})}));
  const ValueId scaled = net.Op("Mul", {swish, excite});
  const ValueId batch = net.Op("Gather", {net.Op("Shape", {scaled}), net.Integers({0})});
  const ValueId target = net.Op("Concat", {batch, net.Integers({-1})}, {{"axis", int64_t{0}}});
  net.Output(net.Op("Reshape", {scaled, target}));
  EXPECT_EQ(RunAll(net), "Conv HardSwish GlobalAveragePool Conv HardSigmoid Mul Reshape");
}

TEST(Canonicalise, ReportsInListOrder) {
  Net net;
  net.Output(net.Op("Identity", {net.Op("Relu", {net.Op("Identity", {net.Input({2, 3})})})}));
  PassReport report;
  Canonicalise(net.graph, &report);
  ASSERT_EQ(report.rewrites.size(), 1u);
  EXPECT_EQ(report.rewrites[0].first, "remove_identity");
  EXPECT_EQ(report.rewrites[0].second, 2);
  EXPECT_TRUE(report.converged);
}

TEST(AllPasses, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const Pass& pass : AllPasses()) {
    EXPECT_TRUE(names.insert(pass.name).second) << pass.name;
    EXPECT_EQ(FindPass(pass.name), &pass);
  }
  EXPECT_EQ(FindPass("none"), nullptr);
}

}  // namespace
}  // namespace octet::passes::testing
