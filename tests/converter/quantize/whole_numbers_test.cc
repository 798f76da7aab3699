#include "converter/quantize/whole_numbers.h"

#include <gtest/gtest.h>

#include "converter/quantize/reasons.h"
#include "tests/converter/quantize/quantize_support.h"

namespace octet::quantize {
namespace {

using blob::Precision;

// x -> conv -> boxes; ArgMax -> class; both in one output, or behind it a multiplication.
struct Columns : Net {
  explicit Columns(bool computes) {
    const graph::Shape shape{1, 4, 4, 4}, both{1, 5, 4, 4}, one{1, 1, 4, 4};
    const auto x = Input("x", -1, 1);
    const auto boxes = Value("boxes", 0, 320, shape);
    const auto label = graph.AddValue({"label", graph::DataType::kInt64, one, {}, {}});
    statistics.resize(graph.values.size());
    const auto column = Value("column", 0, 79, one), rows = Value("rows", 0, 320, both);
    Op("Conv", {x, Constant({4, 4, 1, 1}, 0.5f)}, boxes);
    Op("ArgMax", {boxes}, label).attributes["axis"] = int64_t{1};
    Op("Cast", {label}, column).attributes["to"] = int64_t{1};
    Op("Concat", {boxes, column}, rows).attributes["axis"] = int64_t{1};
    if (computes) {
      const auto y = Value("y", 0, 320, both);
      Op("Mul", {rows, Constant({1, 5, 1, 1}, 1.5f)}, y);
      Output(y);
    } else {
      Output(rows);
    }
  }
};

TEST(WholeNumbers, WhatJoinsThemToAnOutput) {
  const std::vector<bool> marked = WholeNumbersOfOutputs(Columns(false).graph);
  EXPECT_FALSE(marked[0]);
  EXPECT_TRUE(marked[3]);
  const std::vector<bool> computed = WholeNumbersOfOutputs(Columns(true).graph);
  EXPECT_EQ(computed, std::vector<bool>(5));
}

TEST(WholeNumbers, RunInFp16) {
  const Columns net(false);
  const Scheme scheme = AssignScheme(net.graph, net.statistics, Config{});
  EXPECT_EQ(scheme.precision[0], Precision::kInt8);
  EXPECT_EQ(scheme.precision[3], Precision::kFp16);
  EXPECT_EQ(scheme.ledger.Deciding(3)->reason, Reason::kFloatOutput);
}

}  // namespace
}  // namespace octet::quantize
