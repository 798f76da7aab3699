#include "converter/recover/rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "converter/calibrate/calibrate.h"
#include "converter/lower/coded_weights.h"
#include "converter/operators/matrix.h"
#include "converter/operators/operator.h"

namespace octet::recover {
namespace {

using graph::Tensor;

float Uniform(std::mt19937& random) {
  return static_cast<float>(random() % 2001) / 1000 - 1;
}

// Columns that resemble each other: what one is rounded by, another can make up for.
LayerInputs Correlated(size_t rows, size_t depth, unsigned seed) {
  std::mt19937 random(seed);
  LayerInputs inputs;
  inputs.rows = rows;
  inputs.depth = depth;
  for (size_t r = 0; r < rows; ++r) {
    const float common = Uniform(random);
    for (size_t k = 0; k < depth; ++k) inputs.values.push_back(common + 0.3f * Uniform(random));
  }
  return inputs;
}

std::vector<float> ValuesOf(const std::vector<int8_t>& codes, const std::vector<float>& scales) {
  std::vector<float> values;
  const size_t depth = codes.size() / scales.size();
  for (size_t at = 0; at < codes.size(); ++at) {
    values.push_back(scales[at / depth] * static_cast<float>(codes[at]));
  }
  return values;
}

TEST(FactorCholesky, UpperRowsOfR) {
  // R = [2 1; 0 3].
  std::vector<double> a = {4, 2, 2, 10};
  ASSERT_TRUE(operators::FactorCholesky(2, a.data()));
  EXPECT_DOUBLE_EQ(a[0], 2);
  EXPECT_DOUBLE_EQ(a[1], 1);
  EXPECT_DOUBLE_EQ(a[3], 3);
  std::vector<double> indefinite = {1, 2, 2, 1};
  EXPECT_FALSE(operators::FactorCholesky(2, indefinite.data()));
}

TEST(RoundRows, ColumnsApartAreNearest) {
  LayerInputs inputs;
  inputs.rows = inputs.depth = 3;
  inputs.values = {1, 0, 0, 0, 2, 0, 0, 0, 3};
  const std::vector<float> scales = {1, 0.5f};
  EXPECT_EQ(RoundRows(inputs, std::vector<float>{0.4f, -0.6f, 200, 0.3f, 0, -100}, scales),
            (std::vector<int8_t>{0, -1, 127, 1, 0, -127}));
}

TEST(RoundRows, OneColumnMakesUpForAnother) {
  // Equal inputs, the second a little stronger: it is rounded first, the first takes what is left.
  LayerInputs inputs;
  inputs.rows = 2;
  inputs.depth = 2;
  inputs.values = {1, 1.01f, -1, -1.01f};
  EXPECT_EQ(RoundRows(inputs, std::vector<float>{0.4f, 0.4f}, std::vector<float>{1}),
            (std::vector<int8_t>{1, 0}));
  // No data at all: nearest.
  inputs.values = {0, 0, 0, 0};
  EXPECT_EQ(RoundRows(inputs, std::vector<float>{0.4f, 0.6f}, std::vector<float>{1}),
            (std::vector<int8_t>{0, 1}));
}

TEST(RoundRows, LosesLessOnOtherData) {
  constexpr size_t kDepth = 150, kOutputs = 5;  // more than one block of columns
  const LayerInputs fit = Correlated(600, kDepth, 1), other = Correlated(100, kDepth, 2);
  std::mt19937 random(3);
  std::vector<float> weights(kDepth * kOutputs);
  for (float& weight : weights) weight = Uniform(random);
  const std::vector<float> scales(kOutputs, 0.1f);
  std::vector<float> nearest;
  for (const float weight : weights) nearest.push_back(std::floor(weight / 0.1f + 0.5f) * 0.1f);
  const std::vector<int8_t> codes = RoundRows(fit, weights, scales);
  EXPECT_LT(ErrorOf(other, weights, ValuesOf(codes, scales)), ErrorOf(other, weights, nearest) / 4);
  EXPECT_EQ(codes, RoundRows(fit, weights, scales));
}

TEST(ErrorOf, SumsSquares) {
  LayerInputs inputs;
  inputs.rows = 2;
  inputs.depth = 2;
  inputs.values = {1, 2, 3, 4};
  // Differences (1, 0) and (0, -1): results 1 and 3, -2 and -4.
  EXPECT_DOUBLE_EQ(ErrorOf(inputs, std::vector<float>{1, 1, 1, 1}, std::vector<float>{0, 1, 1, 2}),
                   1 + 9 + 4 + 16);
}

class Pictures : public images::Dataset {
 public:
  int64_t size() const override { return 48; }
  Tensor Load(int64_t i) const override {
    std::mt19937 random(static_cast<uint32_t>(i));
    std::vector<float> values;
    for (int pixel = 0; pixel < 8 * 36; ++pixel) values.push_back(Uniform(random) + 1);
    return Tensor::Floats({1, 8, 6, 6}, std::move(values));
  }
};

// A dense layer with a stride, a depthwise one, a matrix.
graph::Graph Layers() {
  graph::Graph graph;
  std::mt19937 random(9);
  const auto value = [&](const char* name) {
    return graph.AddValue({name, graph::DataType::kFloat, {}, nullptr});
  };
  const auto weights = [&](const char* name, const graph::Shape& shape) {
    std::vector<float> values(static_cast<size_t>(graph::ElementCount(shape)));
    for (float& v : values) v = Uniform(random);
    values[0] = 8;  // all others are coarse for it
    return graph.AddConstant(name, Tensor::Floats(shape, values));
  };
  const auto add = [&](const char* op, std::vector<graph::ValueId> inputs, graph::ValueId out) {
    graph::Node node;
    node.name = node.op = op;
    node.name += graph.At(out).name;
    node.inputs = std::move(inputs);
    node.outputs = {out};
    graph.nodes.push_back(node);
    return &graph.nodes.back();
  };
  const auto x = graph.AddValue({"x", graph::DataType::kFloat, graph::Shape{1, 8, 6, 6}, nullptr});
  const auto a = value("a"), b = value("b"), f = value("f"), y = value("y");
  graph.inputs = {x};
  graph.outputs = {y};
  graph::Node* node = add("Conv", {x, weights("aw", {16, 8, 3, 3})}, a);
  node->attributes["pads"] = std::vector<int64_t>{1, 1, 1, 1};
  node->attributes["strides"] = std::vector<int64_t>{2, 2};
  node->activation = "Relu";
  node = add("Conv", {a, weights("bw", {16, 1, 3, 3})}, b);
  node->attributes["group"] = int64_t{16};
  add("Reshape", {b, graph.AddConstant("s", Tensor::Integers({2}, {1, 16}))}, f);
  node = add("Gemm", {f, weights("gw", {4, 16})}, y);
  node->attributes["transB"] = int64_t{1};
  operators::InferShapes(graph);
  return graph;
}

struct Case {
  graph::Graph graph = Layers();
  Pictures pictures;
  quantize::Scheme scheme;
  simulate::Samples samples = simulate::SplitSamples(48, 32);

