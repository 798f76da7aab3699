#include "converter/recover/query_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "converter/operators/operator.h"
#include "converter/quantize/reasons.h"
#include "converter/recover/tail_choice.h"

namespace octet::recover {
namespace {

using graph::Tensor;

constexpr int64_t kRows = 16, kWide = 256, kFeatures = 8, kQueries = 4;

class Samples : public images::Dataset {
 public:
  int64_t size() const override { return 16; }
  Tensor Load(int64_t i) const override {
    std::mt19937 random(static_cast<uint32_t>(i) + 1);
    std::vector<float> values(static_cast<size_t>(kRows * kWide));
    for (float& value : values) value = static_cast<float>(random() % 2001) / 1000 - 1;
    return Tensor::Floats({1, kRows, kWide}, std::move(values));
  }
};

// x -> features -> memory -> scores -> the best rows of memory -> refined, and placed up to `place`
// away: y.
struct Detector {
  static constexpr size_t kNeck = 1;

  Samples data;
  graph::Graph graph;
  std::vector<std::optional<calibrate::Statistics>> statistics;
  quantize::Config config;

  explicit Detector(float place) {
    std::mt19937 random(3);
    const auto weights = [&](const char* name, graph::Shape shape, float reach) {
      std::vector<float> values(static_cast<size_t>(graph::ElementCount(shape)));
      for (float& value : values) {
        value = reach * (static_cast<float>(random() % 2001) / 1000 - 1);
      }
      return graph.AddConstant(name, Tensor::Floats(std::move(shape), std::move(values)));
    };
    const auto value = [&](const char* name, graph::Shape shape,
                           graph::DataType type = graph::DataType::kFloat) {
      return graph.AddValue({name, type, std::move(shape), {}, {}});
    };
    const auto node = [&](const char* op, std::vector<graph::ValueId> inputs,
                          std::vector<graph::ValueId> outputs) -> graph::Node& {
      graph::Node made;
      made.op = op;
      made.name = op + std::to_string(graph.nodes.size());
      made.inputs = std::move(inputs);
      made.outputs = std::move(outputs);
      graph.nodes.push_back(std::move(made));
      return graph.nodes.back();
    };
    const graph::Shape few{1, kQueries, kFeatures};
    const auto x = value("x", {1, kRows, kWide}),
               features = value("features", {1, kRows, kFeatures}),
               memory = value("memory", {1, kRows, kFeatures}),
               scores = value("scores", {1, kRows, 1}), best = value("best", {1, kQueries, 1}),
               index = value("index", {1, kQueries, 1}, graph::DataType::kInt64),
               wide = value("wide", few, graph::DataType::kInt64), query = value("query", few),
               refined = value("refined", few), y = value("y", few);
    node("MatMul", {x, weights("w", {kWide, kFeatures}, 0.2f)}, {features});
    node("MatMul", {features, weights("n", {kFeatures, kFeatures}, 1)}, {memory});
    node("MatMul", {memory, weights("s", {kFeatures, 1}, 1)}, {scores});
    node("TopK", {scores, graph.AddConstant("k", Tensor::Integers({1}, {kQueries}))}, {best, index})
        .attributes["axis"] = int64_t{1};
    node("Tile", {index, graph.AddConstant("repeats", Tensor::Integers({3}, {1, 1, kFeatures}))},
         {wide});
    node("GatherElements", {memory, wide}, {query}).attributes["axis"] = int64_t{1};
    node("MatMul", {query, weights("r", {kFeatures, kFeatures}, 0.2f)}, {refined});
    node("Add", {refined, weights("p", few, place)}, {y});
    graph.inputs = {x};
    graph.outputs = {y};
    operators::InferShapes(graph);
    statistics = calibrate::Collect(graph, {&data}, {});
    config.fp16_tail = false;  // of that the tail would be the first
  }

