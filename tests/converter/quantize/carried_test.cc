#include "converter/quantize/carried.h"

#include <gtest/gtest.h>

#include "converter/quantize/half_groups.h"
#include "converter/quantize/reasons.h"
#include "tests/converter/quantize/quantize_support.h"

namespace octet::quantize {
namespace {

using blob::Precision;

// x -> conv -> gate; h' = gate * h + x; y = conv(h'). h is the state.
struct Cell : Net {
  explicit Cell(float largest = 1) {
    const auto x = Input("x", -1, 1), h = Input("h", -largest, largest);
    const auto drive = Value("drive", -1, 1), gate = Value("gate", 0, 1),
               kept = Value("kept", -1, 1), next = Value("next", -largest, largest),
               y = Value("y", -1, 1);
    Conv(x, drive);
    Op("Sigmoid", {drive}, gate);
    Op("Mul", {gate, h}, kept);
    Op("Add", {kept, x}, next);
    Conv(next, y);
    Output(y);
    Output(next);
    graph.states.resize(1);
  }
};

TEST(Carried, WhatPutsAStateTogetherBehindTheLastProducts) {
  EXPECT_EQ(CarriedByStates(Cell().graph), (std::vector<bool>{false, true, true, true, false}));
  Net none = Cell();
  none.graph.states.clear();
  EXPECT_EQ(CarriedByStates(none.graph), std::vector<bool>(5, false));
}

TEST(Carried, RunsInFp16AndSaysWhy) {
  const Cell net;
  const Scheme scheme = AssignScheme(net.graph, net.statistics, Config{});
  EXPECT_EQ(scheme.precision[0], Precision::kInt8);
  EXPECT_EQ(scheme.precision[4], Precision::kInt8);
  for (const size_t n : {size_t{1}, size_t{2}, size_t{3}}) {
    EXPECT_EQ(scheme.precision[n], Precision::kFp16) << n;
    EXPECT_EQ(scheme.ledger.Deciding(n)->reason, Reason::kState) << n;
  }
}

TEST(Carried, AStateHasTheScaleOneInEveryPlan) {
  const Cell net(60000);
  Scheme scheme = AssignScheme(net.graph, net.statistics, Config{});
  for (const bool whole : {false, true}) {
    if (whole) scheme.precision.assign(net.graph.nodes.size(), Precision::kFp16);
    HalfGroups groups(net.graph, net.statistics, scheme);
    for (const graph::ValueId id : {net.graph.inputs[1], net.graph.outputs[1]}) {
      const HalfGroup* group = groups.GroupOf(id);
      ASSERT_NE(group, nullptr);
      EXPECT_TRUE(group->pinned);
    }
  }
}

}  // namespace
}  // namespace octet::quantize
