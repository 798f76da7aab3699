#include "converter/assign/stretches.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "converter/quantize/reasons.h"
#include "tests/converter/assign/assign_support.h"

namespace octet::assign {
namespace {

using blob::Precision;

// A layer with outliers among forty without: nearly all the loss, and a fraction of the time.
struct Long : Network {
  explicit Long(bool outlier) {
    graph::ValueId x = graph.inputs[0];
    for (int i = 0; i < 40; ++i) x = Conv("l" + std::to_string(i), x, outlier && i == 20);
    Finish({x});
  }
};

Stretches Choose(const Network& network, quantize::Scheme* scheme, int threads = 1,
                 int64_t available = 16) {
  simulate::Options options;
  options.threads = threads;
  const simulate::Simulator simulator(network.graph, {&network.pictures}, options);
  *scheme = network.scheme;
  return ChooseStretches({simulator, simulate::SplitSamples(available, available),
                          network.statistics, network.config, network.scheme},
                         *DefaultClock(), {}, scheme);
}

TEST(Stretches, TheLayerThatLosesNearlyAllRunsInFp16) {
  const Long network(true);
  quantize::Scheme scheme;
  const Stretches chosen = Choose(network, &scheme);
  EXPECT_TRUE(chosen.step.kept);
  EXPECT_GT(chosen.step.after_db, chosen.step.before_db + 3);
  EXPECT_EQ(scheme.precision[20], Precision::kFp16);
  EXPECT_GT(chosen.time_share, 0);
  // Four of forty layers have a tenth of the products.
  EXPECT_LE(std::count(scheme.precision.begin(), scheme.precision.end(), Precision::kFp16), 4);
  // Why, and what of it was measured.
  const quantize::Entry* entry = scheme.ledger.Deciding(20);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->reason, quantize::Reason::kStretch);
  EXPECT_EQ(entry->gain_db, chosen.step.after_db - chosen.step.before_db);
  EXPECT_GT(entry->cost_ns.value(), 0);
  EXPECT_EQ(entry->measured_with, chosen.nodes.size());
  // What comes after makes the same scheme of the configuration.
  const quantize::Scheme again =
      quantize::AssignScheme(network.graph, network.statistics, chosen.config);
  EXPECT_EQ(again.precision, scheme.precision);
}

TEST(Stretches, LayersThatAreAllAlikeAreNotWorthTheirTime) {
  const Long network(false);
  quantize::Scheme scheme;
  const Stretches chosen = Choose(network, &scheme);
  EXPECT_TRUE(chosen.step.tried);
  EXPECT_FALSE(chosen.step.kept);
  EXPECT_TRUE(chosen.nodes.empty());
  EXPECT_EQ(scheme.precision, network.scheme.precision);
}

TEST(Stretches, WhatSomebodyMovedToFp16StaysThere) {
  Long network(true);
  network.scheme.Want({.node = 5, .reason = quantize::Reason::kFloatOutput});
  quantize::Scheme scheme;
  const Stretches chosen = Choose(network, &scheme);
  EXPECT_EQ(scheme.precision[5], Precision::kFp16);
  EXPECT_EQ(scheme.precision[20], Precision::kFp16);
  EXPECT_EQ(std::count(chosen.nodes.begin(), chosen.nodes.end(), "l5"), 0);
}

TEST(Stretches, WhatTheUserWantsInInt8Stays) {
  Long network(true);
  network.config.layers.push_back({"l20", Precision::kInt8});
  quantize::Scheme scheme;
  Choose(network, &scheme);
  EXPECT_EQ(scheme.precision[20], Precision::kInt8);
}

TEST(Stretches, TooFewSamplesChangeNothing) {
  const Long network(true);
  quantize::Scheme scheme;
  const Stretches chosen = Choose(network, &scheme, 1, 3);
  EXPECT_FALSE(chosen.step.tried);
  EXPECT_EQ(scheme.precision, network.scheme.precision);
}

TEST(Stretches, ThreadsDoNotMatter) {
  const Long network(true);
  quantize::Scheme one, three;
  const Stretches a = Choose(network, &one, 1), b = Choose(network, &three, 3);
  EXPECT_EQ(one.precision, three.precision);
  EXPECT_EQ(a.step.after_db, b.step.after_db);
  EXPECT_EQ(a.nodes, b.nodes);
}

}  // namespace
}  // namespace octet::assign
