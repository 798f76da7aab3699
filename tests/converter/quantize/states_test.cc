#include "converter/quantize/states.h"

#include <gtest/gtest.h>

#include "converter/operators/weights.h"
#include "converter/quantize/carried.h"
#include "converter/quantize/reasons.h"
#include "tests/converter/quantize/quantize_support.h"

namespace octet::quantize {
namespace {

using blob::Precision;

// A state comes in transposed, and the new one leaves transposed; the sequence is transposed too.
struct Stream : Net {
  Stream() {
    const graph::Shape steps{3, 1, 4}, state{1, 1, 4}, all{3, 1, 1, 4};
    const auto x = Input("x", -1, 1), h = Input("h", -1, 1);
    graph.At(x).shape = graph::Shape{1, 3, 4};
    graph.At(h).shape = state;
    const auto turned = Value("turned", -1, 1, steps), start = Value("start", -1, 1, state),
               y = Value("y", -1, 1, all), y_h = Value("y_h", -1, 1, state),
               out = Value("out", -1, 1, all), last = Value("last", -1, 1, state);
    const graph::Attribute swap = std::vector<int64_t>{1, 0, 2};
    Op("Transpose", {x}, turned).attributes["perm"] = swap;
    Op("Transpose", {h}, start).attributes["perm"] = swap;
    Op("GRU",
       {turned, Constant({1, 12, 4}, 0.5f), Constant({1, 12, 4}, 0.5f), graph::kNoValue,
        graph::kNoValue, start},
       y);
    graph.nodes.back().outputs.push_back(y_h);
    Op("Transpose", {y}, out).attributes["perm"] = std::vector<int64_t>{0, 2, 1, 3};
    Op("Transpose", {y_h}, last).attributes["perm"] = swap;
    Output(out);
    Output(last);
  }
};

TEST(States, WhatMovesThemAlone) {
  EXPECT_EQ(MovesStates(Stream().graph), (std::vector<bool>{false, true, false, false, true}));
}

// The layer's own products are what int8 is for: it runs in int8 where its state is tied too, with
// what is before it.
TEST(States, ARecurrentLayerOfATiedStateRunsInInt8) {
  Stream net;
  net.graph.states.resize(1);
  EXPECT_EQ(CarriedByStates(net.graph), (std::vector<bool>{false, false, false, false, true}));
  const Scheme scheme = AssignScheme(net.graph, net.statistics, Config{});
  EXPECT_EQ(scheme.precision[0], Precision::kInt8);
  EXPECT_EQ(scheme.precision[2], Precision::kInt8);
  EXPECT_EQ(scheme.precision[4], Precision::kFp16);
  EXPECT_EQ(scheme.ledger.Deciding(4)->reason, Reason::kState);
}

TEST(States, ProductsOfARecurrentLayerCount) {
  const Stream net;
  // Three steps of one sequence meet 12 * 4 weights of W, and as many of R.
  EXPECT_EQ(operators::ProductsOf(net.graph, net.graph.nodes[2]), 3 * (48 + 48));
  EXPECT_EQ(operators::ProductsOf(net.graph, net.graph.nodes[0]), 0);
}

}  // namespace
}  // namespace octet::quantize
