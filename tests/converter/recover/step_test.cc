// Which of several variants a step keeps, and when none.
#include "converter/recover/step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "converter/operators/operator.h"

namespace octet::recover {
namespace {

using graph::Tensor;

constexpr size_t kResult = 1;  // the value that schemes differ in

class Pictures : public images::Dataset {
 public:
  int64_t size() const override { return 64; }
  Tensor Load(int64_t i) const override {
    std::mt19937 random(static_cast<uint32_t>(i));
    std::vector<float> values(16);
    for (float& v : values) v = static_cast<float>(random() % 2001) / 1000 - 1;
    return Tensor::Floats({1, 4, 2, 2}, std::move(values));
  }
};

// One layer, and schemes that differ in the range of its result: 2^i times as wide as it has to be.
struct Case {
  graph::Graph graph;
  Pictures pictures;
  std::vector<quantize::Scheme> schemes;
  simulate::Samples samples;

  explicit Case(int64_t samples_used) : samples(simulate::SplitSamples(64, samples_used)) {
    const auto value = [&](const char* name) {
      return graph.AddValue({name, graph::DataType::kFloat, graph::Shape{1, 4, 2, 2}, {}, {}});
    };
    const auto x = value("x"), y = value("y");
    std::vector<float> weights(16);
    for (size_t i = 0; i < 4; ++i) weights[5 * i] = 1;
    graph::Node conv;
    conv.op = conv.name = "Conv";
    conv.inputs = {x, graph.AddConstant("w", Tensor::Floats({4, 4, 1, 1}, weights))};
    conv.outputs = {y};
    graph.nodes = {conv};
    graph.inputs = {x};
    graph.outputs = {y};
    operators::InferShapes(graph);
    for (int i = 0; i < 3; ++i) {
      quantize::Scheme& scheme = schemes.emplace_back();
      scheme.tensors.resize(graph.values.size());
      scheme.tensors[static_cast<size_t>(x)] = quantize::Affine(-1, 1, false);
      const auto width = static_cast<float>(1 << i);
      scheme.tensors[kResult] = quantize::Affine(-width, width, false);
      scheme.precision = {blob::Precision::kInt8};
      scheme.bias_correction.resize(1);
    }
  }
};

// Losses that a test makes up: of the answers, and in decibels.
simulate::Scores Made(const std::vector<double>& losses, const std::vector<double>& decibels) {
  simulate::Scores scores;
  scores.judged = true;
  for (size_t i = 0; i < losses.size(); ++i) {
    simulate::Score& score = scores.pictures.emplace_back();
    score.agreement = 1 - losses[i];
    score.pieces = {{1, std::pow(10, -decibels[i] / 10)}};
  }
  return scores;
}

// What is kept of variants with these scores, all against losses of 0.5 and 20 dB: the number of
// the scheme, 0 for none.
size_t Kept(const std::vector<simulate::Scores>& scores) {
  Case one(64);
  const simulate::Simulator simulator(one.graph, {&one.pictures}, {});
  const size_t count = scores[0].pictures.size();
  const simulate::Scores base =
      Made(std::vector<double>(count, 0.5), std::vector<double>(count, 20));
  const std::vector<quantize::Scheme> variants(
      one.schemes.begin() + 1, one.schemes.begin() + 1 + static_cast<int64_t>(scores.size()));
  quantize::Scheme scheme = one.schemes[0];
  Step step("test");
  step.Decide(simulator, one.samples, base, scores, variants, {}, &scheme);
  EXPECT_TRUE(step.tried);
  for (size_t i = 0; i < one.schemes.size(); ++i) {
    if (scheme.tensors[kResult]->scale == one.schemes[i].tensors[kResult]->scale) {
      EXPECT_EQ(step.kept, i != 0);
      return i;
    }
  }
  return 100;
}

TEST(Step, AGainThatPicturesDoNotAgreeOnIsLuck) {
  // Mean 0.1, error 0.09: above one standard error, and luck in one case of six.
  EXPECT_EQ(Kept({Made({0.2, 0.6, 0.3, 0.5}, {20, 20, 20, 20})}), 0u);
  EXPECT_EQ(Kept({Made({0.4, 0.39, 0.41, 0.4}, {20, 20, 20, 20})}), 1u);
  // Of one picture nothing is known.
  EXPECT_EQ(Kept({Made({0.1}, {40})}), 0u);
}

TEST(Step, NumbersMayTellWhatAnswersDoNot) {
  EXPECT_EQ(Kept({Made({0.2, 0.6, 0.3, 0.5}, {22, 22.1, 22, 21.9})}), 1u);
  EXPECT_EQ(Kept({Made({0.5, 0.5, 0.5, 0.5}, {22, 22.1, 22, 21.9})}), 1u);
}

TEST(Step, NeitherMayFallByMoreThanItsError) {
  EXPECT_EQ(Kept({Made({0.6, 0.51, 0.56, 0.5}, {22, 22.1, 22, 21.9})}), 0u);
  EXPECT_EQ(Kept({Made({0.4, 0.39, 0.41, 0.4}, {19, 19.5, 19.8, 20})}), 0u);
  // A mean of -0.02 with an error of 0.03 denies nothing.
  EXPECT_EQ(Kept({Made({0.6, 0.51, 0.48, 0.5}, {22, 22.1, 22, 21.9})}), 1u);
}

// t = 6.28 of four pictures: luck in 0.4 % of the cases for each that is tried.
TEST(Step, TheMoreAreTriedTheMoreHasToBeGained) {
  const simulate::Scores close = Made({0.41, 0.455, 0.4, 0.43}, {20, 20, 20, 20}),
                         useless = Made({0.5, 0.5, 0.5, 0.5}, {20, 20, 20, 20});
  EXPECT_EQ(Kept({close}), 1u);
  EXPECT_EQ(Kept({useless, close}), 0u);
}

TEST(Step, OfThoseThatGainTheBest) {
  const simulate::Scores good = Made({0.4, 0.401, 0.399, 0.4}, {20, 20, 20, 20}),
                         better = Made({0.3, 0.301, 0.299, 0.3}, {20, 20, 20, 20}),
                         clearer = Made({0.4, 0.401, 0.399, 0.4}, {21, 21, 21, 21});
  EXPECT_EQ(Kept({good, better}), 2u);
  EXPECT_EQ(Kept({better, good}), 1u);
  EXPECT_EQ(Kept({good, clearer}), 2u);
}

// With nothing but luck, about as many are kept as the level says: a coarser scheme against itself
// with other pictures' errors has no gain in the mean.
TEST(Step, LuckIsRarelyKept) {
  std::mt19937 random(3);
  int kept = 0;
  constexpr int kTrials = 400;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> losses, decibels;
    for (int i = 0; i < 8; ++i) {
      const double luck = static_cast<double>(random() % 2001) / 1000 - 1;
      losses.push_back(0.5 + 0.1 * luck);
      decibels.push_back(20 - luck);
    }
    kept += Kept({Made(losses, decibels)}) != 0;
  }
  // 5 % shared by two measures which say the same here: 2.5 %, 10 of 400; three deviations more.
  EXPECT_LE(kept, 20);
}

}  // namespace
}  // namespace octet::recover
