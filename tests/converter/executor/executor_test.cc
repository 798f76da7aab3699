#include <algorithm>
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "converter/executor/executor.h"
#include "converter/support/error.h"
#include "tests/support/graph_builder.h"

namespace octet::executor {
namespace {

using graph::Tensor;

Tensor Random(std::mt19937& random, graph::Shape shape) {
  std::uniform_real_distribution<float> draw(-1, 1);
  std::vector<float> values(static_cast<size_t>(graph::ElementCount(shape)));
  for (float& value : values) value = draw(random);
  return Tensor::Floats(std::move(shape), std::move(values));
}

using Builder = test::GraphBuilder;

// Dense, depthwise and pointwise convolutions with a residual and a fused activation.
graph::Graph SmallNetwork(std::mt19937& random) {
  Builder b;
  const std::vector<int64_t> pads = {1, 1, 1, 1};
  const auto x = b.Input({1, 3, 16, 16});
  const auto w0 = b.graph.AddConstant("w0", Random(random, {32, 3, 3, 3}));
  const auto w1 = b.graph.AddConstant("w1", Random(random, {32, 1, 3, 3}));
  const auto w2 = b.graph.AddConstant("w2", Random(random, {32, 32, 1, 1}));
  const auto w3 = b.graph.AddConstant("w3", Random(random, {32, 10}));
  const auto first = b.Op("Conv", {x, w0}, {{"pads", pads}});
  b.graph.nodes.back().activation = "Clip";
  b.graph.nodes.back().alpha = 0;
  b.graph.nodes.back().beta = 0.5f;
  const auto depth = b.Op("Conv", {first, w1}, {{"pads", pads}, {"group", int64_t{32}}});
  const auto point = b.Op("Conv", {depth, w2});
  const auto sum = b.Op("Add", {first, point});
  const auto pooled = b.Op("GlobalAveragePool", {sum});
  const auto flat = b.Op("Flatten", {pooled});
  b.graph.outputs = {b.Op("Gemm", {flat, w3}), first};
  operators::InferShapes(b.graph);
  return b.graph;
}

TEST(Executor, SameBitsForAnyNumberOfThreads) {
  std::mt19937 random(77);
  const graph::Graph graph = SmallNetwork(random);
  std::vector<Tensor> images;
  for (int i = 0; i < 24; ++i) images.push_back(Random(random, {1, 3, 16, 16}));
  std::vector<std::vector<float>> reference;
  for (int threads : {1, 2, 5}) {
    std::vector<std::unique_ptr<Executor>> executors;
    for (int t = 0; t < threads; ++t) executors.push_back(std::make_unique<Executor>(graph));
    std::vector<std::vector<float>> results(images.size());
    ParallelFor(24, threads, [&](int thread, int64_t item) {
      const auto at = static_cast<size_t>(item);
      results[at] = executors[static_cast<size_t>(thread)]->Run({images[at]})[0].floats;
    });
    if (threads == 1) reference = results;
    EXPECT_TRUE(results == reference) << threads << " threads";
  }
}

TEST(Executor, AppliesTheFusedActivation) {
  std::mt19937 random(5);
  const graph::Graph graph = SmallNetwork(random);
  const auto outputs = Executor(graph).Run({Random(random, {1, 3, 16, 16})});
  const auto [low, high] = std::minmax_element(outputs[1].floats.begin(), outputs[1].floats.end());
  EXPECT_EQ(*low, 0.0f);
  EXPECT_EQ(*high, 0.5f);
}

TEST(Executor, KeepsItsMemoryBetweenRuns) {
  std::mt19937 random(6);
  const graph::Graph graph = SmallNetwork(random);
  Executor executor(graph);
  const Tensor image = Random(random, {1, 3, 16, 16});
  std::vector<std::vector<const float*>> addresses(3);
  for (auto& run : addresses) {
    executor.Run({image}, [&](graph::ValueId, const Tensor& t) { run.push_back(t.floats.data()); });
  }
  EXPECT_EQ(addresses[0].size(), 8U);  // the input and seven results
  // The input is the caller's: here a new copy each time.
  for (auto& run : addresses) run.erase(run.begin());
  EXPECT_EQ(addresses[0], addresses[1]);
  EXPECT_EQ(addresses[0], addresses[2]);
}

TEST(Executor, ReusesSlotsInAChain) {
  Builder b;
  graph::ValueId value = b.Input({1, 1000});
  for (int i = 0; i < 20; ++i) value = b.Op("Relu", {value});
  b.graph.outputs = {value};
  operators::InferShapes(b.graph);
  EXPECT_EQ(Executor(b.graph).SlotElements(), 2000);
}

TEST(Executor, ConstantAndInputAsOutputs) {
  Builder b;
  const auto x = b.Input({2});
  const auto shape = b.Op("Shape", {x});
  b.graph.outputs = {shape, x};
  operators::InferShapes(b.graph);
  const auto outputs = Executor(b.graph).Run({Tensor::Floats({2}, {3, 4})});
  EXPECT_EQ(outputs[0].integers, std::vector<int64_t>{2});
  EXPECT_EQ(outputs[1].floats, (std::vector<float>{3, 4}));
}

TEST(Executor, RefusesWrongInputs) {
  std::mt19937 random(7);
  const graph::Graph graph = SmallNetwork(random);
  Executor executor(graph);
  EXPECT_THROW(executor.Run({}), UserError);
  EXPECT_THROW(executor.Run({Random(random, {1, 3, 16, 15})}), UserError);
  EXPECT_THROW(executor.Run({Tensor::Integers({1, 3, 16, 16}, std::vector<int64_t>(768, 0))}),
               UserError);
}

TEST(InferShapes, FoldsWhatDecidesShapes) {
  // The exporters' Flatten: Shape, Gather, Unsqueeze, Concat, Reshape.
  Builder b;
  const auto x = b.Input({1, 4, 3, 3});
  const auto zero = b.graph.AddConstant("zero", Tensor::Integers({}, {0}));
  const auto axes = b.graph.AddConstant("axes", Tensor::Integers({1}, {0}));
  const auto rest = b.graph.AddConstant("rest", Tensor::Integers({1}, {-1}));
  const auto batch = b.Op("Unsqueeze", {b.Op("Gather", {b.Op("Shape", {x}), zero}), axes});
  const auto target = b.Op("Concat", {batch, rest}, {{"axis", int64_t{0}}});
  const auto y = b.Op("Reshape", {x, target});
  b.graph.outputs = {y};
  operators::InferShapes(b.graph);
  EXPECT_EQ(*b.graph.At(y).shape, (graph::Shape{1, 36}));
  EXPECT_EQ(b.graph.At(target).constant->integers, (std::vector<int64_t>{1, -1}));
  EXPECT_EQ(b.graph.At(y).constant, nullptr);
}

TEST(InferShapes, RefusesWhatItCannotKnow) {
  Builder open;
  open.graph.outputs = {open.Op("Relu", {open.Input({1, graph::kUnknownDim})})};
  EXPECT_THROW(operators::InferShapes(open.graph), UserError);

  Builder empty;
  const auto x = empty.Input({1, 4});
  const auto two = empty.graph.AddConstant("two", Tensor::Integers({1}, {2}));
  empty.graph.outputs = {empty.Op("Slice", {x, two, two})};
  EXPECT_THROW(operators::InferShapes(empty.graph), UserError);

  Builder data;
  const auto values = data.Input({4});
  const auto target = data.Op("ArgMax", {values}, {});
  data.graph.outputs = {data.Op("Reshape", {values, target})};
  EXPECT_THROW(operators::InferShapes(data.graph), UserError);

  Builder unknown;
  unknown.graph.outputs = {unknown.Op("Frobnicate", {unknown.Input({1})})};
  EXPECT_THROW(operators::InferShapes(unknown.graph), UserError);
}

}  // namespace
}  // namespace octet::executor
