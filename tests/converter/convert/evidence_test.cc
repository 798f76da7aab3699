// Whose answers stand for FP32's.
#include "converter/convert/evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tests/converter/convert/search_support.h"

namespace octet::convert {
namespace {

using given::Files;
using given::Stages;

// Of 40 samples 16 are asked of the imported graph at equal distances.
constexpr int64_t kSamples = 40, kOther = 0, kLookedAt = 1;

class EvidenceTest : public ::testing::Test {
 protected:
  EvidenceTest() {
    test::OnnxBuilder model;
    model.Input("x", {1, 3, 8, 8}).Conv({.channels = 4, .kernel = 8}).Flatten().Output("y");
    files_.Write(
        model, {1, 3, 8, 8},
        [](int64_t sample, size_t number) {
          return static_cast<float>((static_cast<size_t>(sample) * 77 + number * 31) % 201) / 100 -
                 1;
        },
        kSamples);
    ConvertOptions options = files_.Options();
    options.task = blob::Task::kClassify;
    stages_ = std::make_unique<Stages>(std::move(options));
  }

  // Percent of the samples whose class FP32 does not share.
  double Loss() const {
    const Evidence evidence(stages_->calibrated);
    return evidence
        .Weigh(stages_->PlanOf(stages_->With({stages_->calibrated.graph.nodes[0].name})))
        ->Loss();
  }
  judge::Answers& Answers() { return stages_->calibrated.answers; }

  Files files_;
  std::unique_ptr<Stages> stages_;
};

TEST_F(EvidenceTest, AnswersOfCalibrationServeWhereTheyAreThoseOfTheImportedGraph) {
  ASSERT_EQ(Answers().size(), static_cast<size_t>(kSamples));
  EXPECT_EQ(Loss(), 0) << "all in FP16";
  Answers()[kOther].label = 9;
  EXPECT_DOUBLE_EQ(Loss(), 100.0 / kSamples);
}

TEST_F(EvidenceTest, TheImportedGraphAnswersAllWhereOneOfThoseComparedDiffers) {
  Answers()[kOther].label = 9;
  Answers()[kLookedAt].label = 9;
  EXPECT_EQ(Loss(), 0);
}

TEST_F(EvidenceTest, TheImportedGraphAnswersWhatCalibrationHasNotRun) {
  Answers().erase(kOther);
  EXPECT_EQ(Loss(), 0);
  Answers().clear();
  EXPECT_EQ(Loss(), 0);
}

// Fewer samples than there are: what calibrates and decides has not got the others at all.
TEST_F(EvidenceTest, UnseenSamplesAreNoneThatDecide) {
  constexpr int64_t kPicked = 8;
  ConvertOptions options = files_.Options();
  options.samples = kPicked;
  const Stages stages(std::move(options));
  const Calibrated& calibrated = stages.calibrated;
  ASSERT_EQ(calibrated.samples, kPicked);
  ASSERT_EQ(calibrated.datasets[0]->size(), kPicked);
  const Evidence evidence(calibrated);
  EXPECT_EQ(evidence.unseen(), 16);
  const std::vector<int64_t>& fresh = evidence.samples().fresh;
  for (int64_t i = 0; i < kPicked; ++i) {
    const int64_t given = calibrated.choice.IndexOfGiven(i);
    EXPECT_FALSE(std::binary_search(fresh.begin(), fresh.end(), given)) << given;
    EXPECT_EQ(calibrated.datasets[0]->Load(i).floats,
              stages_->calibrated.datasets[0]->Load(given).floats);
  }
  EXPECT_GT(calibrated.choice.IndexOfGiven(kPicked - 1), kPicked) << "not merely the first";
}

}  // namespace
}  // namespace octet::convert
