#include "converter/recover/choose_ranges.h"

#include <gtest/gtest.h>

#include <random>

#include "converter/operators/operator.h"

namespace octet::recover {
namespace {

using graph::Tensor;
using graph::ValueId;

// Numbers up to 1, and one in a thousand of 60, most of the energy.
class Pictures : public images::Dataset {
 public:
  int64_t size() const override { return 32; }
  Tensor Load(int64_t i) const override {
    std::mt19937 random(static_cast<uint32_t>(i) + 1);
    std::vector<float> values(4 * 256);
    for (float& v : values) {
      v = static_cast<float>(random() % 1001) / 1000;
      if (random() % 1000 == 0) v = 60;
    }
    return Tensor::Floats({1, 4, 16, 16}, std::move(values));
  }
};

// x -> a -> y, both layers pass on what they read: what is cut off is missing at the output.
struct Model {
  graph::Graph graph;
  ValueId a;
  std::vector<std::optional<calibrate::Statistics>> statistics;
  quantize::Config config;

  explicit Model(const Pictures& pictures) {
    const auto value = [&](const char* name) {
      return graph.AddValue({name, graph::DataType::kFloat, graph::Shape{1, 4, 16, 16}, {}, {}});
    };
    const ValueId x = value("x");
    a = value("a");
    const ValueId y = value("y");
    std::vector<float> ones(16);
    for (size_t i = 0; i < 4; ++i) ones[5 * i] = 1;
    for (const auto& [in, out] : {std::pair{x, a}, std::pair{a, y}}) {
      graph::Node conv;
      conv.op = "Conv";
      conv.name = "to_" + graph.At(out).name;
      conv.inputs = {in, graph.AddConstant(conv.name + "_w", Tensor::Floats({4, 4, 1, 1}, ones))};
      conv.outputs = {out};
      graph.nodes.push_back(conv);
    }
    graph.inputs = {x};
    graph.outputs = {y};
    operators::InferShapes(graph);
    calibrate::Options options;
    statistics = calibrate::Collect(graph, {&pictures}, options);
    config.channel_scales = false;
    config.method = calibrate::Method::kPercentile;
    config.percentile = 99;
    // One range is in question: with several that cut, none gains alone.
    for (const char* name : {"x", "y"}) config.tensors.push_back({name, -64.0f, 64.0f, {}, {}});
  }
};

Step Choose(const Model& model, const images::Dataset& pictures, int threads,
            quantize::Scheme* scheme) {
  simulate::Options options;
  options.threads = threads;
  const simulate::Simulator simulator(model.graph, {&pictures}, options);
  return ChooseRanges(simulator, simulate::SplitSamples(pictures.size(), 64), model.statistics,
                      model.config, {}, scheme);
}

TEST(ChooseRanges, WhatOutputsGainByIsKept) {
  const Pictures pictures;
  const Model model(pictures);
  quantize::Scheme scheme = quantize::AssignScheme(model.graph, model.statistics, model.config);
  const auto a = static_cast<size_t>(model.a);
  ASSERT_LT(scheme.tensors[a]->max, 2);
  const Step step = Choose(model, pictures, 1, &scheme);
  EXPECT_TRUE(step.kept);
  EXPECT_GT(step.accepted.mean, 0.5);
  EXPECT_GT(step.reported.mean, 0.5);
  EXPECT_GT(step.after_db, step.before_db + 10);
  EXPECT_GT(scheme.tensors[a]->max, 59);
}

// Codes that x holds exactly: a bell of steps of 0.5 in each channel, and one in a thousand of the
// first at its ends.
class Bells : public images::Dataset {
 public:
  int64_t size() const override { return 32; }
  Tensor Load(int64_t i) const override {
    std::mt19937 random(static_cast<uint32_t>(i) + 1);
    std::vector<float> values(4 * 256);
    for (size_t at = 0; at < values.size(); ++at) {
      int sum = -6;
      for (int k = 0; k < 4; ++k) sum += static_cast<int>(random() % 4);
      values[at] = 0.5f * static_cast<float>(sum);
      if (at < 256 && random() % 1000 == 0) values[at] = random() % 2 == 0 ? 30 : -30;
    }
    return Tensor::Floats({1, 4, 16, 16}, std::move(values));
  }
};

TEST(ChooseRanges, DivergenceIsACandidate) {
  // The few at the ends of a hold nearly all of its energy, and behind them tanh makes 1 of them
  // as of 4: extremes, error and percentile keep them, the shape of the others does not.
  const Bells pictures;
  Model model{Pictures()};
  const Tensor digits =
      Tensor::Floats({4, 4, 1, 1}, {1, 0.125f, 1 / 64.0f, 0, 1, 0.125f, 1 / 64.0f, 0, 1, 0.125f,
                                    1 / 64.0f, 0, 1, 0.125f, 1 / 64.0f, 0});
  model.graph.nodes[0].inputs[1] = model.graph.AddConstant("digits", digits);
  graph::Node tanh;
  tanh.op = "Tanh";
  tanh.name = "saturated";
  tanh.inputs = model.graph.outputs;
  model.graph.outputs[0] =
      model.graph.AddValue({"z", graph::DataType::kFloat, graph::Shape{1, 4, 16, 16}, {}, {}});
  tanh.outputs = model.graph.outputs;
  model.graph.nodes.push_back(tanh);
  model.statistics = calibrate::Collect(model.graph, {&pictures}, calibrate::Options());
  model.config.method = calibrate::Method::kAuto;
  model.config.percentile = 99.99;
  model.config.tensors.pop_back();  // of y
  quantize::Scheme scheme = quantize::AssignScheme(model.graph, model.statistics, model.config);
  const auto a = static_cast<size_t>(model.a);
  ASSERT_GT(scheme.tensors[a]->max, 29);
  const Step step = Choose(model, pictures, 1, &scheme);
  EXPECT_TRUE(step.kept);
  EXPECT_GT(step.after_db, step.before_db + 3);
  EXPECT_EQ(scheme.tensors[a]->origin.method, calibrate::Method::kKl);
  EXPECT_LT(scheme.tensors[a]->max, 5);
  EXPECT_GT(scheme.tensors[a]->min, -5);
}

TEST(ChooseRanges, NothingIsTouchedWhereNothingGains) {
  const Pictures pictures;
  Model model(pictures);
  model.config.method = calibrate::Method::kMinMax;
  quantize::Scheme scheme = quantize::AssignScheme(model.graph, model.statistics, model.config);
  const auto a = static_cast<size_t>(model.a);
  const float before = scheme.tensors[a]->scale;
  const Step step = Choose(model, pictures, 1, &scheme);
  EXPECT_TRUE(step.tried);
  EXPECT_FALSE(step.kept);
  EXPECT_EQ(step.after_db, step.before_db);
  EXPECT_EQ(scheme.tensors[a]->scale, before);
}

TEST(ChooseRanges, SameForAnyThreadCount) {
  const Pictures pictures;
  const Model model(pictures);
  const quantize::Scheme scheme =
      quantize::AssignScheme(model.graph, model.statistics, model.config);
  quantize::Scheme one = scheme, three = scheme;
  const Step a = Choose(model, pictures, 1, &one), b = Choose(model, pictures, 3, &three);
  EXPECT_EQ(a.kept, b.kept);
  EXPECT_EQ(a.accepted.mean, b.accepted.mean);
  const auto v = static_cast<size_t>(model.a);
  EXPECT_EQ(one.tensors[v]->scale, three.tensors[v]->scale);
}

TEST(ChooseRanges, TheUsersRangesStay) {
  const Pictures pictures;
  Model model(pictures);
  model.config.tensors.push_back({"a", -3.0f, 5.0f, {}, {}});
  quantize::Scheme scheme = quantize::AssignScheme(model.graph, model.statistics, model.config);
  const float asked = scheme.tensors[static_cast<size_t>(model.a)]->scale;
  Choose(model, pictures, 1, &scheme);
  EXPECT_EQ(scheme.tensors[static_cast<size_t>(model.a)]->scale, asked);
}

}  // namespace
}  // namespace octet::recover
