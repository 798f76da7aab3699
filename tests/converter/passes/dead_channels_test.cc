#include <gtest/gtest.h>

#include "converter/passes/passes.h"
#include "tests/converter/passes/net.h"

namespace octet::passes::testing {
namespace {

// Random weights, those of the rows named zero.
ValueId Pruned(Net& net, const Shape& shape, const std::vector<size_t>& rows) {
  std::vector<float> values = net.graph.Constant(net.Random(shape))->floats;
  const size_t row = values.size() / static_cast<size_t>(shape[0]);
  for (size_t r : rows) {
    std::fill_n(values.begin() + static_cast<ptrdiff_t>(r * row), row, 0.0f);
  }
  return net.Floats(shape, values);
}

// Output channels of the layers, in order.
std::vector<int64_t> Widths(const Net& net) {
  std::vector<int64_t> widths;
  for (const Node& node : net.graph.nodes) {
    if (node.op == "Conv" || node.op == "Gemm") {
      widths.push_back(net.graph.Constant(node.inputs[1])->shape[0]);
    }
  }
  return widths;
}

const Attributes kSame = {{"pads", Ints{1, 1, 1, 1}}};
Attributes Depthwise(int64_t channels) {
  return {{"pads", Ints{1, 1, 1, 1}}, {"group", channels}};
}

TEST(RemoveDeadChannels, ZerosGoWithTheirDepthwiseLayersAndBounds) {
  Net net;
  const ValueId x = net.Input({1, 3, 8, 8});
  // Negative biases of dead channels: ReLU makes zeros of them, which padding may meet.
  const ValueId first = Pruned(net, {12, 3, 3, 3}, {1, 4, 5});
  const ValueId a =
      net.Op("Relu", {net.Op("Conv", {x, first, net.Random({12}, -1, -0.5f)}, kSame)});
  const ValueId second = Pruned(net, {12, 1, 3, 3}, {6});
  const ValueId b =
      net.Op("Clip", {net.Op("Conv", {a, second}, Depthwise(12)), net.Scalar(0), net.Scalar(6)});
  const ValueId scaled = net.Op("Mul", {b, net.Random({12, 1, 1})});
  const ValueId bent = net.Op("PRelu", {scaled, net.Random({12, 1, 1})});
  net.Output(net.Op("Conv", {bent, net.Random({5, 12, 3, 3}), net.Random({5})}, kSame));
  RunPass(net, "remove_dead_channels", 4);
  EXPECT_EQ(Widths(net), (std::vector<int64_t>{8, 8, 5}));
  EXPECT_EQ(net.graph.nodes[2].Int("group", 0), 8);
}

TEST(RemoveDeadChannels, OtherNumbersBecomeBiasWhereNoPaddingMeetsThem) {
  for (const bool padded : {false, true}) {
    Net net;
    const ValueId x = net.Input({1, 3, 8, 8});
    const ValueId weights = Pruned(net, {8, 3, 3, 3}, {0, 2, 3, 7});
    const ValueId a = net.Op("Silu", {net.Op("Conv", {x, weights, net.Random({8})})});
    net.Output(net.Op("Conv", {a, net.Random({4, 8, 3, 3})}, padded ? kSame : Attributes{}));
    RunPass(net, "remove_dead_channels", padded ? 0 : 4);
    EXPECT_EQ(Widths(net)[0], padded ? 8 : 4);
  }
}

TEST(RemoveDeadChannels, WhatNobodyReadsGoes) {
  Net net;
  const ValueId x = net.Input({1, 3, 8, 8});
  const ValueId a = net.Op("Sigmoid", {net.Op("Conv", {x, net.Random({5, 3, 1, 1})})});
  std::vector<float> weights = net.graph.Constant(net.Random({6, 5, 1, 1}))->floats;
  for (size_t o = 0; o < 6; ++o) weights[o * 5 + 2] = 0;
  net.Output(net.Op("Conv", {a, net.Floats({6, 5, 1, 1}, weights)}));
  RunPass(net, "remove_dead_channels", 1);
  EXPECT_EQ(Widths(net), (std::vector<int64_t>{4, 6}));
}

TEST(RemoveDeadChannels, ThroughResidualSumsGatesPoolsAndTheClassifier) {
  using Rows = std::vector<size_t>;
  for (const bool both : {false, true}) {
    Net net;
    const ValueId x = net.Input({1, 3, 8, 8});
    const ValueId first = Pruned(net, {8, 3, 1, 1}, {0, 2, 3, 5});
    const ValueId a = net.Op("Relu", {net.Op("Conv", {x, first})});
    const ValueId second = Pruned(net, {8, 8, 3, 3}, both ? Rows{0, 2, 3, 5} : Rows{1, 4, 6, 7});
    const ValueId sum = net.Op("Add", {a, net.Op("Conv", {a, second}, kSame)});
    const ValueId pool = net.Op("MaxPool", {sum}, {{"kernel_shape", Ints{2, 2}}});
    const ValueId mean = net.Op("GlobalAveragePool", {pool});
    const ValueId narrow = net.Op("Conv", {mean, net.Random({2, 8, 1, 1}), net.Random({2})});
    const ValueId wide = net.Op("Conv", {net.Op("Relu", {narrow}), net.Random({8, 2, 1, 1})});
    const ValueId gated = net.Op("Mul", {pool, net.Op("HardSigmoid", {wide})});
    const ValueId row =
        net.Op("Reshape", {net.Op("GlobalAveragePool", {gated}), net.Integers({1, 8})});
    net.Output(
        net.Op("Gemm", {row, net.Random({5, 8}), net.Random({5})}, {{"transB", int64_t{1}}}));
    RunPass(net, "remove_dead_channels", both ? 4 : 0);
    EXPECT_EQ(Widths(net),
              both ? (std::vector<int64_t>{4, 4, 2, 4, 5}) : (std::vector<int64_t>{8, 8, 2, 8, 5}));
  }
}

TEST(RemoveDeadChannels, FourStayAndOutputsKeepTheirs) {
  Net net;
  const ValueId x = net.Input({1, 3, 4, 4});
  const ValueId none = Pruned(net, {8, 3, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7});
  const ValueId a = net.Op("Conv", {x, none, net.Random({8})});
  const ValueId b = net.Op("Conv", {a, net.Random({6, 8, 1, 1})});
  net.Output(net.Op("Conv", {b, Pruned(net, {5, 6, 1, 1}, {2})}));
  RunPass(net, "remove_dead_channels", 4 + 2);
  EXPECT_EQ(Widths(net), (std::vector<int64_t>{4, 4, 5}));
}

TEST(RemoveDeadChannels, NotWhereOthersReadThem) {
  const auto stays = [](const std::string& op, Attributes attributes, bool output) {
    Net net;
    const ValueId x = net.Input({1, 3, 4, 4});
    const ValueId a = net.Op("Conv", {x, Pruned(net, {8, 3, 1, 1}, {0, 1, 2, 3})});
    net.Output(net.Op("Conv", {a, net.Random({2, 8, 1, 1})}));
    if (output) net.Output(a);
    if (!op.empty()) net.Output(net.Op(op, {a}, std::move(attributes)));
    RunPass(net, "remove_dead_channels", 0);
  };
  stays("", {}, true);
  stays("Transpose", {{"perm", Ints{0, 2, 3, 1}}}, false);
  stays("Softmax", {{"axis", int64_t{1}}}, false);
  stays("Relu", {}, false);
}

}  // namespace
}  // namespace octet::passes::testing
