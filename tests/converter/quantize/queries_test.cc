#include "converter/quantize/queries.h"

#include <gtest/gtest.h>

#include "tests/converter/quantize/quantize_support.h"

namespace octet::quantize {
namespace {

// memory -> scores -> the best rows of memory -> `layers` of 8 x 8 weights behind. The backbone has
// `backbone` products; `necks` layers of 8 x 8 weights stand between it and memory.
struct Detector : Net {
  explicit Detector(int layers, int64_t backbone, int necks = 0) {
    const graph::Shape all{1, 16, 8}, few{1, 4, 8};
    const auto x = Value("x", -1, 1, {1, 16, backbone / (16 * 8)});
    graph.inputs.push_back(x);
    auto memory = Value("memory", -1, 1, all);
    const auto logits = Value("logits", -1, 1, {1, 16, 1});
    Op("MatMul", {x, Constant({backbone / (16 * 8), 8}, 0.5f)}, memory);
    for (int i = 0; i < necks; ++i) {
      const auto next = Value("neck" + std::to_string(i), -1, 1, all);
      Op("MatMul", {memory, Constant({8, 8}, 0.5f)}, next);
      memory = next;
    }
    Op("MatMul", {memory, Constant({8, 1}, 0.5f)}, logits);
    const auto scores = Value("scores", 0, 1, {1, 16, 1});
    Op("Sigmoid", {logits}, scores);
    const auto best = Value("best", 0, 1, {1, 4, 1});
    const auto index = graph.AddValue({"index", graph::DataType::kInt64, graph::Shape{1, 4, 1}});
    statistics.resize(graph.values.size());
    const auto k = graph.AddConstant("k", graph::Tensor::Integers({1}, {4}));
    statistics.resize(graph.values.size());
    Op("TopK", {scores, k}, best).outputs = {best, index};
    const auto wide = graph.AddValue({"wide", graph::DataType::kInt64, few});
    const auto repeats = graph.AddConstant("repeats", graph::Tensor::Integers({3}, {1, 1, 8}));
    statistics.resize(graph.values.size());
    Op("Tile", {index, repeats}, wide);
    auto query = Value("query", -1, 1, few);
    Op("GatherElements", {memory, wide}, query).attributes["axis"] = int64_t{1};
    for (int i = 0; i < layers; ++i) {
      const auto next = Value("layer" + std::to_string(i), -1, 1, few);
      Op("MatMul", {query, Constant({8, 8}, 0.5f)}, next);
      query = next;
    }
    const auto y = Value("y", 0, 1, few);
    Op("Mul", {query, Constant({8}, 0.5f)}, y);
    Output(y);
  }
};

TEST(Queries, WhatRefinesThemAndWhatChoosesThem) {
  // memory, logits, Sigmoid, TopK, Tile, GatherElements, 2 layers, Mul. What only arranges
  // integers is in no precision.
  EXPECT_EQ(QueryDecoder(Detector(2, 16384).graph),
            (std::vector<bool>{false, true, true, false, false, false, true, true, true}));
}

TEST(Queries, NoneWhereNothingRefinesThem) {
  const Detector end(0, 16384);
  EXPECT_EQ(QueryDecoder(end.graph), std::vector<bool>(end.graph.nodes.size()));
}

// 128 products score, 256 a layer: a sixth of 1536 + 128 + 256 and more holds one layer.
TEST(Queries, TheCheapestFirstWithinTheirShare) {
  EXPECT_EQ(QueryDecoder(Detector(2, 2048).graph),
            (std::vector<bool>{false, true, true, false, false, false, true, false, true}));
}

// A sixth of 16384 + 2 * 1024 + 128 + 2 * 256 products less 640 of the decoder: 2538. A quarter and
// three quarters of it hold what gathers, and one layer in front of it; the whole holds two.
TEST(Queries, WhatTheyAreMadeOfGrowsTowardsTheInput) {
  const Detector detector(2, 16384, 2);
  const std::vector<std::vector<bool>> sets =
      QuerySources(detector.graph, QueryDecoder(detector.graph));
  ASSERT_EQ(sets.size(), 3u);
  const auto marked = [&](size_t set) {
    return std::vector<bool>(sets[set].begin(), sets[set].begin() + 3);
  };
  EXPECT_EQ(marked(0), (std::vector<bool>{false, false, false}));
  EXPECT_EQ(marked(1), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(marked(2), (std::vector<bool>{false, true, true}));
  for (const std::vector<bool>& set : sets) {
    EXPECT_EQ(std::vector<bool>(set.begin() + 3, set.end()),
              std::vector<bool>(detector.graph.nodes.size() - 3, true));
  }
}

// Four constant queries ask 16 rows of memory: keys -> transposed -> products with the queries ->
// scaled -> shares -> sums of values -> a layer -> y. The backbone has 32768 products.
struct SetPredictor : Net {
  explicit SetPredictor(bool learned, const char* shares_by = "Softmax", int layers = 1) {
    const graph::Shape all{1, 16, 8}, turned{1, 8, 16}, few{1, 4, 8}, asked{1, 4, 16};
    const auto x = Value("x", -1, 1, {1, 16, 256});
    graph.inputs.push_back(x);
    const auto memory = Value("memory", -1, 1, all), keys = Value("keys", -1, 1, all);
    const auto values = Value("values", -1, 1, all), columns = Value("columns", -1, 1, turned);
    Op("MatMul", {x, Constant({256, 8}, 0.5f)}, memory);
    Op("MatMul", {memory, Constant({8, 8}, 0.5f)}, keys);
    Op("MatMul", {memory, Constant({8, 8}, 0.5f)}, values);
    Op("Transpose", {keys}, columns).attributes["perm"] = std::vector<int64_t>{0, 2, 1};
    auto queries = Constant(few, 0.5f);
    if (!learned) {
      queries = Value("queries", -1, 1, few);
      Op("Slice", {memory}, queries);
    }
    const auto products = Value("products", -1, 1, asked), scaled = Value("scaled", -1, 1, asked);
    const auto shares = Value("shares", 0, 1, asked);
    auto answer = Value("answer", -1, 1, few);
    Op("MatMul", {queries, columns}, products);
    Op("Mul", {products, Constant({1}, 0.5f)}, scaled);
    Op(shares_by, {scaled}, shares);
    Op("MatMul", {shares, values}, answer);
    for (int i = 0; i < layers; ++i) {
      const auto next = Value("layer" + std::to_string(i), -1, 1, few);
      Op("MatMul", {answer, Constant({8, 8}, 0.5f)}, next);
      answer = next;
    }
    const auto y = Value("y", -1, 1, few);
    Op("Mul", {answer, Constant({8}, 0.5f)}, y);
    Output(y);
  }
};

TEST(Queries, LearnedOnesAskMemoryByAttention) {
  // All but the backbone: what makes keys and values, the attention, the layer and Mul.
  std::vector<bool> wanted(10, true);
  wanted[0] = false;
  EXPECT_EQ(QueryDecoder(SetPredictor(true).graph), wanted);
}

TEST(Queries, RowsOfMemoryThatAskEachOtherAreNone) {
  const SetPredictor encoder(false);
  EXPECT_EQ(QueryDecoder(encoder.graph), std::vector<bool>(encoder.graph.nodes.size()));
}

TEST(Queries, ConstantsThatOnlyMixRowsAreNone) {
  const SetPredictor mixer(true, "Relu");
  EXPECT_EQ(QueryDecoder(mixer.graph), std::vector<bool>(mixer.graph.nodes.size()));
}

}  // namespace
}  // namespace octet::quantize
