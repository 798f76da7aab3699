#include <atomic>

#include <gtest/gtest.h>

#include "converter/calibrate/halves.h"
#include "converter/support/error.h"

namespace octet::calibrate {
namespace {

// Sample i: 8 values of magnitude 2^(i % 5).
class Ramp : public images::Dataset {
 public:
  explicit Ramp(int64_t size) : size_(size) {}
  int64_t size() const override { return size_; }
  graph::Tensor Load(int64_t i) const override {
    ++loads;
    if (i == broken) Fail("sample {} is broken", i);
    std::vector<float> values(8);
    for (size_t k = 0; k < 8; ++k) {
      values[k] =
          (static_cast<float>(k) - 3.5f) * static_cast<float>(1 << (i % 5)) + static_cast<float>(i);
    }
    return graph::Tensor::Floats({1, 8}, std::move(values));
  }
  mutable std::atomic<int> loads{0};
  int64_t broken = -1;

 private:
  int64_t size_;
};

graph::Graph ReluGraph() {
  graph::Graph graph;
  const graph::ValueId x =
      graph.AddValue({"x", graph::DataType::kFloat, graph::Shape{1, 8}, {}, {}});
  const graph::ValueId y =
      graph.AddValue({"y", graph::DataType::kFloat, graph::Shape{1, 8}, {}, {}});
  graph::Node node;
  node.name = node.op = "Relu";
  node.inputs = {x};
  node.outputs = {y};
  graph.nodes.push_back(node);
  graph.inputs = {x};
  graph.outputs = {y};
  return graph;
}

TEST(Collect, SameForAnyThreadCount) {
  const graph::Graph graph = ReluGraph();
  const Ramp data(60);
  std::vector<std::optional<Statistics>> first;
  for (int threads : {1, 2, 3, 7}) {
    Options options;
    options.samples = 40;
    options.threads = threads;
    int64_t last = 0;
    options.progress = [&](int64_t done, int64_t total) {
      EXPECT_EQ(total, 40);
      last = std::max(last, done);
    };
    const auto result = Collect(graph, {&data}, options);
    EXPECT_EQ(last, 40);
    ASSERT_TRUE(result[0] && result[1]);
    EXPECT_EQ(result[0]->count, 320);
    EXPECT_EQ(result[1]->min, 0) << "after the Relu";
    if (first.empty()) first = result;
    for (size_t id = 0; id < 2; ++id) {
      EXPECT_EQ(result[id]->min, first[id]->min);
      EXPECT_EQ(result[id]->max, first[id]->max);
      EXPECT_EQ(result[id]->histogram, first[id]->histogram);
      EXPECT_EQ(result[id]->mean, first[id]->mean);
      EXPECT_EQ(result[id]->zeros, first[id]->zeros);
    }
  }
}

TEST(Collect, HalvesAreFourSamplesInTurnAndChangeNothing) {
  const graph::Graph graph = ReluGraph();
  const Ramp data(10);
  Options options;
  options.threads = 3;
  const auto whole = Collect(graph, {&data}, options);
  Halves halves;
  const auto same = Collect(graph, {&data}, options, &halves);
  for (size_t id = 0; id < 2; ++id) {
    EXPECT_EQ(same[id]->histogram, whole[id]->histogram);
    EXPECT_EQ(same[id]->mean, whole[id]->mean);
    EXPECT_EQ(halves[0][id]->count, 6 * 8) << "samples 0 to 3, 8 and 9";
    EXPECT_EQ(halves[1][id]->count, 4 * 8);
  }
  // Samples 4 and 9 have the largest numbers: 4 + 3.5 * 16 and 9 + 3.5 * 16.
  EXPECT_EQ(halves[0][0]->max, 65);
  EXPECT_EQ(halves[1][0]->max, 60);
  EXPECT_EQ(whole[0]->max, 65);
}

TEST(Collect, TakesEachSampleOnceAndSpreadsBySeed) {
  const graph::Graph graph = ReluGraph();
  const Ramp few(5);
  Options options;
  options.samples = 512;
  Collect(graph, {&few}, options);
  EXPECT_EQ(few.loads, 5);
  const Ramp many(1000);
  options.samples = 10;
  const auto a = Collect(graph, {&many}, options);
  EXPECT_EQ(many.loads, 10);
  options.seed = 2;
  const auto b = Collect(graph, {&many}, options);
  EXPECT_NE(a[0]->max, b[0]->max);
  EXPECT_GT(a[0]->max, 100) << "not only the first ones";
}

TEST(Collect, Refusals) {
  const graph::Graph graph = ReluGraph();
  Ramp data(8);
  EXPECT_THROW(Collect(graph, {}, {}), UserError);
  EXPECT_THROW(Collect(graph, {&data, &data}, {}), UserError);
  Options none;
  none.samples = 0;
  EXPECT_THROW(Collect(graph, {&data}, none), UserError);
  data.broken = 3;
  Options two;
  two.threads = 2;
  EXPECT_THROW(Collect(graph, {&data}, two), UserError);
}

}  // namespace
}  // namespace octet::calibrate