  Case() {
    calibrate::Options options;
    options.samples = 48;
    quantize::Config config;
    config.weights = quantize::WeightScheme::kPerTensor;
    scheme = quantize::AssignScheme(graph, calibrate::Collect(graph, {&pictures}, options), config);
    scheme.precision.assign(graph.nodes.size(), blob::Precision::kInt8);
  }
  Step Round(int threads, int64_t memory_bytes, quantize::Scheme* result) {
    simulate::Options options;
    options.threads = threads;
    options.memory_bytes = memory_bytes;
    const simulate::Simulator simulator(graph, {&pictures}, options);
    *result = scheme;
    return RoundWeights(simulator, samples, 48, {}, result);
  }
};

TEST(RoundWeights, GainsAndKeepsTheGrid) {
  Case one;
  quantize::Scheme rounded;
  const Step step = one.Round(1, int64_t{1} << 30, &rounded);
  ASSERT_TRUE(step.kept);
  EXPECT_GT(step.after_db, step.before_db);
  ASSERT_NE(rounded.weights[0], nullptr);
  const lower::WeightCoder before(one.graph, one.scheme), after(one.graph, rounded);
  int moved = 0;
  for (const size_t n : {0, 1, 3}) {
    EXPECT_EQ(before.Of(n)->scales, after.Of(n)->scales);
    if (rounded.weights[n] == nullptr) continue;
    // Codes say what was chosen.
    for (size_t at = 0; at < rounded.weights[n]->values.size(); ++at) {
      EXPECT_FLOAT_EQ(after.Of(n)->weights.floats[at], rounded.weights[n]->values[at]);
    }
    moved += before.Of(n)->codes != after.Of(n)->codes ? 1 : 0;
  }
  EXPECT_GE(moved, 1);
}

TEST(RoundWeights, SameForAnyThreadCountAndMemory) {
  Case one;
  quantize::Scheme first, second;
  one.Round(1, int64_t{1} << 30, &first);
  one.Round(3, int64_t{1} << 20, &second);  // layer by layer
  ASSERT_EQ(first.weights.size(), one.graph.nodes.size());
  ASSERT_EQ(second.weights.size(), one.graph.nodes.size());
  for (const size_t n : {0, 1, 3}) {
    ASSERT_EQ(first.weights[n] == nullptr, second.weights[n] == nullptr) << n;
    if (first.weights[n] == nullptr) continue;
    EXPECT_EQ(first.weights[n]->values, second.weights[n]->values) << n;
  }
}

TEST(RoundWeights, LeavesFp16AndGivenLayersAlone) {
  Case one;
  one.scheme.precision[0] = blob::Precision::kFp16;
  one.graph.nodes[3].weight_scales.assign(4, 0.01f);
  quantize::Scheme rounded;
  one.Round(1, int64_t{1} << 30, &rounded);
  if (rounded.weights.empty()) return;
  EXPECT_EQ(rounded.weights[0], nullptr);
  EXPECT_EQ(rounded.weights[3], nullptr);
}

TEST(RoundWeights, FewSamplesRoundNothing) {
  Case one;
  one.samples = simulate::SplitSamples(3, 16);
  quantize::Scheme rounded;
  EXPECT_FALSE(one.Round(1, int64_t{1} << 30, &rounded).tried);
  EXPECT_TRUE(rounded.weights.empty());
}

}  // namespace
}  // namespace octet::recover
