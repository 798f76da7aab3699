// Which layers write scores, and the number that sets them right.
#include "converter/convert/scores.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/converter/convert/search_support.h"
#include "tests/support/facts.h"

namespace octet::convert {
namespace {

using given::Files;
using given::GivenClock;
using given::Stages;
using test::OnnxBuilder;
using test::OnnxValue;

std::vector<float> Weights(size_t count) {
  std::vector<float> weights;
  for (size_t i = 0; i < count; ++i) {
    weights.push_back((static_cast<float>(i * 37 % 101) / 50 - 1) * 0.05f);
  }
  return weights;
}

// `channels` of sums over squares of 16 pixels, about 0.6 with a deviation of about a half.
OnnxValue Sums(OnnxBuilder* model, const OnnxValue& x, int64_t channels, const std::string& name) {
  const auto count = static_cast<size_t>(channels);
  const OnnxValue w = model->Initializer(name + "_w", {channels, 3, 16, 16}, Weights(count * 768));
  const OnnxValue b = model->Initializer(name + "_b", {channels}, std::vector<float>(count, 0.6f));
  return model->Node("Conv", {x.name(), w.name(), b.name()}, {{"strides", test::Ints({16, 16})}},
                     {}, name);
}

std::vector<std::string> Names(const graph::Graph& graph) {
  std::vector<std::string> names;
  for (const size_t n : ScoreLayers(graph)) names.push_back(graph.nodes[n].name);
  return names;
}

class ScoresTest : public ::testing::Test {
 protected:
  // together: one layer writes boxes and scores, and its Sigmoid is that of both.
  void Make(bool together) {
    OnnxBuilder model;
    const OnnxValue x = model.Input("x", {1, 3, 64, 64}).WithChannels(3);
    std::vector<float> places(4 * 16);
    for (size_t i = 0; i < 16; ++i) {
      places[i] = static_cast<float>(8 + 16 * (i % 4));
      places[16 + i] = static_cast<float>(8 + 16 * (i / 4));
      places[32 + i] = places[48 + i] = 10;
    }
    if (together) {
      std::vector<float> scale(6 * 16, 1), offset(6 * 16);
      std::copy(places.begin(), places.end(), offset.begin());
      std::fill_n(scale.begin(), 64, 4.0f);
      const OnnxValue factors = model.Initializer("factors", {1, 6, 16}, scale);
      const OnnxValue offsets = model.Initializer("offsets", {1, 6, 16}, offset);
      Sums(&model, x, 6, "all")
          .Reshape({1, 6, 16})
          .Op("Sigmoid")
          .Mul(factors)
          .Add(offsets)
          .Output("y");
    } else {
      const OnnxValue little = model.Initializer("little", {1}, std::vector<float>{0.2f});
      const OnnxValue offsets = model.Initializer("places", {1, 4, 16}, places);
      const OnnxValue boxes =
          Sums(&model, x, 4, "box").Op("Tanh").Mul(little).Reshape({1, 4, 16}).Add(offsets);
      const OnnxValue scores = Sums(&model, x, 2, "score").Reshape({1, 2, 16}).Op("Sigmoid");
      model.Output(
          model.Node("Concat", {boxes.name(), scores.name()}, {{"axis", test::Int(1)}}).name());
    }
    files_.Write(model, {1, 3, 64, 64}, [](int64_t sample, size_t number) {
      return static_cast<float>((static_cast<size_t>(sample) * 7919 + number * 104729) % 2001) /
                 1000 -
             1;
    });
    ConvertOptions options = files_.Options();
    options.task = blob::Task::kDetect;
    options.decode = "yolov8";
    stages_ = std::make_unique<Stages>(std::move(options));
    evidence_ = std::make_unique<Evidence>(stages_->calibrated);
    search_ = std::make_unique<Search>(
        evidence_.get(), &clock_, 0.25,
        [this](const quantize::Scheme& scheme) { return stages_->PlanOf(scheme); });
  }
  // With logits that are `more` higher.
  quantize::Scheme Moved(const std::string& layer, size_t channels, float more) const {
    quantize::Scheme scheme = stages_->With({});
    scheme.bias_correction.assign(stages_->calibrated.graph.nodes.size(), {});
    scheme.bias_correction[stages_->Node(layer)].assign(channels, more);
    return scheme;
  }
  const graph::Graph& graph() const { return stages_->calibrated.graph; }

  Files files_;
  GivenClock clock_{10};
  std::unique_ptr<Stages> stages_;
  std::unique_ptr<Evidence> evidence_;
  std::unique_ptr<Search> search_;
};

TEST_F(ScoresTest, ScoresThatRoundingMovedAreSetRight) {
  Make(false);
  EXPECT_EQ(Names(graph()), std::vector<std::string>{"score"});
  for (const float lost : {0.3f, -0.3f}) {
    quantize::Scheme scheme = Moved("score", 2, -lost);
    const double loss = search_->MeasureOf(scheme)->LogitShift();
    EXPECT_NEAR(loss, lost, 0.02);
    CorrectScores(graph(), search_.get(), &scheme);
    ASSERT_EQ(scheme.bias_shift.size(), graph().nodes.size());
    EXPECT_NEAR(scheme.bias_shift[stages_->Node("score")], lost, 0.02);
    EXPECT_EQ(scheme.bias_shift[stages_->Node("box")], 0);
    EXPECT_NEAR(search_->MeasureOf(scheme)->LogitShift(), 0, 0.02);
    ASSERT_FALSE(search_->proposals().empty());
    const judge::Proposal& proposal = search_->proposals().back();
    EXPECT_TRUE(proposal.kept);
    EXPECT_EQ(proposal.time_share, 0);
    test::ExpectFacts(proposal.name, {"biases", "1 layers of scores"});
  }
}

TEST_F(ScoresTest, ALayerInFp16IsShiftedAsWell) {
  Make(false);
  quantize::Scheme scheme = stages_->With({"score"});
  scheme.bias_shift.assign(graph().nodes.size(), 0);
  scheme.bias_shift[stages_->Node("score")] = -0.4f;
  EXPECT_NEAR(search_->MeasureOf(scheme)->LogitShift(), 0.4, 0.01);
}

TEST_F(ScoresTest, NothingIsProposedWhereScoresAreThoseOfFp32) {
  Make(false);
  quantize::Scheme scheme = stages_->With({});
  CorrectScores(graph(), search_.get(), &scheme);
  EXPECT_TRUE(scheme.bias_shift.empty());
  EXPECT_TRUE(search_->proposals().empty());
}

TEST_F(ScoresTest, AResponseIsThatOfAllScores) {
  Make(false);
  const std::vector<size_t> layers = ScoreLayers(graph());
  EXPECT_NEAR(*evidence_->LogitResponse(WithShiftedBiases(graph(), layers, 0.25f)), 0.25, 1e-4);
  EXPECT_NEAR(*evidence_->LogitResponse(graph()), 0, 1e-4);
  // Boxes that move are not answered.
  EXPECT_FALSE(evidence_->LogitResponse(WithShiftedBiases(graph(), {stages_->Node("box")}, 30)));
}

TEST_F(ScoresTest, ALayerThatWritesBoxesTooIsLeftAlone) {
  Make(true);
  quantize::Scheme scheme = Moved("all", 6, -0.3f);
  CorrectScores(graph(), search_.get(), &scheme);
  EXPECT_TRUE(scheme.bias_shift.empty());
  EXPECT_TRUE(search_->proposals().empty());
}

}  // namespace
}  // namespace octet::convert
