#include "converter/quantize/narrow_outputs.h"

#include <gtest/gtest.h>

#include "converter/quantize/reasons.h"
#include "tests/converter/graph/given_by_test.h"
#include "tests/converter/quantize/quantize_support.h"

namespace octet::quantize {
namespace {

using blob::Precision;

// x -> conv -> logits -> Softmax -> p, an output, or what a multiplication reads.
struct Classes : Net {
  Classes(float least, float most, bool is_output = true) {
    const auto x = Input("x", -1, 1), logits = Value("logits", -1, 1), p = Value("p", least, most);
    Conv(x, logits);
    Op("Softmax", {logits}, p).attributes["axis"] = int64_t{1};
    if (is_output) {
      Output(p);
      return;
    }
    const auto y = Value("y", 2 * least, 2 * most);
    Op("Mul", {p, Constant({1}, 2)}, y);
    Output(y);
  }
  bool IsNarrow() const { return NarrowOutputs(graph, statistics)[1]; }
};

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

TEST(NarrowOutputs, OnlyInFrontOfAnOutput) {
  EXPECT_FALSE(Classes(0.24f, 0.25f, false).IsNarrow());
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