  // With an arena of a byte, of two where more than the decoder runs in FP16 and that `costs`.
  std::vector<QuerySet> Sets(bool costs = false) const {
    return QuerySets(graph, statistics, config, [&](const quantize::Scheme& scheme) {
      const bool neck = scheme.precision[kNeck] == blob::Precision::kFp16;
      return costs && neck ? 2 : 1;
    });
  }
  std::vector<quantize::Entry> Worth(int threads = 1, bool costs = false) const {
    simulate::Options options;
    options.threads = threads;
    return QueriesWorthHalf(simulate::Simulator(graph, {&data}, options),
                            simulate::SplitSamples(16, 16),
                            quantize::AssignScheme(graph, statistics, config), Sets(costs));
  }
};

// Places and what refines them are rounded twice in 8 bits.
TEST(Queries, PlacesAreCoarserInEightBits) {
  const Detector detector(4);
  const std::vector<quantize::Entry> entries = detector.Worth();
  ASSERT_FALSE(entries.empty());
  bool places = false;
  for (const quantize::Entry& entry : entries) {
    EXPECT_EQ(entry.reason, quantize::Reason::kQuery);
    EXPECT_EQ(entry.measured_with, entries.size());
    ASSERT_TRUE(entry.gain_db);
    EXPECT_GE(*entry.gain_db, kHalfOfNoiseDb);
    EXPECT_NE(detector.graph.nodes[entry.node].name, "MatMul0") << "it is no part of the decoder";
    places = places || detector.graph.nodes[entry.node].op == "Add";
  }
  EXPECT_TRUE(places);
}

bool Holds(const std::vector<quantize::Entry>& entries, size_t node) {
  return std::any_of(entries.begin(), entries.end(),
                     [node](const quantize::Entry& entry) { return entry.node == node; });
}

// Queries are rows of memory: its rounding is theirs.
TEST(Queries, WhatTheyAreMadeOfWhereThatGainsAndTakesNoMoreArena) {
  const Detector detector(0.01f);
  EXPECT_TRUE(Holds(detector.Worth(), Detector::kNeck));
  EXPECT_FALSE(Holds(detector.Worth(1, true), Detector::kNeck));
}

TEST(Queries, NothingWhereIntegersAreAskedFor) {
  Detector detector(4);
  detector.config.int8_everywhere = true;
  EXPECT_TRUE(detector.Sets().empty());
  EXPECT_TRUE(detector.Worth().empty());
}

// The decoder, then it with more and more of what it is made of.
TEST(Queries, SetsGrowWhereThatTakesNoMoreArena) {
  const Detector detector(4);
  const std::vector<QuerySet> sets = detector.Sets();
  ASSERT_GT(sets.size(), 1u);
  EXPECT_FALSE(Holds(sets[0].entries, Detector::kNeck));
  EXPECT_TRUE(Holds(sets.back().entries, Detector::kNeck));
  for (size_t i = 0; i < sets.size(); ++i) {
    for (const quantize::Entry& entry : sets[i].entries) {
      EXPECT_EQ(sets[i].scheme.precision[entry.node], blob::Precision::kFp16);
      EXPECT_EQ(entry.reason, quantize::Reason::kQuery);
    }
    if (i == 0) continue;
    EXPECT_GT(sets[i].entries.size(), sets[i - 1].entries.size());
    for (const quantize::Entry& entry : sets[i - 1].entries) {
      EXPECT_TRUE(Holds(sets[i].entries, entry.node));
    }
  }
  const std::vector<QuerySet> cheap = detector.Sets(true);
  EXPECT_LT(cheap.size(), sets.size());
  for (const QuerySet& set : cheap) EXPECT_FALSE(Holds(set.entries, Detector::kNeck));
}

TEST(Queries, ThreadsChangeNothing) {
  const Detector detector(4);
  const auto one = detector.Worth(1), three = detector.Worth(3);
  ASSERT_EQ(one.size(), three.size());
  for (size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].gain_db, three[i].gain_db);
}

}  // namespace
}  // namespace octet::recover
