#include "converter/quantize/positions.h"

#include <gtest/gtest.h>

#include "converter/quantize/reasons.h"
#include "tests/converter/quantize/quantize_support.h"

namespace octet::quantize {
namespace {

using blob::Precision;

// x -> conv -> mul -> add -> the grid in which x is sampled.
struct Sampler : Net {
  Sampler() {
    const graph::Shape shape{1, 4, 4, 2};
    const auto x = Input("x", -1, 1);
    const auto offsets = Value("offsets", -1, 1, shape), scaled = Value("scaled", -1, 1, shape),
               grid = Value("grid", -1, 1, shape), y = Value("y", -1, 1);
    Op("Conv", {x, Constant({4, 4, 1, 1}, 0.5f)}, offsets);
    Op("Mul", {offsets, Constant({1}, 0.1f)}, scaled);
    Op("Add", {scaled, Constant({1, 1, 1, 2}, 0.5f)}, grid);
    Op("GridSample", {x, grid}, y);
    Output(y);
  }
};

TEST(Positions, WhatPutsThemTogetherBehindTheLastProducts) {
  EXPECT_EQ(SampledPositions(Sampler().graph), (std::vector<bool>{false, true, true, false}));
}

TEST(Positions, RunInFp16AndSayWhy) {
  const Sampler net;
  const Scheme scheme = AssignScheme(net.graph, net.statistics, Config{});
  EXPECT_EQ(scheme.precision[0], Precision::kInt8);
  for (const size_t n : {size_t{1}, size_t{2}}) {
    EXPECT_EQ(scheme.precision[n], Precision::kFp16) << n;
    EXPECT_EQ(scheme.ledger.Deciding(n)->reason, Reason::kPosition) << n;
  }
}

}  // namespace
}  // namespace octet::quantize
