#include "converter/simulate/simulator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "converter/lower/coded_weights.h"
#include "converter/operators/operator.h"
#include "converter/simulate/samples.h"
#include "converter/simulate/store.h"
#include "tests/converter/graph/given_by_test.h"

namespace octet::simulate {
namespace {

using graph::Tensor;
using graph::ValueId;

class Pictures : public images::Dataset {
 public:
  int64_t size() const override { return 8; }
  Tensor Load(int64_t i) const override {
    std::mt19937 random(static_cast<uint32_t>(i) + 5);
    std::vector<float> values(4 * 25);
    for (float& v : values) v = static_cast<float>(random() % 2001) / 1000 - 1;
    return Tensor::Floats({1, 4, 5, 5}, std::move(values));
  }
};

// x -> a -> b -> y, and x -> c -> y: two branches that an addition joins; a is an output as well.
struct Model {
  graph::Graph graph;
  quantize::Scheme scheme;
  ValueId x, a, b, c, y;

  Model() {
    x = Value("x");
    graph.inputs = {x};
    a = Conv("a", x, 1);
    b = Conv("b", a, 2);
    c = Conv("c", x, 3);
    y = Value("y");
    graph::Node add;
    add.name = add.op = "Add";
    add.inputs = {b, c};
    add.outputs = {y};
    graph.nodes.push_back(add);
    graph.outputs = {y, a};
    operators::InferShapes(graph);
    scheme.tensors.resize(graph.values.size());
    for (ValueId id : {x, a, b, c, y}) {
      scheme.tensors[static_cast<size_t>(id)] = quantize::Affine(-4, 4, false);
    }
    scheme.precision.assign(graph.nodes.size(), blob::Precision::kInt8);
    scheme.bias_correction.resize(graph.nodes.size());
  }
  ValueId Value(const char* name) {
    return graph.AddValue({name, graph::DataType::kFloat, graph::Shape{1, 4, 5, 5}, {}, {}});
  }
  ValueId Conv(const char* name, ValueId in, uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<float> weights(4 * 4);
    for (float& w : weights) w = static_cast<float>(random() % 1000) / 1000 - 0.5f;
    graph::Node node;
    node.op = "Conv";
    node.name = std::string("conv_") + name;
    const ValueId out = Value(name);
    node.inputs = {in, graph.AddConstant(node.name + "_w", Tensor::Floats({4, 4, 1, 1}, weights))};
    node.outputs = {out};
    if (seed == 2) node.activation = "Relu";
    graph.nodes.push_back(node);
    return out;
  }
  // Everything that may differ from one scheme to another.
  std::vector<quantize::Scheme> Variants() const {
    std::vector<quantize::Scheme> variants;
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      variants.push_back(scheme);
      variants.back().precision[n] = blob::Precision::kFp16;
    }
    for (ValueId id : {x, a, b, c, y}) {
      variants.push_back(scheme);
      variants.back().tensors[static_cast<size_t>(id)] = quantize::Affine(-1, 2, false);
    }
    variants.push_back(scheme);
    variants.back().bias_correction[1] = {0.1f, 0, -0.2f, 0.3f};
    variants.push_back(scheme);
    variants.back().tensors[static_cast<size_t>(b)]->channels = {{0.1f, 3}, {1, 0}, {2, 0}, {1, 0}};
    variants.push_back(scheme);  // the same again
    return variants;
  }
};

void ExpectSame(const Scores& a, const Scores& b, const std::string& what) {
  ASSERT_EQ(a.pictures.size(), b.pictures.size());
  for (size_t i = 0; i < a.pictures.size(); ++i) {
    ASSERT_EQ(a.pictures[i].pieces.size(), b.pictures[i].pieces.size());
    EXPECT_EQ(a.pictures[i].agreement, b.pictures[i].agreement) << what;
    for (size_t p = 0; p < a.pictures[i].pieces.size(); ++p) {
      EXPECT_EQ(a.pictures[i].pieces[p].signal, b.pictures[i].pieces[p].signal) << what;
      EXPECT_EQ(a.pictures[i].pieces[p].error, b.pictures[i].pieces[p].error) << what;
    }
  }
}

// Share of outputs in which the two differ by less than 0.01.
class Near : public Likeness {
 public:
  double Agreement(const std::vector<std::vector<float>>& exact,
                   const std::vector<std::vector<float>>& rounded, int64_t) const override {
    double near = 0, all = 0;
    for (size_t o = 0; o < exact.size(); ++o) {
      for (size_t i = 0; i < exact[o].size(); ++i, ++all) {
        near += std::abs(exact[o][i] - rounded[o][i]) < 0.01f;
      }
    }
    return near / all;
  }
};

// Running only what changes gives what running everything gives, with any memory and threads.
TEST(Compare, IsTheSameAsRunningAll) {
  const Model model;
  const Pictures pictures;
  const Near likeness;
  const std::vector<int64_t> samples = {0, 3, 6};
  const std::vector<quantize::Scheme> variants = model.Variants();
  for (const int threads : {1, 3}) {
    for (const int64_t memory : {int64_t{0}, int64_t{1500}, int64_t{1} << 30}) {
      Options options;
      options.threads = threads;
      options.memory_bytes = memory;
      options.likeness = &likeness;
      const Simulator simulator(model.graph, {&pictures}, options);
      const auto compared = simulator.Compare(model.scheme, variants, samples);
      ExpectSame(compared.base, simulator.Run(model.scheme, samples), "base");
      ExpectSame(compared.base, compared.variants.back(), "nothing changed");
      for (size_t v = 0; v < variants.size(); ++v) {
        ExpectSame(compared.variants[v], simulator.Run(variants[v], samples), std::to_string(v));
      }
      EXPECT_GT(compared.base.Loss(), 0);
      EXPECT_EQ(compared.base.Loss(), 1 - compared.base.Agreement());
    }
  }
}

// A constant is computed by no node, and exact under every scheme.
TEST(Compare, ConstantOutputIsNotMeasured) {
  Model model;
  const Pictures pictures;
  const ValueId constant =
      model.graph.AddConstant("k", Tensor::Floats({3}, std::vector<float>{1, 2, 3}));
  model.graph.outputs.push_back(constant);
  model.scheme.tensors.resize(model.graph.values.size());
  const Topology topology(model.graph);
  const Source none = [](ValueId) -> const Tensor& {
    throw std::logic_error("asked for what is not computed");
  };
  Topology only = topology;
  only.view.outputs.erase(only.view.outputs.begin(), only.view.outputs.begin() + 2);
  const std::vector<Figure> figures = Measure(only, none, none);
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_EQ(figures[0].signal, 0);
  const Simulator simulator(model.graph, {&pictures}, {});
  const std::vector<quantize::Scheme> variants{model.scheme};
  const auto compared = simulator.Compare(model.scheme, variants, {0, 1});
  EXPECT_EQ(compared.variants[0].pictures[0].pieces.size(), 3u);
}

TEST(Compare, LessRoundingLosesLess) {
  const Model model;
  const Pictures pictures;
  const Simulator simulator(model.graph, {&pictures}, {});
  quantize::Scheme exact = model.scheme;
  exact.precision.assign(exact.precision.size(), blob::Precision::kFp16);
  const auto compared = simulator.Compare(model.scheme, {exact}, {0, 1, 2, 3});
  EXPECT_EQ(compared.variants[0].Loss(), 0);
  const Gain gain = GainOf(compared.base, compared.variants[0]);
  EXPECT_GT(gain.mean, 0);
  EXPECT_GT(gain.mean, 2 * gain.error);
  EXPECT_NEAR(gain.mean, compared.base.Loss(), gain.mean / 4);
  EXPECT_EQ(compared.base.pictures[0].pieces.size(), 2u);
}

TEST(Compare, TellsHowFarItIs) {
  const Model model;
  const Pictures pictures;
  const Simulator simulator(model.graph, {&pictures}, {});
  int64_t calls = 0, last = 0;
  simulator.Compare(model.scheme, model.Variants(), {0, 1}, [&](int64_t done, int64_t total) {
    ++calls;
    last = done;
    EXPECT_EQ(total, 2 * (1 + static_cast<int64_t>(model.Variants().size())));
  });
  EXPECT_EQ(calls, last);
  EXPECT_EQ(calls, 2 * (1 + static_cast<int64_t>(model.Variants().size())));
}

TEST(Watch, ShowsWhatRunAddsUp) {
  const Model model;
  const Pictures pictures;
  for (const int threads : {1, 2}) {
    Options options;
    options.threads = threads;
    const Simulator simulator(model.graph, {&pictures}, options);
    Figure y;
    int sums = 0;
    simulator.Watch(model.scheme, {1, 2}, [&](const Simulator::Shown& shown) {
      sums += shown.with_exact_weights != nullptr;
      if (shown.id != model.y) return;
      for (size_t i = 0; i < shown.exact.size(); ++i) {
        const double e = shown.exact[i], d = e - static_cast<double>(shown.after[i]);
        y.Add({e * e, d * d});
      }
    });
    const Scores scores = simulator.Run(model.scheme, {1, 2});
    EXPECT_NEAR(y.signal, scores.Pieces()[0].signal, 1e-9);
    EXPECT_NEAR(y.error, scores.Pieces()[0].error, 1e-9);
    EXPECT_EQ(sums, 2) << "a is an output of weights, in each picture";
  }
}

// A model with codes means its values as they round; those that it leaves real stay.
TEST(Watch, ExactValuesAreThoseOfTheCodes) {
  Model model;
  constexpr float kStep = 0.25f;
  for (const ValueId id : {model.x, model.a}) {
    graph::GivenByTest::Give(model.graph, id, {kStep, 0});
  }
  const Pictures pictures;
  const Simulator simulator(model.graph, {&pictures}, {});
  const auto on_grid = [](const std::vector<float>& values) {
    return std::all_of(values.begin(), values.end(),
                       [](float v) { return std::remainder(v, kStep) == 0; });
  };
  int shown_values = 0;
  simulator.Watch(model.scheme, {0}, [&](const Simulator::Shown& shown) {
    ++shown_values;
    EXPECT_EQ(on_grid(shown.exact), shown.id == model.a) << shown.id;
  });
  EXPECT_EQ(shown_values, 4);
}

// Of inputs that are zero a layer gives its bias: in whole steps of products, as lowering writes
// it.
TEST(Simulator, BiasesAreThoseOfTheLayers) {
  class Zeros : public images::Dataset {
   public:
    int64_t size() const override { return 1; }
    Tensor Load(int64_t) const override {
      return Tensor::Floats({1, 4, 5, 5}, std::vector<float>(100));
    }
  };
  Model model;
  const std::vector<float> bias = {0.3f, -0.0004f, 1, 0.01f};
  model.graph.nodes[0].inputs.push_back(model.graph.AddConstant("bias", Tensor::Floats({4}, bias)));
  model.scheme.tensors.resize(model.graph.values.size());
  model.scheme.bias_correction[0] = {0, 0, -0.5f, 0.002f};
  // Steps of products that the eye sees: 0.1 times the weights' 0.5 / 127.
  model.scheme.tensors[static_cast<size_t>(model.x)] = quantize::Affine(-12.8f, 12.7f, false);
  const auto coded = *lower::WeightCoder(model.graph, model.scheme).Of(0);
  const Zeros zeros;
  const Simulator simulator(model.graph, {&zeros}, {});
  simulator.Watch(model.scheme, {0}, [&](const Simulator::Shown& shown) {
    if (shown.id != model.a) return;
    for (size_t i = 0; i < shown.before.size(); ++i) {
      EXPECT_FLOAT_EQ(shown.exact[i], bias[i / 25]);
      EXPECT_NEAR(shown.before[i], coded.bias[i / 25], 1e-6) << i;
    }
  });
  EXPECT_GT(std::abs(coded.bias[1] - bias[1]), 1e-5);
}

TEST(Gain, OfPicturesThatDoNotAgreeIsUncertain) {
  const auto scores = [](std::vector<double> losses) {
    Scores result;
    result.judged = true;
    for (const double loss : losses) result.pictures.push_back({{}, 1 - loss});
    return result;
  };
  const Gain sure = GainOf(scores({0.5, 0.4, 0.3}), scores({0.4, 0.3, 0.2}));
  EXPECT_NEAR(sure.mean, 0.1, 1e-12);
  EXPECT_NEAR(sure.error, 0, 1e-7);
  // Differences 0.3, -0.1, 0.1: mean 0.1, deviation 0.163, over sqrt(2).
  const Gain unsure = GainOf(scores({0.5, 0.4, 0.3}), scores({0.2, 0.5, 0.2}));
  EXPECT_NEAR(unsure.mean, 0.1, 1e-12);
  EXPECT_NEAR(unsure.error, 0.11547, 1e-5);
  EXPECT_EQ(GainOf(scores({0.5}), scores({0.4})).error, 0);
  EXPECT_EQ(GainOf(scores({0.5}), scores({0.4})).count, 1);
  EXPECT_EQ(GainOf(scores({}), scores({})).mean, 0);
}

TEST(Samples, AreDisjointAndSpread) {
  const Samples samples = SplitSamples(1000, 64);
  EXPECT_EQ(samples.fit.size(), 32u);
  EXPECT_EQ(samples.accept.size(), 16u);
  EXPECT_EQ(samples.report.size(), 16u);
  std::vector<int64_t> all = samples.fit;
  all.insert(all.end(), samples.accept.begin(), samples.accept.end());
  all.insert(all.end(), samples.report.begin(), samples.report.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::unique(all.begin(), all.end()), all.end());
  EXPECT_EQ(all.front(), 0);
  EXPECT_GE(all.back(), 980);
  EXPECT_TRUE(SplitSamples(4, 64).CanCorrect());
  EXPECT_FALSE(SplitSamples(3, 64).CanCorrect());
  EXPECT_EQ(SplitSamples(3, 64).report.size(), 3u);
  EXPECT_TRUE(SplitSamples(0, 64).report.empty());
}

TEST(Store, GivesBackWhatItTook) {
  const auto floats = [](int64_t count, float first) {
    std::vector<float> values(static_cast<size_t>(count));
    for (size_t i = 0; i < values.size(); ++i) values[i] = first + static_cast<float>(i);
    return Tensor::Floats({count}, std::move(values));
  };
  Store store(40);  // ten floats
  store.Put(1, floats(8, 100));
  store.Put(2, floats(5, 200));  // into the file
  store.Put(3, Tensor::Integers({2}, {7, -8}));
  EXPECT_NE(store.Find(1), nullptr);
  EXPECT_EQ(store.Find(2), nullptr);
  EXPECT_EQ(store.Get(1).floats, floats(8, 100).floats);
  EXPECT_EQ(store.Get(2).floats, floats(5, 200).floats);
  EXPECT_EQ(store.Get(3).integers, (std::vector<int64_t>{7, -8}));
  EXPECT_EQ(store.file_bytes(), 20 + 16);
  // What is dropped leaves its room to others.
  EXPECT_EQ(store.Take(2).floats, floats(5, 200).floats);
  EXPECT_FALSE(store.Has(2));
  store.Put(4, floats(3, 300));
  store.Put(5, floats(2, 400));
  EXPECT_EQ(store.file_bytes(), 20 + 16);
  EXPECT_EQ(store.Get(4).floats, floats(3, 300).floats);
  EXPECT_EQ(store.Get(5).floats, floats(2, 400).floats);
  EXPECT_EQ(store.Get(3).integers, (std::vector<int64_t>{7, -8}));
  EXPECT_EQ(store.Take(1).floats, floats(8, 100).floats);
  store.Put(6, floats(8, 1));
  EXPECT_NE(store.Find(6), nullptr) << "memory is free again";
  store.Put(6, floats(1, 9));
  EXPECT_EQ(store.Get(6).floats, (std::vector<float>{9}));
  store.Drop(6);
  store.Drop(6);
  EXPECT_FALSE(store.Has(6));
}

}  // namespace
}  // namespace octet::simulate
