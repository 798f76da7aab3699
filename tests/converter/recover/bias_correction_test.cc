#include "converter/recover/bias_correction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "converter/operators/operator.h"

namespace octet::recover {
namespace {

using graph::Tensor;

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
    return graph.AddValue({name, graph::DataType::kFloat, graph::Shape{1, 8, 6, 6}, {}, {}});
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

Step Correct(const graph::Graph& graph, const Pictures& pictures, quantize::Scheme* scheme,
             const simulate::Options& options = {}) {
  const simulate::Simulator simulator(graph, {&pictures}, options);
  return CorrectBiases(simulator, simulate::SplitSamples(pictures.size(), 64), {}, scheme);
}

TEST(CorrectBiases, PutsTheMeanBack) {
  const graph::Graph graph = TwoLayers();
  const Pictures pictures(16);
  quantize::Scheme scheme = SchemeFor(graph, pictures);
  const Step step = Correct(graph, pictures, &scheme);
  EXPECT_TRUE(step.tried);
  EXPECT_TRUE(step.kept);
  EXPECT_GT(step.after_db, step.before_db + 3);
  EXPECT_GT(step.reported.mean, 0);
  ASSERT_EQ(scheme.bias_correction.size(), 2u);
  ASSERT_EQ(scheme.bias_correction[0].size(), 8u);
  // 71 weights of 0.44 / 127 times a mean of 0.5, less what the border leaves out.
  for (float shift : scheme.bias_correction[0]) EXPECT_NEAR(shift, 71 * 0.44 / 127 * 0.5, 0.035);
}

// What is told of its progress rises one by one, and never beyond the whole.
TEST(CorrectBiases, ProgressEndsWithinItsTotal) {
  const graph::Graph graph = TwoLayers();
  const Pictures pictures(16);
  quantize::Scheme scheme = SchemeFor(graph, pictures);
  const simulate::Simulator simulator(graph, {&pictures}, {});
  int64_t last = 0, whole = 0;
  CorrectBiases(
      simulator, simulate::SplitSamples(pictures.size(), 64),
      [&](int64_t done, int64_t total) {
        EXPECT_EQ(done, last + 1);
        last = done;
        whole = total;
      },
      &scheme);
  EXPECT_GT(last, whole / 2);
  EXPECT_LE(last, whole);
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
  simulate::Options options;
  Correct(graph, pictures, &one, options);
  options.threads = 3;
  Correct(graph, pictures, &three, options);
  EXPECT_EQ(one.bias_correction, three.bias_correction);
}

TEST(CorrectBiases, LeavesFp16LayersAlone) {
  const graph::Graph graph = TwoLayers();
  const Pictures pictures(8);
  quantize::Scheme scheme = SchemeFor(graph, pictures);
  scheme.precision[0] = blob::Precision::kFp16;
  Correct(graph, pictures, &scheme);
  EXPECT_TRUE(scheme.bias_correction[0].empty());
  EXPECT_EQ(scheme.bias_correction[1].size(), 8u);
}

TEST(CorrectBiases, LeftOutWhereTooFewWouldJudge) {
  const graph::Graph graph = TwoLayers();
  quantize::Scheme scheme = SchemeFor(graph, Pictures(8));
  for (int64_t count : {0, 1, 3}) {
    const Step step = Correct(graph, Pictures(count), &scheme);
    EXPECT_FALSE(step.kept) << count;
    EXPECT_FALSE(step.tried) << count;
    for (const auto& correction : scheme.bias_correction) EXPECT_TRUE(correction.empty());
  }
  EXPECT_TRUE(Correct(graph, Pictures(4), &scheme).tried);
}

// Everything that memory does not hold goes through a file, and the answer is the same.
TEST(CorrectBiases, MemoryChangesNothing) {
  const graph::Graph graph = TwoLayers();
  const Pictures pictures(32);
  quantize::Scheme scheme = SchemeFor(graph, pictures), small = scheme;
  Correct(graph, pictures, &scheme);
  simulate::Options options;
  options.memory_bytes = 5 * 288 * 4;
  EXPECT_TRUE(Correct(graph, pictures, &small, options).kept);
  EXPECT_EQ(scheme.bias_correction, small.bias_correction);
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

// Pictures on which the shift is the other way round than on those that fit.
class Contrary : public Pictures {
 public:
  using Pictures::Pictures;
  Tensor Load(int64_t i) const override {
    Tensor picture = Pictures::Load(i);
    if (i % 2 == 1) {
      for (float& v : picture.floats) v = -v;
    }
    return picture;
  }
};

TEST(CorrectBiases, OthersDecide) {
  graph::Graph graph = TwoLayers();
  graph.nodes[0].activation.clear();
  const Contrary pictures(32);
  quantize::Scheme scheme = SchemeFor(graph, pictures);
  const Step step = Correct(graph, pictures, &scheme);
  EXPECT_TRUE(step.tried);
  EXPECT_FALSE(step.kept);
  EXPECT_EQ(step.after_db, step.before_db);
  for (const auto& correction : scheme.bias_correction) EXPECT_TRUE(correction.empty());
}

TEST(CorrectBiases, WhoFitsNeitherDecidesNorReports) {
  const graph::Graph graph = TwoLayers();
  const Counted pictures(32);
  quantize::Scheme scheme = SchemeFor(graph, pictures);
  pictures.loads.clear();
  const Step step = Correct(graph, pictures, &scheme);
  ASSERT_TRUE(step.kept);
  std::map<int, int> times;
  for (const auto& [sample, count] : pictures.loads) ++times[count];
  // Those that find, accept or report are looked at once, the quarter of the fitting ones that
  // agrees side by side and at the outputs.
  EXPECT_EQ(times[1], 28);
  EXPECT_EQ(times[2], 4);
}

}  // namespace
}  // namespace octet::recover
