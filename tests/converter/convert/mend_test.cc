// Which layers are proposed for a plan that loses too much.
#include "converter/convert/mend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include "converter/analyze/analyze.h"
#include "tests/converter/convert/search_support.h"
#include "tests/support/facts.h"

namespace octet::convert {
namespace {

using blob::Precision;
using given::Files;
using given::Stages;

// A chain of 24 convolutions, some of them noisy: beside the weight of a channel that is next to
// nothing 8 bits leave little of the others.
class MendTest : public ::testing::Test {
 protected:
  static constexpr size_t kLayers = 24;

  void SetUp() override {
    test::OnnxBuilder model;
    std::mt19937 random(5);
    std::string last = model.Input("x", {1, 4, 6, 6}).name();
    for (size_t layer = 0; layer < kLayers; ++layer) {
      std::vector<float> weights(16);
      for (size_t i = 0; i < weights.size(); ++i) {
        weights[i] = static_cast<float>(random() % 2001) / 1000 - 1;
        if (i / 4 == 3) weights[i] *= 1e-3f;
        if (i % 4 == 3) weights[i] = layer % 2 == 1 ? 40 : 0.3f * weights[i];
      }
      const std::string name = "c" + std::to_string(layer);
      const auto w = model.Initializer(name + "_w", {4, 4, 1, 1}, weights);
      last = model.Node("Conv", {last, w.name()}, {}, {name + "_y"}, name).name();
    }
    model.Output(last);
    files_.Write(model, {1, 4, 6, 6}, [](int64_t sample, size_t number) {
      const float x =
          static_cast<float>((static_cast<size_t>(sample) * 37 + number * 53) % 101) / 50 - 1;
      return number / 36 == 3 ? x * 1e-3f : x;
    });
    ConvertOptions options = files_.Options();
    stages_ = std::make_unique<Stages>(options);
    simulate::Options judging;
    judging.threads = 1;
    simulator_ = std::make_unique<simulate::Simulator>(stages_->calibrated.graph,
                                                       stages_->calibrated.datasets, judging);
    config_ = stages_->prepared.config;
    config_.fp16_tail = false;
  }
  quantize::Scheme Assigned(const quantize::Config& config) const {
    return quantize::AssignScheme(stages_->calibrated.graph, stages_->calibrated.statistics,
                                  config);
  }
  std::vector<Mending> Propose(const quantize::Scheme& scheme) const {
    return ProposeMendings(*simulator_, stages_->calibrated.statistics, config_, scheme,
                           stages_->sets.report);
  }
  static int64_t Fp16Of(const quantize::Scheme& scheme) {
    return std::count(scheme.precision.begin(), scheme.precision.end(), Precision::kFp16);
  }

  Files files_;
  std::unique_ptr<Stages> stages_;
  std::unique_ptr<simulate::Simulator> simulator_;
  quantize::Config config_;
};

TEST_F(MendTest, ProposesMoreAndMoreOfTheNoisiest) {
  const std::vector<Mending> mendings = Propose(Assigned(config_));
  ASSERT_EQ(mendings.size(), 3u);
  int64_t before = 0;
  for (size_t i = 0; i < mendings.size(); ++i) {
    const quantize::Scheme& scheme = mendings[i].candidate.scheme;
    const int64_t moved = Fp16Of(scheme);
    // The layers themselves, and who writes what they read.
    EXPECT_GE(moved, i == 0 ? 4 : 12);
    EXPECT_GT(moved, before);
    before = moved;
    if (i < 2) {
      test::ExpectFacts(mendings[i].candidate.name, {i == 0 ? "4" : "12", "noisiest"});
    }
    // The configuration makes the same.
    EXPECT_EQ(Assigned(mendings[i].config).precision, scheme.precision);
    for (const quantize::Entry& entry : mendings[i].config.measured) {
      EXPECT_EQ(entry.reason, quantize::Reason::kNoisy);
      EXPECT_EQ(entry.measured_with, static_cast<size_t>(moved));
      EXPECT_EQ(scheme.precision[entry.node], Precision::kFp16);
    }
    if (i == 0) continue;
    for (size_t n = 0; n < scheme.precision.size(); ++n) {
      if (mendings[i - 1].candidate.scheme.precision[n] == Precision::kFp16) {
        EXPECT_EQ(scheme.precision[n], Precision::kFp16) << "a larger set has the smaller one";
      }
    }
  }
  // Four of the smallest set add more noise than anybody who is left out.
  const quantize::Scheme& smallest = mendings[0].candidate.scheme;
  std::vector<double> moved;
  double most = 0;
  for (const analyze::LayerFigures& layer :
       analyze::Analyze(*simulator_, stages_->calibrated.statistics, Assigned(config_),
                        stages_->sets.report, {})
           .layers) {
    if (layer.node < 0) continue;
    if (smallest.precision[static_cast<size_t>(layer.node)] == Precision::kFp16) {
      moved.push_back(layer.added);
    } else {
      most = std::max(most, layer.added);
    }
  }
  EXPECT_GE(std::count_if(moved.begin(), moved.end(), [most](double x) { return x > most; }), 4);
  EXPECT_GT(most, 0);
}

// Layers that measuring or the configuration has decided stay.
TEST_F(MendTest, KeepsWhatIsDecided) {
  const size_t output = stages_->Node("c23"), asked = stages_->Node("c1");
  config_.layers.push_back({"c1", Precision::kInt8});
  quantize::Scheme scheme = Assigned(config_);
  scheme.Want({.node = output, .reason = quantize::Reason::kFloatOutput, .gain_db = 9});
  for (const Mending& mending : Propose(scheme)) {
    EXPECT_EQ(mending.candidate.scheme.precision[output], Precision::kFp16);
    ASSERT_NE(mending.candidate.scheme.ledger.Deciding(output), nullptr);
    EXPECT_EQ(mending.candidate.scheme.ledger.Deciding(output)->reason,
              quantize::Reason::kFloatOutput);
    EXPECT_EQ(mending.candidate.scheme.precision[asked], Precision::kInt8);
  }
}

TEST_F(MendTest, NothingWhereAllIsFp16) {
  quantize::Config all = config_;
  all.layers.push_back({"*", Precision::kFp16});
  EXPECT_TRUE(Propose(Assigned(all)).empty());
}

}  // namespace
}  // namespace octet::convert
