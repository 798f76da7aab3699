#include "converter/recover/bias_correction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "converter/operators/operator.h"
#include "converter/recover/lockstep.h"
#include "converter/recover/simulate.h"

namespace octet::recover {
namespace {

using graph::Tensor;

TEST(Round, ToTheNearestOfTheScheme) {
  quantize::TensorScheme scheme;
  scheme.scale = 0.5f;
  scheme.zero_point = -128;
  Tensor x = Tensor::Floats({1, 2, 1, 2}, {0.2f, 0.3f, -4, 1000});
  Tensor open = x;
  Round(scheme, true, &x);
  EXPECT_EQ(x.floats, (std::vector<float>{0, 0.5f, 0, 127.5f}));
  Round(scheme, false, &open);
  EXPECT_EQ(open.floats, (std::vector<float>{0, 0.5f, -4, 1000}));
}

TEST(Round, ByChannel) {
  quantize::TensorScheme scheme;
  scheme.channels = {{1.0f, 0}, {0.25f, -128}};
  Tensor x = Tensor::Floats({1, 2, 1, 2}, {0.6f, 200, 0.6f, 200});
  Round(scheme, true, &x);
  EXPECT_EQ(x.floats, (std::vector<float>{1, 127, 0.5f, 63.75f}));
}

TEST(RoundWeights, OneScaleAnOutput) {
  graph::Graph graph;
  const auto x = graph.AddValue({"x", graph::DataType::kFloat, graph::Shape{1, 2}, nullptr});
  const auto y = graph.AddValue({"y", graph::DataType::kFloat, graph::Shape{1, 2}, nullptr});
  // Outputs are columns: (127, 0.4), (1.27, 0.004).
  const auto w = graph.AddConstant("w", Tensor::Floats({2, 2}, {127, 1.27f, 0.4f, 0.004f}));
  graph::Node node;
  node.op = "MatMul";
  node.inputs = {x, w};
  node.outputs = {y};
  const Outputs outputs = OutputsOf(graph, node);
  EXPECT_EQ(outputs.count, 2u);
  EXPECT_EQ(outputs.inner, 1u);
  const Tensor rounded = RoundWeights(*graph.Constant(w), outputs);
  EXPECT_EQ(rounded.floats[0], 127);
  EXPECT_EQ(rounded.floats[2], 0);
  EXPECT_FLOAT_EQ(rounded.floats[1], 1.27f);
  EXPECT_EQ(rounded.floats[3], 0);
  node.inputs = {w, x};
  EXPECT_EQ(OutputsOf(graph, node).count, 0u) << "weights that are computed";
}

TEST(RoundWeights, SubnormalOnesAreNothing) {
  const Tensor weights = Tensor::Floats({2, 1, 1, 2}, {1e-42f, -3e-44f, 1, 0.5f});
  Outputs outputs;
  outputs.count = 2;
  const Tensor rounded = RoundWeights(weights, outputs);
  EXPECT_EQ(rounded.floats[0], 0);
  EXPECT_EQ(rounded.floats[1], 0);
  EXPECT_EQ(rounded.floats[2], 1);
}

TEST(Decibels, MoreThanEightBitsHoldIsLuck) {
  EXPECT_NEAR(Decibels({1000, 1}), 30, 1e-9);
  EXPECT_EQ(Decibels({1e9, 1e-3}), 50);
  EXPECT_EQ(Decibels({1, 0}), 50);
  EXPECT_TRUE(std::isnan(Decibels({0, 0})));
}

// Positive pictures, which a shift of the weights moves all the same way.
class Pictures : public images::Dataset {
 public:
  explicit Pictures(int64_t size) : size_(size) {}
  int64_t size() const override { return size_; }
  Tensor Load(int64_t i) const override {
    std::mt19937 random(static_cast<uint32_t>(i));
    std::vector<float> values(8 * 36);
    for (float& v : values) v = static_cast<float>(random() % 1024) / 1023;
    return Tensor::Floats({1, 8, 6, 6}, std::move(values));
  }

