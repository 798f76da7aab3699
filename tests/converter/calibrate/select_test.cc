#include "converter/calibrate/select.h"

#include <algorithm>
#include <atomic>
#include <set>

#include <gtest/gtest.h>

namespace octet::calibrate {
namespace {

using Bins = std::vector<std::vector<uint8_t>>;

TEST(CoverGreedily, TakesWhatCoversMost) {
  // Sample 1 covers two new bins of three, then 2 and 4 one each; 0 and 3 add nothing.
  const Bins bins{{0, 0, 0}, {0, 1, 1}, {1, 1, 1}, {0, 1, 0}, {0, 1, 2}};
  EXPECT_EQ(CoverGreedily(bins, 1), (std::vector<int64_t>{0}));
  EXPECT_EQ(CoverGreedily(bins, 2), (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(CoverGreedily(bins, 3), (std::vector<int64_t>{0, 2, 4}));
  EXPECT_EQ(CoverageOf(bins, {0}), 3.0 / 7);
  EXPECT_EQ(CoverageOf(bins, {0, 2}), 6.0 / 7);
  EXPECT_EQ(CoverageOf(bins, {0, 2, 4}), 1.0);
  EXPECT_EQ(CoverageOf(bins, {}), 0.0);
}

TEST(CoverGreedily, BeginsAgainWhenAllIsCovered) {
  const Bins bins{{0}, {0}, {1}, {1}, {0}};
  EXPECT_EQ(CoverGreedily(bins, 5), (std::vector<int64_t>{0, 2, 1, 3, 4}));
  EXPECT_EQ(CoverGreedily(bins, 9).size(), 5u);
}

TEST(CoverGreedily, WhereNothingIsToldTheFirstServe) {
  EXPECT_EQ(CoverGreedily({{kNoBin}, {kNoBin}, {kNoBin}}, 2), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(CoverageOf({{kNoBin}, {kNoBin}}, {0}), 1.0);
  EXPECT_TRUE(CoverGreedily({}, 2).empty());
}

// The lazy queue gives what looking at every sample each time gives.
TEST(CoverGreedily, SameAsWithoutItsQueue) {
  Bins bins(60, std::vector<uint8_t>(20));
  uint32_t state = 1;
  for (auto& row : bins) {
    for (uint8_t& bin : row)
      bin = static_cast<uint8_t>((state = state * 1664525u + 1013904223u) >> 29);
  }
  std::set<std::pair<size_t, uint8_t>> covered;
  std::vector<int64_t> expected;
  const auto gain = [&](size_t i) {
    int64_t count = 0;
    for (size_t f = 0; f < bins[i].size(); ++f) count += covered.count({f, bins[i][f]}) == 0;
    return count;
  };
  for (int round = 0; round < 8; ++round) {
    size_t best = 0;
    for (size_t i = 1; i < bins.size(); ++i) {
      if (gain(i) > gain(best)) best = i;
    }
    expected.push_back(static_cast<int64_t>(best));
    for (size_t f = 0; f < bins[best].size(); ++f) covered.insert({f, bins[best][f]});
  }
  EXPECT_EQ(CoverGreedily(bins, 8), expected);
}

// Sample i: values around 0, but in sample 70 and 90, which reach far to either side.
class FewFar : public images::Dataset {
 public:
  int64_t size() const override { return 100; }
  graph::Tensor Load(int64_t i) const override {
    ++loads;
    const float small = static_cast<float>(i % 10) / 100;
    std::vector<float> values{-1 - small, 1 + small, small, -small};
    if (i == 70) values[0] = -50;
    if (i == 90) values[1] = 40;
    return graph::Tensor::Floats({1, 4}, std::move(values));
  }
  mutable std::atomic<int> loads{0};
};

graph::Graph ReluGraph() {
  graph::Graph graph;
  const graph::Shape shape{1, 4};
  const graph::ValueId x = graph.AddValue({"x", graph::DataType::kFloat, shape, {}, {}});
  const graph::ValueId y = graph.AddValue({"y", graph::DataType::kFloat, shape, {}, {}});
  graph::Node node;
  node.name = node.op = "Relu";
  node.inputs = {x};
  node.outputs = {y};
  graph.nodes.push_back(node);
  graph.inputs = {x};
  graph.outputs = {y};
  return graph;
}

TEST(SelectSamples, TheOnesThatReachFar) {
  const graph::Graph graph = ReluGraph();
  const FewFar data;
  for (const int threads : {1, 3}) {
    Options options;
    options.threads = threads;
    const Selection three = SelectSamples(graph, {&data}, options, 3);
    EXPECT_EQ(three.candidates, 100);
    EXPECT_EQ(three.samples, (std::vector<int64_t>{0, 70, 90}));
    EXPECT_EQ(three.coverage, 1) << "two bins a side hold anything";
    EXPECT_LT(SelectSamples(graph, {&data}, options, 1).coverage, 1);
  }
}

TEST(SelectSamples, OfTheSamplesThatAreLookedAt) {
  const graph::Graph graph = ReluGraph();
  const FewFar data;
  Options options;
  options.samples = 20;
  const Selection few = SelectSamples(graph, {&data}, options, 5);
  EXPECT_EQ(data.loads, 20);
  EXPECT_EQ(few.candidates, 20);
  EXPECT_EQ(few.samples.size(), 5u);
  const std::vector<int64_t> picks = PickSamples(100, 20, options.seed);
  for (const int64_t i : few.samples) {
    EXPECT_TRUE(std::binary_search(picks.begin(), picks.end(), i)) << i;
  }
  const Selection all = SelectSamples(graph, {&data}, options, 20);
  EXPECT_EQ(all.samples, picks);
  EXPECT_EQ(all.coverage, 1);
  EXPECT_EQ(data.loads, 20) << "nothing to choose, nothing to run";
}

}  // namespace
}  // namespace octet::calibrate
