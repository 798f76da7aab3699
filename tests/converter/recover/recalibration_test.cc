#include "converter/recover/recalibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "converter/lower/coded_weights.h"
#include "converter/operators/operator.h"
#include "tests/converter/graph/given_by_test.h"
#include "tests/converter/recover/coarse_layers.h"

namespace octet::recover {
namespace {

using simulate::Correction;
using simulate::Moments;

// One channel; FP32's results are `factor` times the simulated ones and `offset` more, give or take
// `noise` by picture.
std::vector<Moments> Scaled(double factor, double offset, double noise, size_t pictures) {
  std::mt19937 random(4);
  std::vector<Moments> all;
  for (size_t i = 0; i < pictures; ++i) {
    Moments of;
    for (std::vector<double>* each :
         {&of.shift, &of.exact, &of.rounded, &of.exact_square, &of.rounded_square, &of.product}) {
      each->assign(1, 0);
    }
    const double own = factor + noise * static_cast<double>(Uniform(random));
    for (int k = 0; k < 100; ++k) {
      const double y = static_cast<double>(Uniform(random)) + 0.3, x = own * y + offset;
      of.shift[0] += (x - y) / 100;
      of.exact[0] += x / 100;
      of.rounded[0] += y / 100;
      of.exact_square[0] += x * x / 100;
      of.rounded_square[0] += y * y / 100;
      of.product[0] += x * y / 100;
    }
    all.push_back(of);
  }
  return all;
}

TEST(FitStatistics, FindsFactorAndOffset) {
  const Correction found = FitStatistics(Scaled(1.2, 0.5, 0, 24), 16);
  ASSERT_EQ(found.factors.size(), 1u);
  EXPECT_NEAR(found.factors[0], 1.2, 0.01);
  EXPECT_NEAR(found.offsets[0], 0.5, 0.01);
}

TEST(FitStatistics, LeavesWhatIsNotCertain) {
  // Pictures that contradict each other tell no factor.
  const Correction noisy = FitStatistics(Scaled(1.02, 0, 0.5, 12), 8);
  if (!noisy.factors.empty()) {
    EXPECT_NEAR(noisy.factors[0], 1, 0.02);
  }
  // Nothing to change.
  EXPECT_TRUE(FitStatistics(Scaled(1, 0, 0, 12), 8).factors.empty());
}

TEST(FitStatistics, OtherPicturesDecide) {
  std::vector<Moments> pictures = Scaled(1.2, 0, 0, 16);
  const std::vector<Moments> others = Scaled(0.8, 0, 0, 8);
  pictures.insert(pictures.end(), others.begin(), others.end());
  EXPECT_TRUE(FitStatistics(pictures, 16).factors.empty());
}

TEST(FitStatistics, AChannelThatStandsStillKeepsItsScale) {
  std::vector<Moments> pictures = Scaled(1, 0, 0, 12);
  for (Moments& of : pictures) {
    of.rounded = {2}, of.rounded_square = {4}, of.product = {6}, of.exact = {3};
    of.exact_square = {9.5}, of.shift = {1};
  }
  const Correction found = FitStatistics(pictures, 8);
  ASSERT_EQ(found.factors.size(), 1u);
  EXPECT_EQ(found.factors[0], 1);
  EXPECT_FLOAT_EQ(found.offsets[0], 1);
}

// Small weights beside a large one all round to 0: results are narrower than FP32's.
struct Narrowed {
  graph::Graph graph = Layers();
  CoarsePictures pictures;
  quantize::Scheme scheme;

  Narrowed() {
    for (graph::Node& node : graph.nodes) {
      if (node.op == "Reshape") continue;
      Tensor weights = *graph.Constant(node.inputs[1]);
      const size_t depth = weights.floats.size() / static_cast<size_t>(weights.shape[0]);
      for (size_t at = 0; at < weights.floats.size(); ++at) {
        weights.floats[at] = at % depth == 0 ? 1 : 0.49f / 127;
      }
      graph.At(node.inputs[1]).constant = graph::Constant::Real(weights);
    }
    calibrate::Options options;
    options.samples = 48;
    scheme = quantize::AssignScheme(graph, calibrate::Collect(graph, {&pictures}, options), {});
    scheme.precision.assign(graph.nodes.size(), blob::Precision::kInt8);
  }
  Step Set(int threads, quantize::Scheme* result) const {
    simulate::Options options;
    options.threads = threads;
    const simulate::Simulator simulator(graph, {&pictures}, options);
    *result = scheme;
    int64_t last = 0, all = 0;
    const auto tell = [&](int64_t done, int64_t total) {
      EXPECT_EQ(done, last + 1);
      last = done, all = total;
    };
    const Step step = Recalibrate(simulator, simulate::SplitSamples(48, 48), tell, result);
    EXPECT_EQ(last == all, step.kept);
    return step;
  }
};

TEST(Recalibrate, GainsByScalesAndBiasesAlone) {
  const Narrowed model;
  quantize::Scheme set;
  const Step step = model.Set(1, &set);
  EXPECT_TRUE(step.tried);
  ASSERT_TRUE(step.kept);
  EXPECT_GT(step.after_db, step.before_db + 1);
  EXPECT_GT(step.reported.mean, 0);
  const lower::WeightCoder before(model.graph, model.scheme), after(model.graph, set);
  int changed = 0;
  for (const size_t n : {0, 1, 3}) {
    if (set.weights[n] == nullptr) continue;
    ++changed;
    const auto was = before.Of(n), is = after.Of(n);
    EXPECT_EQ(was->codes, is->codes) << n;
    EXPECT_NE(was->scales, is->scales) << n;
    ASSERT_EQ(set.bias_correction[n].size(), is->scales.size());
  }
  EXPECT_GE(changed, 1);
  EXPECT_LT(changed, 3) << "only what loses more than the mean";
}

TEST(Recalibrate, SameForAnyThreadCount) {
  const Narrowed model;
  quantize::Scheme one, three;
  model.Set(1, &one);
  model.Set(3, &three);
  ASSERT_EQ(one.weights.size(), model.graph.nodes.size());
  ASSERT_EQ(three.weights.size(), model.graph.nodes.size());
  EXPECT_EQ(one.bias_correction, three.bias_correction);
  for (const size_t n : {0, 1, 3}) {
    ASSERT_EQ(one.weights[n] == nullptr, three.weights[n] == nullptr);
    if (one.weights[n] == nullptr) continue;
    EXPECT_EQ(one.weights[n]->scales, three.weights[n]->scales);
  }
}

TEST(Recalibrate, LeavesSharedScalesAndGivenLayersAlone) {
  Narrowed model;
  model.scheme.weight_schemes.assign(4, quantize::WeightScheme::kPerTensor);
  quantize::Scheme set;
  EXPECT_FALSE(model.Set(1, &set).kept);
  model.scheme.weight_schemes.clear();
  for (const size_t n : {0, 1, 3}) {
    graph::GivenByTest::Code(model.graph, model.graph.nodes[n].inputs[1], 1.0f / 127);
  }
  EXPECT_FALSE(model.Set(1, &set).kept);
}

TEST(Recalibrate, LeftOutWhereTooFewWouldJudge) {
  const Narrowed model;
  const simulate::Simulator simulator(model.graph, {&model.pictures}, {});
  quantize::Scheme set = model.scheme;
  EXPECT_FALSE(Recalibrate(simulator, simulate::SplitSamples(3, 64), {}, &set).tried);
}

}  // namespace
}  // namespace octet::recover
