// Both steps that choose codes of weights other than the nearest.
#include <gtest/gtest.h>

#include <numeric>

#include "converter/lower/coded_weights.h"
#include "converter/recover/adaptive_rounding.h"
#include "tests/converter/graph/given_by_test.h"
#include "tests/converter/recover/coarse_layers.h"

namespace octet::recover {
namespace {

struct WeightStep {
  const char* name;
  decltype(&RoundWeights) run;
  int nearest;  // to the best sum, in steps
};

class WeightSteps : public testing::TestWithParam<WeightStep> {
 protected:
  Step Run(const CoarseCase& given, quantize::Scheme* result, int threads = 1,
           int64_t memory_bytes = int64_t{1} << 30) {
    simulate::Options options;
    options.threads = threads;
    options.memory_bytes = memory_bytes;
    *result = given.scheme;
    return GetParam().run(simulate::Simulator(given.graph, {&given.pictures}, options),
                          given.samples, 48, {}, result);
  }
  CoarseCase one_;
  quantize::Scheme rounded_;
};

TEST_P(WeightSteps, GainAndKeepTheGrid) {
  const Step step = Run(one_, &rounded_);
  ASSERT_TRUE(step.kept);
  EXPECT_GT(step.after_db, step.before_db);
  const lower::WeightCoder before(one_.graph, one_.scheme), after(one_.graph, rounded_);
  int moved = 0;
  for (const size_t n : {0, 1, 3}) {
    EXPECT_EQ(before.Of(n)->scales, after.Of(n)->scales);
    if (rounded_.weights[n] == nullptr) continue;
    // Codes say what was chosen.
    for (size_t at = 0; at < rounded_.weights[n]->values.size(); ++at) {
      EXPECT_FLOAT_EQ(after.Of(n)->weights.floats[at], rounded_.weights[n]->values[at]);
      if (GetParam().run == AdaptRounding) {
        EXPECT_LE(std::abs(after.Of(n)->codes[at] - before.Of(n)->codes[at]), 1);
      }
    }
    moved += before.Of(n)->codes != after.Of(n)->codes ? 1 : 0;
  }
  EXPECT_GE(moved, 1);
}

// All inputs of the layer are equal, so only the sum of its weights counts: 0.33 to 0.47 of a
// step, fifteen times, is six steps, of which the nearest codes keep none.
TEST_P(WeightSteps, MakeUpForWhatTheNearestCodesLose) {
  one_.graph = EqualInputs();
  one_.Quantize();
  const auto sum = [&](const quantize::Scheme& scheme) {
    const auto coded = lower::WeightCoder(one_.graph, scheme).Of(1);
    return std::accumulate(coded->codes.begin(), coded->codes.end(), 0);
  };
  ASSERT_EQ(sum(one_.scheme), 127);
  EXPECT_TRUE(Run(one_, &rounded_).kept);
  EXPECT_NEAR(sum(rounded_), 127 + 6, GetParam().nearest);
}

TEST_P(WeightSteps, SameForAnyThreadCountAndMemory) {
  quantize::Scheme first, second;
  Run(one_, &first);
  Run(one_, &second, 3, int64_t{1} << 14);  // less than any layer needs
  ASSERT_EQ(first.weights.size(), one_.graph.nodes.size());
  ASSERT_EQ(second.weights.size(), one_.graph.nodes.size());
  for (const size_t n : {0, 1, 3}) {
    ASSERT_EQ(first.weights[n] == nullptr, second.weights[n] == nullptr) << n;
    if (first.weights[n] == nullptr) continue;
    EXPECT_EQ(first.weights[n]->values, second.weights[n]->values) << n;
  }
}

TEST_P(WeightSteps, LeaveFp16AndGivenLayersAlone) {
  one_.scheme.precision[0] = blob::Precision::kFp16;
  graph::GivenByTest::Code(one_.graph, one_.graph.nodes[3].inputs[1], 0.01f);
  Run(one_, &rounded_);
  if (rounded_.weights.empty()) return;
  EXPECT_EQ(rounded_.weights[0], nullptr);
  EXPECT_EQ(rounded_.weights[3], nullptr);
}

TEST_P(WeightSteps, FewSamplesRoundNothing) {
  one_.samples = simulate::SplitSamples(3, 16);
  EXPECT_FALSE(Run(one_, &rounded_).tried);
  EXPECT_TRUE(rounded_.weights.empty());
}

INSTANTIATE_TEST_SUITE_P(Both, WeightSteps,
                         testing::Values(WeightStep{"RoundWeights", RoundWeights, 1},
                                         WeightStep{"AdaptRounding", AdaptRounding, 2}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace octet::recover
