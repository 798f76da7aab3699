#include "converter/assign/stretches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

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

// The arena of every scheme.
ArenaOf Always(int64_t bytes) {
  return [bytes](const quantize::Scheme&) { return bytes; };
}
// An arena that is `times` as large where a node runs in FP16.
ArenaOf TimesAt(size_t node, int64_t times) {
  return [node, times](const quantize::Scheme& scheme) {
    return scheme.precision[node] == Precision::kFp16 ? 1000 * times : 1000;
  };
}

Stretches Choose(const Network& network, quantize::Scheme* scheme, int threads = 1,
                 int64_t available = 16, const ArenaOf& arena_of = Always(1000),
                 const images::Dataset* pictures = nullptr) {
  simulate::Options options;
  options.threads = threads;
  const simulate::Simulator simulator(
      network.graph, {pictures != nullptr ? pictures : &network.pictures}, options);
  *scheme = network.scheme;
  return ChooseStretches({simulator, simulate::SplitSamples(available, available),
                          network.statistics, network.config, network.scheme},
                         *DefaultClock(), arena_of, {}, scheme);
}

TEST(Stretches, TheLayerThatLosesNearlyAllRunsInFp16) {
  const Long network(true);
  quantize::Scheme scheme;
  const Stretches chosen = Choose(network, &scheme);
  EXPECT_TRUE(chosen.step.kept);
  EXPECT_GT(chosen.step.after_db, chosen.step.before_db + 3);
  EXPECT_EQ(scheme.precision[20], Precision::kFp16);
  ASSERT_TRUE(chosen.kept.has_value());
  EXPECT_GT(chosen.kept->time_share, 0);
  EXPECT_FALSE(chosen.refused.has_value());
  // Four of forty layers have a tenth of the products.
  EXPECT_LE(std::count(scheme.precision.begin(), scheme.precision.end(), Precision::kFp16), 4);
  // Why, and what of it was measured.
  const quantize::Entry* entry = scheme.ledger.Deciding(20);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->reason, quantize::Reason::kStretch);
  EXPECT_EQ(entry->gain_db, chosen.step.after_db - chosen.step.before_db);
  EXPECT_GT(entry->cost_ns.value(), 0);
  EXPECT_EQ(entry->measured_with, chosen.kept->nodes.size());
  EXPECT_EQ(entry->cost_arena_bytes, 0);
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
  EXPECT_FALSE(chosen.kept.has_value());
  EXPECT_EQ(scheme.precision, network.scheme.precision);
}

TEST(Stretches, WhatSomebodyMovedToFp16StaysThere) {
  Long network(true);
  network.scheme.Want({.node = 5, .reason = quantize::Reason::kFloatOutput});
  quantize::Scheme scheme;
  const Stretches chosen = Choose(network, &scheme);
  EXPECT_EQ(scheme.precision[5], Precision::kFp16);
  EXPECT_EQ(scheme.precision[20], Precision::kFp16);
  ASSERT_TRUE(chosen.kept.has_value());
  EXPECT_EQ(std::count(chosen.kept->nodes.begin(), chosen.kept->nodes.end(), "l5"), 0);
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
  EXPECT_EQ(a.kept->nodes, b.kept->nodes);
}

// Boxes that are off by `strict` times the mean error of the outputs.
struct Boxes : simulate::Likeness {
  explicit Boxes(double times) : strict(times) {}
  double Agreement(const std::vector<std::vector<float>>& exact,
                   const std::vector<std::vector<float>>& rounded, int64_t) const override {
    double error = 0, size = 0;
    for (size_t i = 0; i < exact[0].size(); ++i) {
      error += std::fabs(rounded[0][i] - exact[0][i]);
      size += std::fabs(exact[0][i]);
    }
    return std::max(0.0, 1 - strict * error / size);
  }
  double strict;
};

Stretches ChooseWithBoxes(const Network& network, double strict, quantize::Scheme* scheme) {
  const Boxes likeness(strict);
  simulate::Options options;
  options.likeness = &likeness;
  const simulate::Simulator simulator(network.graph, {&network.pictures}, {}),
      boxes(network.graph, {&network.pictures}, options);
  *scheme = network.scheme;
  return ChooseStretches({simulator, simulate::SplitSamples(16, 16), network.statistics,
                          network.config, network.scheme},
                         *DefaultClock(), Always(1000), {}, scheme, &boxes);
}

TEST(Stretches, BoxesInDoubtPayForMoreThanATenthOfTheProducts) {
  const Long network(false);
  quantize::Scheme scheme;
  const Stretches chosen = ChooseWithBoxes(network, 20, &scheme);
  ASSERT_TRUE(chosen.kept.has_value());
  EXPECT_GT(chosen.kept->gain_agreement.value_or(0), 0.1);
  EXPECT_GT(std::count(scheme.precision.begin(), scheme.precision.end(), Precision::kFp16), 4);
  EXPECT_LT(kDecibelsOfTime * chosen.kept->time_share,
            chosen.kept->gain_db + kDecibelsOfAnswers * 1)
      << "no more than all boxes are worth";
}

