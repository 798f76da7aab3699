// Which layer of a net is to blame, and what is said of it.
#include "converter/analyze/analyze.h"

#include <gtest/gtest.h>

#include <random>

namespace octet::analyze {
namespace {

using graph::Shape;
using graph::Tensor;
using graph::ValueId;

constexpr int64_t kChannels = 4, kSide = 8;

class Pictures : public images::Dataset {
 public:
  int64_t size() const override { return 8; }
  Tensor Load(int64_t i) const override {
    std::mt19937 random(static_cast<uint32_t>(i) + 1);
    std::vector<float> values(kChannels * kSide * kSide);
    for (float& value : values) value = static_cast<float>(random() % 256) / 255;
    return Tensor::Floats({1, kChannels, kSide, kSide}, std::move(values));
  }
};

struct Model {
  graph::Graph graph;
  std::vector<std::optional<calibrate::Statistics>> statistics;
  quantize::Config config;
  Pictures pictures;

  Model() {
    graph.inputs.push_back(Value("x"));
    config.method = calibrate::Method::kMinMax;
    config.channel_scales = false;
  }
  ValueId Value(const std::string& name) {
    return graph.AddValue(
        {name, graph::DataType::kFloat, Shape{1, kChannels, kSide, kSide}, {}, {}});
  }
  ValueId Node(const std::string& op, const std::string& name, std::vector<ValueId> inputs) {
    graph::Node node;
    node.name = op + "_" + name;
    node.op = op;
    node.inputs = std::move(inputs);
    node.outputs = {Value(name)};
    graph.nodes.push_back(node);
    return node.outputs[0];
  }
  // 1x1, weights [out][in].
  ValueId Conv(const std::string& name, ValueId x, std::vector<float> weights) {
    const ValueId constant = graph.AddConstant(
        "w_" + name, Tensor::Floats({kChannels, kChannels, 1, 1}, std::move(weights)));
    return Node("Conv", name, {x, constant});
  }
  quantize::Scheme Assign() {
    statistics = calibrate::Collect(graph, {&pictures}, {});
    return quantize::AssignScheme(graph, statistics, config);
  }
  Analysis Look(const quantize::Scheme& scheme, int threads = 1) const {
    simulate::Options options;
    options.threads = threads;
    const simulate::Simulator simulator(graph, {&pictures}, options);
    return Analyze(simulator, statistics, scheme, {0, 3, 6}, {});
  }
};

const std::vector<float> kPlain = {0.5f, -0.2f, 0.3f, 0.4f,  0.1f, 0.6f, -0.3f, 0.2f,
                                   0.4f, 0.2f,  0.7f, -0.1f, 0.3f, 0.3f, 0.2f,  0.5f};

TEST(Analyze, LayersInOrderWithFigures) {
  Model model;
  model.graph.outputs = {model.Conv("y", model.Conv("a", model.graph.inputs[0], kPlain), kPlain)};
  const quantize::Scheme scheme = model.Assign();
  const Analysis analysis = model.Look(scheme);
  EXPECT_EQ(analysis.pictures, 3);
  ASSERT_EQ(analysis.layers.size(), 2u);
  const LayerFigures& first = analysis.layers[0];
  EXPECT_EQ(first.name, "Conv_a");
  EXPECT_EQ(first.tensor, "a");
  EXPECT_EQ(first.activations.count(), 3 * kChannels * kSide * kSide);
  EXPECT_GT(first.activations.SnrDb(), 30);
  EXPECT_GT(first.activations.Overlap(), 0.9);
  ASSERT_TRUE(first.weights);
  EXPECT_GT(first.weights->snr_db, 35);
  EXPECT_FALSE(first.FarWeights() || first.LowOverlap());
  EXPECT_LE(first.seen_min, first.sigma_low);
  EXPECT_GE(first.seen_max, first.sigma_high);
  EXPECT_GT(first.range_ratio, 0.9);
  ASSERT_EQ(analysis.outputs.size(), 1u);
  EXPECT_GT(analysis.outputs[0].snr_db, 25);
}

// The layer whose range is cut is the worst, and the one behind it is not blamed.
TEST(Analyze, BlamesTheLayerThatIsCut) {
  Model model;
  const ValueId a = model.Conv("a", model.graph.inputs[0], kPlain);
  model.graph.outputs = {model.Conv("y", model.Conv("b", a, kPlain), kPlain)};
  quantize::TensorOverride narrow;
  narrow.name = "a";
  narrow.min = -0.1f;
  narrow.max = 0.1f;
  model.config.tensors.push_back(narrow);
  const Analysis analysis = model.Look(model.Assign());
  const LayerFigures& worst = analysis.layers[WorstFirst(analysis)[0]];
  EXPECT_EQ(worst.name, "Conv_a");
  EXPECT_GT(worst.activations.ClippedShare(), 0.5);
  EXPECT_GT(worst.activations.SaturatedShare(), 0.5);
  EXPECT_TRUE(worst.Sensitive());
  EXPECT_NE(worst.cause.find("range is clipped"), std::string::npos) << worst.cause;
  EXPECT_LT(worst.range_ratio, 1);
  EXPECT_LT(analysis.layers[1].added, worst.added / 4);
}

// One weight a thousand times as large leaves nothing of the others.
TEST(Analyze, FlagsWeightsThatOneOfThemDrowns) {
  Model model;
  std::vector<float> drowned;
  for (size_t i = 0; i < 16; ++i) drowned.push_back(i % 4 == 0 ? 100.0f : 0.1f);
  model.graph.outputs = {model.Conv("y", model.graph.inputs[0], drowned)};
  const Analysis analysis = model.Look(model.Assign());
  ASSERT_TRUE(analysis.layers[0].weights);
  // 100 / 127 a step: nothing is left of 0.1, three quarters of the weights.
  EXPECT_DOUBLE_EQ(analysis.layers[0].weights->zeros, 0.75);
  EXPECT_TRUE(analysis.layers[0].FarWeights());
}

// What a Sigmoid does not tell apart is cut in front of it, and nobody's loss.
TEST(Analyze, JudgesBehindFunctionsThatLevelOff) {
  Model model;
  std::vector<float> steep = kPlain;
  for (float& weight : steep) weight *= 200;
  const ValueId a = model.Conv("a", model.graph.inputs[0], steep);
  const ValueId b = model.Node("Sigmoid", "b", {a});
  model.graph.outputs = {model.Conv("y", b, kPlain)};
  const Analysis analysis = model.Look(model.Assign());
  ASSERT_EQ(analysis.layers.size(), 2u);
  EXPECT_EQ(analysis.layers[0].name, "Conv_a");
  EXPECT_EQ(analysis.layers[0].op, "Conv+Sigmoid");
  EXPECT_EQ(analysis.layers[0].tensor, "b");
  EXPECT_TRUE(analysis.layers[0].weights);
}

// A value that somebody else reads as well has to be right by itself.
TEST(Analyze, ValuesReadTwiceStandForThemselves) {
  Model model;
  const ValueId a = model.Conv("a", model.graph.inputs[0], kPlain);
  const ValueId b = model.Node("Sigmoid", "b", {a});
  model.graph.outputs = {model.Conv("y", model.Node("Mul", "c", {a, b}), kPlain)};
  const Analysis analysis = model.Look(model.Assign());
  ASSERT_EQ(analysis.layers.size(), 4u);
  EXPECT_EQ(analysis.layers[0].op, "Conv");
  EXPECT_EQ(analysis.layers[1].op, "Sigmoid");
}

// A part of a tensor may be noisier than the whole.
TEST(Analyze, WhatOnlyMovesAddsNothing) {
  Model model;
  std::vector<float> weights = kPlain;
  for (size_t i = 0; i < 12; ++i) weights[i] *= 100;
  const ValueId a = model.Conv("a", model.graph.inputs[0], weights);
  const ValueId b = model.Node("Transpose", "b", {a});
  model.graph.nodes.back().attributes["perm"] = std::vector<int64_t>{0, 1, 3, 2};
  model.graph.outputs = {model.Conv("y", b, kPlain)};
  const Analysis analysis = model.Look(model.Assign());
  ASSERT_EQ(analysis.layers.size(), 3u);
  EXPECT_GT(analysis.layers[0].added, 0);
  EXPECT_EQ(analysis.layers[1].op, "Transpose");
  EXPECT_EQ(analysis.layers[1].added, 0);
  EXPECT_EQ(analysis.layers[1].cause, "");
}

TEST(Analyze, Fp16LayersHaveNoCause) {
  Model model;
  model.graph.outputs = {model.Conv("y", model.Conv("a", model.graph.inputs[0], kPlain), kPlain)};
  quantize::Scheme scheme = model.Assign();
  scheme.precision.assign(2, blob::Precision::kFp16);
  const Analysis analysis = model.Look(scheme);
  EXPECT_FALSE(analysis.layers[1].int8);
  EXPECT_EQ(analysis.layers[1].activations.SnrDb(), 100);
  EXPECT_EQ(analysis.layers[1].cause, "");
  EXPECT_EQ(analysis.coverage.Total(), 0);
}

TEST(Analyze, TheSameForAnyNumberOfThreads) {
  Model model;
  model.graph.outputs = {model.Conv("y", model.Conv("a", model.graph.inputs[0], kPlain), kPlain)};
  const quantize::Scheme scheme = model.Assign();
  const Analysis one = model.Look(scheme, 1), three = model.Look(scheme, 3);
  for (size_t i = 0; i < one.layers.size(); ++i) {
    EXPECT_EQ(one.layers[i].activations.Mse(), three.layers[i].activations.Mse());
    EXPECT_EQ(one.layers[i].activations.Int8(), three.layers[i].activations.Int8());
  }
}

TEST(Coverage, OwnSharedAndMissing) {
  Model model;
  const ValueId a = model.Conv("a", model.graph.inputs[0], kPlain);
  const ValueId b = model.Conv("b", model.graph.inputs[0], kPlain);
  model.graph.outputs = {model.Conv("y", model.Node("Add", "c", {a, b}), kPlain)};
  quantize::Scheme scheme = model.Assign();
  Coverage coverage = CoverageOf(model.graph, scheme);
  EXPECT_EQ(coverage.own, 5);
  EXPECT_TRUE(coverage.missing.empty());
  scheme.tensors[static_cast<size_t>(a)]->origin = {quantize::Origin::Kind::kShared, {}, "c"};
  scheme.tensors[static_cast<size_t>(b)].reset();
  coverage = CoverageOf(model.graph, scheme);
  EXPECT_EQ(coverage.own, 3);
  EXPECT_EQ(coverage.shared, 1);
  EXPECT_EQ(coverage.missing, std::vector<std::string>{"b"});
  EXPECT_EQ(coverage.Total(), 5);
}

}  // namespace
}  // namespace octet::analyze
