#include "converter/quantize/narrow_outputs.h"

#include <gtest/gtest.h>

#include "converter/quantize/reasons.h"
#include "tests/converter/graph/given_by_test.h"
#include "tests/converter/quantize/quantize_support.h"

namespace octet::quantize {
namespace {

using blob::Precision;

// x -> conv -> logits -> Softmax -> p, an output.
struct Classes : Net {
  Classes(float least, float most) {
    const auto x = Input("x", -1, 1), logits = Value("logits", -1, 1), p = Value("p", least, most);
    Conv(x, logits);
    Op("Softmax", {logits}, p).attributes["axis"] = int64_t{1};
    Output(p);
  }
  bool IsNarrow() const { return NarrowOutputs(graph, statistics)[1]; }
};

// x -> conv -> c -> Sigmoid -> s within [0, 1] -> OP -> y, an output.
struct Pooled : Net {
  Pooled(const std::string& op, float least, float most) {
    const auto x = Input("x", -1, 1), c = Value("c", -6, 6);
    s = Value("s", 0, 1);
    Conv(x, c);
    Op("Sigmoid", {c}, s);
    y = Value("y", least, most, {1, 4, 1, 1});
    Op(op, {s}, y);
    Output(y);
  }
  std::vector<bool> Found() const { return NarrowOutputs(graph, statistics); }
  graph::ValueId s, y;
};

const std::vector<bool> kNone = {false, false, false}, kAllButWeights = {false, true, true};

TEST(NarrowOutputs, FewerThanAQuarterOfTheCodes) {
  // Up to a quarter: steps of 1/512.
  EXPECT_TRUE(Classes(0.25f - 63.0f / 512, 0.25f).IsNarrow());
  EXPECT_FALSE(Classes(0.25f - 65.0f / 512, 0.25f).IsNarrow());
  EXPECT_FALSE(Classes(0, 1).IsNarrow());
  // Finer steps than 1/4096 there are none.
  EXPECT_TRUE(Classes(0, 0.01f).IsNarrow());
  EXPECT_FALSE(Classes(0, 0.02f).IsNarrow());
}

TEST(NarrowOutputs, AConstantLosesNothing) {
  EXPECT_FALSE(Classes(0.25f, 0.25f).IsNarrow());
}

TEST(NarrowOutputs, WhatIsCoarserThanItsLargest) {
  // Steps of the elements are 1/255: 64 of them are 0.251.
  for (const char* op : {"GlobalMaxPool", "ReduceMax", "ReduceMin"}) {
    EXPECT_EQ(Pooled(op, 0.5f, 0.75f).Found(), kAllButWeights) << op;
    EXPECT_EQ(Pooled(op, 0.5f, 0.753f).Found(), kNone) << op;
    // Also where a constant part was taken out, so that the result itself has fine steps.
    EXPECT_EQ(Pooled(op, -0.02f, 0.02f).Found(), kAllButWeights) << op;
  }
}

TEST(NarrowOutputs, WhatIsCoarserThanItsMean) {
  for (const char* op : {"GlobalAveragePool", "ReduceMean"}) {
    EXPECT_EQ(Pooled(op, 0.2f, 0.45f).Found(), kAllButWeights) << op;
    EXPECT_EQ(Pooled(op, 0.2f, 0.453f).Found(), kNone) << op;
    EXPECT_EQ(Pooled(op, -0.02f, 0.02f).Found(), kAllButWeights) << op;
  }
  // A sum is off by the sum of what its elements are off by.
  EXPECT_EQ(Pooled("ReduceSum", 0, 2).Found(), kNone);
  EXPECT_EQ(Pooled("ReduceSum", 8, 10).Found(), kAllButWeights);
}

TEST(NarrowOutputs, AFunctionThatFlattensNeedsNoFinerInput) {
  // y = 0.5 + x / 1000: its own steps are too coarse, those of x are a thousandth of it.
  Net net;
  const auto x = net.Input("x", -10, 10), r = net.Value("r", -10, 10),
             y = net.Value("y", 0.49f, 0.51f);
  net.Op("Relu", {x}, r);
  net.Op("Sigmoid", {r}, y);
  const auto z = net.Value("z", 0.49f, 0.51f);
  net.Op("Abs", {y}, z);
  net.Output(z);
  EXPECT_EQ(NarrowOutputs(net.graph, net.statistics), (std::vector<bool>{false, true, true}));
}

TEST(NarrowOutputs, AFactorIsCounted) {
  // Steps of 1/255 of a, times the size of b.
  const auto found = [](float b_size) {
    Net net;
    const auto x = net.Input("x", -1, 1), c = net.Value("c", -1, 1), a = net.Value("a", 0, 1);
    net.Conv(x, c);
    net.Op("Sigmoid", {c}, a);
    const auto y = net.Value("y", 0, b_size), z = net.Value("z", 0, 0.2f);
    net.Op("Mul", {a, net.Constant({1}, b_size)}, y);
    net.Op("GlobalMaxPool", {y}, z);
    net.Output(z);
    return NarrowOutputs(net.graph, net.statistics);
  };
  EXPECT_EQ(found(1), (std::vector<bool>{false, true, true, true}));
  EXPECT_EQ(found(0.5f), (std::vector<bool>{false, false, false, false}));
}

TEST(NarrowOutputs, EveryResultOfANodeCounts) {
  Net net;
  const auto x = net.Input("x", 0, 1), a = net.Value("a", 0, 1, {1, 2, 4, 4}),
             b = net.Value("b", 0.9f, 1, {1, 2, 4, 4});
  net.Op("Split", {x}, a).outputs.push_back(b);
  net.Output(a);
  EXPECT_FALSE(NarrowOutputs(net.graph, net.statistics)[0]);
  net.Output(b);
  EXPECT_TRUE(NarrowOutputs(net.graph, net.statistics)[0]);
}

TEST(NarrowOutputs, NothingBehindWeights) {
  Net net;
  const auto x = net.Input("x", -1, 1), s = net.Value("s", 0, 1), y = net.Value("y", 0.5f, 0.51f);
  net.Op("Sigmoid", {x}, s);
  net.Conv(s, y);
  net.Output(y);
  EXPECT_EQ(NarrowOutputs(net.graph, net.statistics), (std::vector<bool>{false, false}));
}

TEST(NarrowOutputs, CodesOfWeightsAreNoFinerInFp16) {
  // One of the columns of a layer with weights is narrow.
  Net net;
  const auto x = net.Input("x", -1, 1), c = net.Value("c", -8, 8), a = net.Value("a", 0, 0.1f),
             y = net.Value("y", 0, 0.1f);
  net.Conv(x, c);
  net.Op("Slice", {c}, a);
  net.Op("Abs", {a}, y);
  net.Output(y);
  EXPECT_EQ(NarrowOutputs(net.graph, net.statistics), (std::vector<bool>{false, false, false}));
  // What is computed from it has steps of its own.
  net.statistics[static_cast<size_t>(y)]->min = 0.099f;
  EXPECT_EQ(NarrowOutputs(net.graph, net.statistics), (std::vector<bool>{false, false, true}));
}

TEST(NarrowOutputs, CodesOfTheModelAreNoFinerInFp16) {
  Pooled net("GlobalMaxPool", 0.5f, 0.51f);
  graph::GivenByTest::Give(net.graph, net.s, {1.0f / 256, -128});
  EXPECT_EQ(net.Found(), kNone);
  Pooled mean("GlobalAveragePool", 0.5f, 0.51f);
  graph::GivenByTest::Give(mean.graph, mean.s, {1.0f / 256, -128});
  EXPECT_EQ(mean.Found(), (std::vector<bool>{false, false, true}));
}

TEST(NarrowOutputs, AModelThatSaysItsCodesKeepsThem) {
  Classes net(0.24f, 0.25f);
  graph::GivenByTest::Give(net.graph, net.graph.outputs[0], {1.0f / 256, -128});
  EXPECT_FALSE(net.IsNarrow());
}

TEST(NarrowOutputs, RunInFp16) {
  const Classes narrow(0.24f, 0.25f), wide(0, 1);
  Scheme scheme = AssignScheme(narrow.graph, narrow.statistics, Config{});
  EXPECT_EQ(scheme.precision[0], Precision::kInt8);
  EXPECT_EQ(scheme.precision[1], Precision::kFp16);
  EXPECT_EQ(scheme.ledger.Deciding(1)->reason, Reason::kFloatOutput);
  scheme = AssignScheme(wide.graph, wide.statistics, Config{});
  EXPECT_EQ(scheme.precision[1], Precision::kInt8);
}

}  // namespace
}  // namespace octet::quantize