 private:
  int64_t size_;
};

// Two 3x3 layers whose small weights all round the same way.
graph::Graph TwoLayers() {
  graph::Graph graph;
  const auto value = [&](const char* name) {
    return graph.AddValue({name, graph::DataType::kFloat, graph::Shape{1, 8, 6, 6}, nullptr});
  };
  const auto x = value("x"), a = value("a"), y = value("y");
  graph.inputs = {x};
  graph.outputs = {y};
  for (const auto& [in, out] : {std::pair{x, a}, std::pair{a, y}}) {
    std::vector<float> weights(8 * 8 * 9, 0.44f / 127);  // rounds to 0
    for (size_t o = 0; o < 8; ++o) weights[o * 72 + 4 + o * 9] = 1;
    graph::Node node;
    node.op = "Conv";
    node.name = "to_" + graph.At(out).name;
    node.inputs = {in, graph.AddConstant(node.name + "_w", Tensor::Floats({8, 8, 3, 3}, weights))};
    node.outputs = {out};
    node.attributes["pads"] = std::vector<int64_t>{1, 1, 1, 1};
    if (out == a) node.activation = "Relu";
    graph.nodes.push_back(node);
  }
  operators::InferShapes(graph);
  return graph;
}

quantize::Scheme SchemeFor(const graph::Graph& graph, const Pictures& pictures) {
  calibrate::Options options;
  options.samples = pictures.size();
  const auto statistics = calibrate::Collect(graph, {&pictures}, options);
  return quantize::AssignScheme(graph, statistics, {});
}

TEST(CorrectBiases, PutsTheMeanBack) {
  const graph::Graph graph = TwoLayers();
  const Pictures pictures(16);
  quantize::Scheme scheme = SchemeFor(graph, pictures);
  const Gain gain = CorrectBiases(graph, {&pictures}, {}, &scheme);
  EXPECT_TRUE(gain.kept);
  EXPECT_GT(gain.after_db, gain.before_db + 3);
  ASSERT_EQ(scheme.bias_correction.size(), 2u);
  ASSERT_EQ(scheme.bias_correction[0].size(), 8u);
  // 71 weights of 0.44 / 127 times a mean of 0.5, less what the border leaves out.
  for (float shift : scheme.bias_correction[0]) EXPECT_NEAR(shift, 71 * 0.44 / 127 * 0.5, 0.035);
}

TEST(CorrectBiases, WorthItWhereLayersAreDepthwise) {
  graph::Graph graph = TwoLayers();
  EXPECT_FALSE(IsWorthCorrecting(graph));
  graph.nodes[0].inputs[1] =
      graph.AddConstant("w", Tensor::Floats({8, 1, 3, 3}, std::vector<float>(72, 1)));
  graph.nodes[0].attributes["group"] = int64_t{8};
  EXPECT_TRUE(IsWorthCorrecting(graph));
  // One among many is none.
  for (int i = 0; i < 8; ++i) graph.nodes.push_back(graph.nodes[1]);
  EXPECT_FALSE(IsWorthCorrecting(graph));
}

TEST(CorrectBiases, SameForAnyThreadCount) {
  const graph::Graph graph = TwoLayers();
  const Pictures pictures(9);
  const quantize::Scheme scheme = SchemeFor(graph, pictures);
  quantize::Scheme one = scheme, three = scheme;
  Options options;
  CorrectBiases(graph, {&pictures}, options, &one);
  options.threads = 3;
  CorrectBiases(graph, {&pictures}, options, &three);
  EXPECT_EQ(one.bias_correction, three.bias_correction);
}

TEST(CorrectBiases, LeavesFp16LayersAlone) {
  const graph::Graph graph = TwoLayers();
  const Pictures pictures(8);
  quantize::Scheme scheme = SchemeFor(graph, pictures);
  scheme.precision[0] = blob::Precision::kFp16;
  CorrectBiases(graph, {&pictures}, {}, &scheme);
  EXPECT_TRUE(scheme.bias_correction[0].empty());
  EXPECT_EQ(scheme.bias_correction[1].size(), 8u);
}

TEST(CorrectBiases, LeftOutWhereTooFewWouldJudge) {
  const graph::Graph graph = TwoLayers();
  quantize::Scheme scheme = SchemeFor(graph, Pictures(8));
  for (int64_t count : {0, 1, 4, 7}) {
    const Pictures few(count);
    const Gain gain = CorrectBiases(graph, {&few}, {}, &scheme);
    EXPECT_FALSE(gain.kept) << count;
    EXPECT_EQ(gain.judges, 0) << count;
    for (const auto& correction : scheme.bias_correction) EXPECT_TRUE(correction.empty());
  }
  const Pictures eight(8);
  EXPECT_EQ(CorrectBiases(graph, {&eight}, {}, &scheme).judges, 4);
}

// Of 32 pictures 24 correct where they fit; memory for six takes six, and never fewer judges.
TEST(CorrectBiases, MemoryBoundsWhoCorrects) {
  const graph::Graph graph = TwoLayers();
  EXPECT_EQ(BytesOfPicture(graph), 2 * 2 * 288 * 4);
  const Pictures pictures(32);
  quantize::Scheme scheme = SchemeFor(graph, pictures);
  Options options;
  options.memory_bytes = 6 * BytesOfPicture(graph);
  const Gain gain = CorrectBiases(graph, {&pictures}, options, &scheme);
  EXPECT_EQ(gain.judges, 8);
  EXPECT_TRUE(gain.kept);
  options.memory_bytes = 3 * BytesOfPicture(graph);
  EXPECT_EQ(CorrectBiases(graph, {&pictures}, options, &scheme).judges, 0);
}

class Counted : public Pictures {
 public:
  using Pictures::Pictures;
  Tensor Load(int64_t i) const override {
    ++loads[i];
    return Pictures::Load(i);
  }
  mutable std::map<int64_t, int> loads;
};

TEST(CorrectBiases, WhoCorrectsNeverJudges) {
  const graph::Graph graph = TwoLayers();
  const Counted pictures(32);
  quantize::Scheme scheme = SchemeFor(graph, pictures);
  pictures.loads.clear();
  CorrectBiases(graph, {&pictures}, {}, &scheme);
  // Once to correct, or twice to judge, without and with: nobody does both.
  int once = 0, twice = 0;
  for (const auto& [sample, count] : pictures.loads) {
    once += count == 1;
    twice += count == 2;
  }
  EXPECT_EQ(once, 24);
  EXPECT_EQ(twice, 8);
}

}  // namespace
}  // namespace octet::recover
