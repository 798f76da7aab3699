// Powers of two around values FP16 cannot hold: the same results to the last bit, every value and
// weight in range, and nothing touched where all fits.
#include "converter/quantize/half_range.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "converter/executor/executor.h"
#include "tests/converter/quantize/quantize_support.h"

namespace octet::quantize {
namespace {

using graph::Shape;
using graph::Tensor;
using graph::ValueId;

constexpr int64_t kChannels = 4, kSide = 4;

class Pictures : public images::Dataset {
 public:
  explicit Pictures(float scale) : scale_(scale) {}
  int64_t size() const override { return 8; }
  Tensor Load(int64_t i) const override {
    std::mt19937 random(static_cast<uint32_t>(i) + 1);
    std::vector<float> values(kChannels * kSide * kSide);
    for (float& v : values) v = scale_ * (static_cast<float>(random() % 2001) / 1000 - 1);
    return Tensor::Floats({1, kChannels, kSide, kSide}, std::move(values));
  }

 private:
  float scale_;
};

struct Model {
  graph::Graph graph;
  std::mt19937 random{3};

  Model() { graph.inputs.push_back(Value("x", {1, kChannels, kSide, kSide})); }
  ValueId Value(const std::string& name, const Shape& shape) {
    return graph.AddValue({name, graph::DataType::kFloat, shape, {}, {}});
  }
  ValueId Weights(const Shape& shape, float scale) {
    std::vector<float> values(static_cast<size_t>(graph::ElementCount(shape)));
    for (float& v : values) v = scale * (static_cast<float>(random() % 2001) / 1000 - 1);
    return graph.AddConstant("w" + std::to_string(graph.values.size()),
                             Tensor::Floats(shape, std::move(values)));
  }
  ValueId Op(const std::string& op, std::vector<ValueId> inputs, const Shape& shape) {
    const ValueId out = Value(op + std::to_string(graph.nodes.size()), shape);
    graph::Node node;
    node.name = op + "_" + std::to_string(graph.nodes.size());
    node.op = op;
    node.inputs = std::move(inputs);
    node.outputs = {out};
    graph.nodes.push_back(std::move(node));
    return out;
  }
  // 1x1 over 4 channels, each row of the weights times one of `rows`.
  ValueId Conv(ValueId x, const std::vector<float>& rows, float bias = 0) {
    const ValueId w = Weights({kChannels, kChannels, 1, 1}, 1);
    Tensor scaled = *graph.Constant(w);
    for (size_t i = 0; i < scaled.floats.size(); ++i) scaled.floats[i] *= rows[i / kChannels];
    graph.At(w).constant = graph::Constant::Real(std::move(scaled));
    return Op("Conv", {x, w, Weights({kChannels}, bias)}, {1, kChannels, kSide, kSide});
  }
  // The columns of the last Conv's weights times one factor each.
  void ScaleColumns(const std::vector<float>& columns) {
    const ValueId w = graph.nodes.back().inputs[1];
    Tensor scaled = *graph.Constant(w);
    for (size_t i = 0; i < scaled.floats.size(); ++i) scaled.floats[i] *= columns[i % kChannels];
    graph.At(w).constant = graph::Constant::Real(std::move(scaled));
  }
  ValueId Conv(ValueId x, float scale) { return Conv(x, std::vector<float>(kChannels, scale)); }
  ValueId Same(const std::string& op, ValueId x) { return Op(op, {x}, *graph.At(x).shape); }
};

struct Fitted {
  std::vector<std::optional<calibrate::Statistics>> statistics;
  HalfPlan plan;
  int ExponentOf(ValueId id, size_t channel = 0) const {
    const auto& exponents = plan.scheme.half_exponents[static_cast<size_t>(id)];
    return exponents.empty() ? 0 : exponents[exponents.size() == 1 ? 0 : channel];
  }
};

// Fits a graph and checks what always has to hold.
Fitted Fit(const Model& model, float input_scale) {
  const Pictures pictures(input_scale);
  Fitted fitted;
  fitted.statistics = calibrate::Collect(model.graph, {&pictures}, {});
  Scheme scheme;
  scheme.precision.assign(model.graph.nodes.size(), blob::Precision::kFp16);
  scheme.tensors.resize(model.graph.values.size());
  fitted.plan = FitHalves(model.graph, fitted.statistics, scheme);
  executor::Executor before(model.graph), after(fitted.plan.graph);
  for (int64_t i = 0; i < pictures.size(); ++i) {
    const Tensor x = pictures.Load(i);
    Tensor scaled = x;
    for (float& v : scaled.floats) v = std::ldexp(v, -fitted.ExponentOf(model.graph.inputs[0]));
    const auto expected = before.Run({x}), actual = after.Run({scaled});
    for (size_t o = 0; o < expected.size(); ++o) {
      const int e = fitted.ExponentOf(model.graph.outputs[o]);
      for (size_t k = 0; k < expected[o].floats.size(); ++k) {
        EXPECT_EQ(std::ldexp(actual[o].floats[k], e), expected[o].floats[k]) << o << " " << k;
      }
    }
  }
  return fitted;
}

float LargestWeight(const Fitted& fitted, size_t node) {
  float largest = 0;
  const graph::Graph& graph = fitted.plan.graph;
  for (float w : graph.Constant(graph.nodes[node].inputs[1])->floats) {
    largest = std::max(largest, std::fabs(w));
  }
  return largest;
}

float LargestStored(const Fitted& fitted, ValueId id) {
  const calibrate::Statistics& seen = *fitted.statistics[static_cast<size_t>(id)];
  return std::ldexp(std::max(std::fabs(seen.min), std::fabs(seen.max)), -fitted.ExponentOf(id));
}

TEST(HalfRange, NothingIsTouchedWhereAllFits) {
  Model model;
  const ValueId y = model.Same("Relu", model.Conv(model.graph.inputs[0], 1));
  model.graph.outputs = {model.Same("Sigmoid", model.Conv(y, 0.5f))};
  const Fitted fitted = Fit(model, 255);
  EXPECT_EQ(fitted.plan.graph.values.size(), model.graph.values.size());
  for (const auto& exponents : fitted.plan.scheme.half_exponents) EXPECT_TRUE(exponents.empty());
}

TEST(HalfRange, InnerValuesAndInputsBeyondTheRange) {
  Model model;
  const ValueId a = model.Conv(model.graph.inputs[0], {2e3f, 1e3f, 2e3f, 1e3f}, 1e6f);
  const ValueId b = model.Op("MaxPool", {model.Same("Relu", a)}, {1, kChannels, kSide, kSide});
  model.graph.nodes.back().attributes["kernel_shape"] = std::vector<int64_t>{1, 1};
  model.graph.outputs = {model.Same("Sigmoid", model.Conv(b, 1e-9f))};
  const Fitted fitted = Fit(model, 1.2e5f);
  EXPECT_TRUE(fitted.plan.cannot_store.empty());
  for (ValueId id : {model.graph.inputs[0], a, b}) {
    EXPECT_LE(LargestStored(fitted, id), 16384) << model.graph.At(id).name;
    EXPECT_GT(LargestStored(fitted, id), 1) << model.graph.At(id).name;
  }
  EXPECT_EQ(fitted.ExponentOf(model.graph.outputs[0]), 0);
  for (size_t n : {size_t{0}, size_t{3}}) {
    EXPECT_LE(LargestWeight(fitted, n), kLargestHalf) << n;
    EXPECT_GE(LargestWeight(fitted, n), 0x1p-14f) << n;
  }
}

TEST(HalfRange, SmallWeightsAreLifted) {
  Model model;
  const ValueId a = model.Conv(model.graph.inputs[0], 1e-7f);
  model.graph.outputs = {model.Conv(model.Same("Relu", a), 1e6f)};
  const Fitted fitted = Fit(model, 1);
  EXPECT_GE(LargestWeight(fitted, 0), 0x1p-14f);
  EXPECT_GE(LargestStored(fitted, a), 0x1p-14f);
  EXPECT_LE(LargestWeight(fitted, 2), kLargestHalf);
}

// What one channel needs would ruin another.
TEST(HalfRange, ChannelsBetweenConvolutionsHaveTheirOwn) {
  Model model;
  const ValueId a = model.Conv(model.graph.inputs[0], {1, 1e-8f, 1e6f, 1});
  const ValueId b = model.Same("Relu", a);
  const ValueId y = model.Conv(b, 1);
  model.ScaleColumns({1, 1e8f, 1e-6f, 1});
  model.graph.outputs = {y};
  const Fitted fitted = Fit(model, 1);
  EXPECT_EQ(fitted.ExponentOf(a, 0), 0);
  EXPECT_LT(fitted.ExponentOf(a, 1), 0);
  EXPECT_GT(fitted.ExponentOf(a, 2), 0);
  EXPECT_LE(LargestWeight(fitted, 2), kLargestHalf);
}

// Rows of weights that round to nothing beside their bias are left alone.
TEST(HalfRange, WhatNobodyHearsStays) {
  Model model;
  const ValueId a = model.Conv(model.graph.inputs[0], {1, 1e-20f, 1, 1}, 0.5f);
  model.graph.outputs = {model.Conv(model.Same("Relu", a), 1)};
  const Fitted fitted = Fit(model, 1);
  for (size_t c = 0; c < 4; ++c) EXPECT_EQ(fitted.ExponentOf(a, c), 0) << c;
}

TEST(HalfRange, SumsJoinsBoundsAndProducts) {
  Model model;
  const ValueId x = model.graph.inputs[0];
  const ValueId a = model.Conv(x, 3e5f), b = model.Conv(x, 10);
  const ValueId bound = model.graph.AddConstant("high", Tensor::Floats({}, {200000}));
  const ValueId low = model.graph.AddConstant("low", Tensor::Floats({}, {-100000}));
  const ValueId sum = model.Op("Add", {a, b}, {1, kChannels, kSide, kSide});
  const ValueId clip = model.Op("Clip", {sum, low, bound}, {1, kChannels, kSide, kSide});
  const ValueId joined = model.Op("Concat", {clip, b}, {1, 2 * kChannels, kSide, kSide});
  model.graph.nodes.back().attributes["axis"] = int64_t{1};
  const ValueId positive = model.Same("Relu", joined);
  const ValueId gate = model.Same("Sigmoid", model.Conv(x, 10));
  const ValueId gated = model.Op("Mul", {clip, gate}, {1, kChannels, kSide, kSide});
  model.graph.outputs = {positive, gated};
  const Fitted fitted = Fit(model, 1);
  EXPECT_EQ(fitted.ExponentOf(joined), fitted.ExponentOf(clip));
  EXPECT_EQ(fitted.ExponentOf(gated), fitted.ExponentOf(clip));
  EXPECT_EQ(fitted.ExponentOf(gate), 0);
  EXPECT_LE(LargestStored(fitted, joined), 16384);
}

// A Sigmoid lets nothing pass, so what it reads stays; the weights that make it fit all the same,
// for the input takes their factor.
TEST(HalfRange, PinnedValuesStay) {
  Model model;
  const ValueId a = model.Same("Relu", model.Conv(model.graph.inputs[0], 1e6f));
  model.graph.outputs = {model.Conv(model.Same("Sigmoid", a), 1)};
  const Fitted fitted = Fit(model, 1);
  EXPECT_EQ(fitted.ExponentOf(a), 0);
  EXPECT_LT(fitted.ExponentOf(model.graph.inputs[0]), 0);
  EXPECT_LE(LargestWeight(fitted, 0), kLargestHalf);
  EXPECT_TRUE(fitted.plan.cannot_store.empty());
}

// Neither side of the weights can move.
TEST(HalfRange, WeightsNothingHelpsAreNamed) {
  Model model;
  const ValueId a = model.Conv(model.Same("Sigmoid", model.graph.inputs[0]), 1e6f);
  model.graph.outputs = {model.Conv(model.Same("Sigmoid", model.Same("Relu", a)), 1)};
  const Fitted fitted = Fit(model, 1);
  EXPECT_EQ(fitted.plan.cannot_store.rfind("a weight of node 'Conv_1'", 0), 0u)
      << fitted.plan.cannot_store;
}

// A square has twice the exponent of what it is of, and the root of a sum of squares half of it.
TEST(HalfRange, SquaresAndRootsTakeTheFactor) {
  for (const float scale : {1e-5f, 1.0f, 1e5f}) {
    Model model;
    const ValueId a = model.Conv(model.graph.inputs[0], scale);
    const ValueId square = model.Op("Mul", {a, a}, *model.graph.At(a).shape);
    const ValueId sum = model.Op("Add", {square, square}, *model.graph.At(a).shape);
    const ValueId root = model.Same("Sqrt", sum);
    model.graph.outputs = {model.Same("Sigmoid", model.Conv(root, 1 / scale))};
    const Fitted fitted = Fit(model, 1);
    const int e = fitted.ExponentOf(a);
    EXPECT_EQ(fitted.ExponentOf(square), 2 * e) << scale;
    EXPECT_EQ(fitted.ExponentOf(sum), 2 * e) << scale;
    EXPECT_EQ(fitted.ExponentOf(root), e) << scale;
    // What FP16 has is used, and a square may grow by sixteen.
    EXPECT_GE(LargestStored(fitted, square), 1024) << scale;
    EXPECT_LE(LargestStored(fitted, square), 4096) << scale;
  }
}

TEST(HalfRange, AValueBesideItsSquareHasNoFactor) {
  Model model;
  const ValueId a = model.Conv(model.graph.inputs[0], 1e3f);
  const ValueId square = model.Op("Mul", {a, a}, *model.graph.At(a).shape);
  const ValueId sum = model.Op("Add", {a, square}, *model.graph.At(a).shape);
  model.graph.outputs = {model.Same("Sigmoid", sum)};
  const Fitted fitted = Fit(model, 1);
  for (const ValueId id : {a, square, sum}) EXPECT_EQ(fitted.ExponentOf(id), 0);
}

// The small numbers that a logarithm reads are kept; its function has the factor.
TEST(HalfRange, ALogarithmTakesTheFactorIntoItsTable) {
  Model model;
  const ValueId a = model.Conv(model.graph.inputs[0], 1e-4f);
  const ValueId square = model.Op("Mul", {a, a}, *model.graph.At(a).shape);
  const ValueId more =
      model.Op("Add", {square, model.graph.AddConstant("eps", Tensor::Floats({1}, {1e-10f}))},
               *model.graph.At(a).shape);
  const ValueId log = model.Same("Log", more);
  model.graph.outputs = {log};
  const Pictures pictures(1);
  const auto statistics = calibrate::Collect(model.graph, {&pictures}, {});
  Scheme scheme;
  scheme.precision.assign(model.graph.nodes.size(), blob::Precision::kFp16);
  scheme.tensors.resize(model.graph.values.size());
  const HalfPlan plan = FitHalves(model.graph, statistics, scheme);
  const auto& exponents = plan.scheme.half_exponents;
  ASSERT_EQ(exponents[static_cast<size_t>(more)].size(), 1u);
  EXPECT_LT(exponents[static_cast<size_t>(more)][0], -10);
  EXPECT_TRUE(exponents[static_cast<size_t>(log)].empty());
  EXPECT_EQ(plan.graph.nodes.back().op, "OffsetFunction");
  executor::Executor before(model.graph), after(plan.graph);
  const Tensor x = pictures.Load(0);
  const Tensor expected = before.Run({x})[0], actual = after.Run({x})[0];
  for (size_t i = 0; i < expected.floats.size(); ++i) {
    EXPECT_NEAR(actual.floats[i], expected.floats[i], 1e-5f) << i;
  }
}

// By a constant, of a constant, and of two values; what is divided by itself has no factor.
TEST(HalfRange, QuotientsBeyondTheRange) {
  for (const char* form : {"x/2", "1e7/p", "x/p", "x/x"}) {
    Model model;
    const Shape shape{1, kChannels, kSide, kSide};
    const ValueId x = model.Conv(model.graph.inputs[0], 1e6f);
    const ValueId p = model.Same("Sigmoid", model.Conv(model.graph.inputs[0], 1));
    const auto number = [&](float value) {
      return model.graph.AddConstant("n" + std::to_string(model.graph.values.size()),
                                     Tensor::Floats({}, {value}));
    };
    const auto part = [&](char letter) {
      return letter == 'x' ? x : letter == 'p' ? p : number(letter == '2' ? 2 : 1e7f);
    };
    const std::string words = form;
    const ValueId quotient = model.Op("Div", {part(words[0]), part(words.back())}, shape);
    model.graph.outputs = {model.Conv(quotient, 1e-9f)};
    if (words.find('x') == std::string::npos) model.graph.outputs.push_back(model.Conv(x, 1e-9f));
    SCOPED_TRACE(form);
    const Fitted fitted = Fit(model, 1);
    EXPECT_TRUE(fitted.plan.cannot_store.empty());
    EXPECT_EQ(fitted.ExponentOf(p), 0);
    for (const ValueId id : {x, quotient}) {
      const bool scaled = words != "x/x";
      EXPECT_EQ(fitted.ExponentOf(id) > 0, scaled);
      EXPECT_EQ(LargestStored(fitted, id) <= 16384, scaled || id == quotient);
    }
  }
}

}  // namespace
}  // namespace octet::quantize
