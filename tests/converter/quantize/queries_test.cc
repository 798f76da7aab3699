#include "converter/quantize/queries.h"

#include <gtest/gtest.h>

#include "tests/converter/quantize/quantize_support.h"

namespace octet::quantize {
namespace {

// memory -> scores -> the best rows of memory -> `layers` of 8 x 8 weights behind. The backbone has
// `backbone` products.
struct Detector : Net {
  explicit Detector(int layers, int64_t backbone) {
    const graph::Shape all{1, 16, 8}, few{1, 4, 8};
    const auto x = Value("x", -1, 1, {1, 16, backbone / (16 * 8)});
    graph.inputs.push_back(x);
    const auto memory = Value("memory", -1, 1, all), logits = Value("logits", -1, 1, {1, 16, 1});
    Op("MatMul", {x, Constant({backbone / (16 * 8), 8}, 0.5f)}, memory);
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

}  // namespace
}  // namespace octet::quantize
