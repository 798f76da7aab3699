// Activation fusion, names, and the list as a whole.
#include <set>

#include <gtest/gtest.h>

#include "converter/passes/passes.h"
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