TEST(Stretches, BoxesThatAgreeAreNotCounted) {
  const Long network(false);
  quantize::Scheme scheme;
  const Stretches chosen = ChooseWithBoxes(network, 1, &scheme);
  EXPECT_FALSE(chosen.kept.has_value());
  EXPECT_EQ(scheme.precision, network.scheme.precision);
}

TEST(Stretches, ADoubledArenaHasToHalveTheError) {
  const auto price = [](int64_t before, int64_t after) {
    Bargain bargain;
    bargain.arena_before_bytes = before;
    bargain.arena_after_bytes = after;
    return ArenaPriceDb(bargain);
  };
  EXPECT_NEAR(price(3000, 6000), 20 * std::log10(2.0), 1e-3);
  EXPECT_NEAR(price(3000, 12000), 20 * std::log10(4.0), 1e-3);
  EXPECT_EQ(price(3000, 3000), 0);
  EXPECT_EQ(price(3000, 2000), 0) << "what is smaller pays nothing back";
}

TEST(Stretches, AnArenaThatGrowsMoreThanTheOutputsGainIsRefused) {
  const Long network(true);
  quantize::Scheme scheme;
  const Stretches dear = Choose(network, &scheme, 1, 16, TimesAt(20, 1 << 20));
  EXPECT_EQ(scheme.precision[20], Precision::kInt8);
  ASSERT_TRUE(dear.refused.has_value());
  EXPECT_EQ(std::count(dear.refused->nodes.begin(), dear.refused->nodes.end(), "l20"), 1);
  EXPECT_GT(dear.refused->gain_db, 3);
  EXPECT_EQ(dear.refused->arena_after_bytes, int64_t{1000} << 20);
  const auto entries = scheme.ledger.Of(20);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0]->reason, quantize::Reason::kStretchTooDear);
  EXPECT_EQ(entries[1]->reason, quantize::Reason::kStretch);
  EXPECT_EQ(entries[1]->gain_db, dear.refused->gain_db);
  EXPECT_EQ(entries[1]->cost_arena_bytes, (int64_t{1000} << 20) - 1000);
  EXPECT_EQ(quantize::AssignScheme(network.graph, network.statistics, dear.config).precision,
            scheme.precision);
  // What is worth a little more arena stays.
  const ArenaOf little = [](const quantize::Scheme& s) {
    return s.precision[20] == Precision::kFp16 ? 1010 : 1000;
  };
  const Stretches cheap = Choose(network, &scheme, 1, 16, little);
  EXPECT_EQ(scheme.precision[20], Precision::kFp16);
  ASSERT_TRUE(cheap.kept.has_value());
  EXPECT_EQ(cheap.kept->arena_after_bytes, 1010);
}

// The samples that accept (SplitSamples) show nothing.
struct DarkWhereItCounts : Pictures {
  graph::Tensor Load(int64_t i) const override {
    graph::Tensor picture = Pictures::Load(i);
    if (i % 4 == 1) std::fill(picture.floats.begin(), picture.floats.end(), 0.0f);
    return picture;
  }
};

TEST(Stretches, AGainThatOnlyItsOwnSamplesShowIsNotTold) {
  const Long network(true);
  const DarkWhereItCounts pictures;
  quantize::Scheme scheme;
  const Stretches dear = Choose(network, &scheme, 1, 16, TimesAt(20, 1 << 20), &pictures);
  EXPECT_FALSE(dear.refused.has_value());
  EXPECT_TRUE(scheme.ledger.Of(20).empty());
}

// Each of two outputs has a layer that loses nearly all of it: the one that costs no arena is
// taken, whichever comes first.
TEST(Stretches, WhatCostsNoArenaIsFoundBesideWhatDoes) {
  struct Two : Network {
    Two() {
      std::vector<graph::ValueId> ends;
      for (int chain = 0; chain < 2; ++chain) {
        graph::ValueId x = graph.inputs[0];
        for (int i = 0; i < 20; ++i) {
          x = Conv("l" + std::to_string(20 * chain + i), x, i == 10);
        }
        ends.push_back(x);
      }
      Finish(ends);
    }
  };
  const Two network;
  for (const size_t dear : {10, 30}) {
    quantize::Scheme scheme;
    Choose(network, &scheme, 1, 16, TimesAt(dear, 1 << 20));
    EXPECT_EQ(scheme.precision[dear], Precision::kInt8);
    EXPECT_EQ(scheme.precision[40 - dear], Precision::kFp16) << dear;
  }
}

TEST(Stretches, APlanThatCannotBeMadeIsNotChosen) {
  const Long network(true);
  quantize::Scheme scheme;
  const Stretches chosen =
      Choose(network, &scheme, 1, 16, [](const quantize::Scheme& s) -> std::optional<int64_t> {
        if (s.precision[20] == Precision::kFp16) return std::nullopt;
        return 1000;
      });
  EXPECT_EQ(scheme.precision[20], Precision::kInt8);
  const Stretches nothing =
      Choose(network, &scheme, 1, 16, [](const quantize::Scheme&) { return std::nullopt; });
  EXPECT_FALSE(nothing.step.tried);
}

}  // namespace
}  // namespace octet::assign
