// Boxes of a plan against FP32's: what counts as found, when they are too few, and what is lost.
#include "converter/judge/measure/boxes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "converter/judge/measure/random.h"
#include "tests/support/facts.h"

namespace octet::judge {
namespace {

using test::ExpectFacts;

// One row of pixels from x0 to x1.
Detection SureBox(float x0, float x1, float score, uint32_t label = 1) {
  return {x0, 0, x1, 1, score, label};
}

Detection At(float place, float score, uint32_t label = 0) {
  return {place, 0, place + 10, 10, score, label};
}

// Boxes apart from each other, all with one score.
std::vector<Detection> RowOf(size_t count, float score) {
  std::vector<Detection> boxes;
  for (size_t i = 0; i < count; ++i) boxes.push_back(At(20 * static_cast<float>(i), score));
  return boxes;
}

void AddBoxes(BoxMeasure* measure, int64_t sample, const std::vector<Detection>& fp32,
              const std::vector<Detection>& plan) {
  Answer expected, actual;
  expected.boxes = fp32;
  actual.boxes = plan;
  measure->Add(sample, expected, actual);
}

BoxMeasure Between(const std::vector<Detection>& fp32, const std::vector<Detection>& plan,
                   double sure_score = kSureScore) {
  BoxMeasure measure(sure_score);
  AddBoxes(&measure, 0, fp32, plan);
  return measure;
}

TEST(BoxMeasure, ABoxIsFoundByClassAndOverlapAtAnyScore) {
  struct Row {
    const char* what;
    std::vector<Detection> expected, actual;
    int64_t boxes, found, plan_boxes, plan_found;
  };
  const std::vector<Row> rows = {
      {"the least sure score", {SureBox(0, 4, 0.5f)}, {SureBox(0, 4, 0.5f)}, 1, 1, 1, 1},
      {"unsure on both sides", {SureBox(0, 4, 0.49f)}, {SureBox(0, 4, 0.49f)}, 0, 0, 0, 0},
      {"found at a low score", {SureBox(0, 4, 0.9f)}, {SureBox(0, 4, 0.1f)}, 1, 1, 0, 0},
      {"the plan alone is sure", {SureBox(0, 4, 0.1f)}, {SureBox(0, 4, 0.9f)}, 0, 0, 1, 1},
      {"the least overlap", {SureBox(0, 4, 0.9f)}, {SureBox(0, 3, 0.9f)}, 1, 1, 1, 1},
      {"less overlap", {SureBox(0, 100, 0.9f)}, {SureBox(0, 74, 0.9f)}, 1, 0, 1, 0},
      {"another class", {SureBox(0, 4, 0.9f, 1)}, {SureBox(0, 4, 0.9f, 2)}, 1, 0, 1, 0},
      {"the second of two",
       {SureBox(0, 4, 0.9f)},
       {SureBox(0, 4, 0.9f), SureBox(8, 9, 0.2f)},
       1,
       1,
       1,
       1},
      {"one more", {SureBox(0, 4, 0.9f)}, {SureBox(0, 4, 0.9f), SureBox(8, 9, 0.9f)}, 1, 1, 2, 1},
      {"nothing", {}, {}, 0, 0, 0, 0},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    const BoxMeasure measure = Between(row.expected, row.actual);
    EXPECT_EQ(measure.size(), 1u);
    EXPECT_EQ(measure.confident().boxes, row.boxes);
    EXPECT_EQ(measure.confident().found, row.found);
    EXPECT_EQ(measure.confident().plan_boxes, row.plan_boxes);
    EXPECT_EQ(measure.confident().plan_found, row.plan_found);
    EXPECT_EQ(measure.Speaks(), row.boxes + row.plan_boxes > 0);
  }
}

TEST(BoxMeasure, F1IsOfBothSides) {
  ConfidentBoxes boxes;
  EXPECT_EQ(boxes.F1(), 100) << "nothing is missed where nothing is";
  boxes.boxes = 4;
  boxes.found = 3;
  boxes.plan_boxes = 6;
  boxes.plan_found = 2;
  EXPECT_EQ(boxes.F1(), 50);
  EXPECT_EQ(Between({At(0, 0.9f), At(20, 0.9f)}, {At(0, 0.9f)}).Agreement(), 100 * 2.0 / 3);
}

TEST(BoxMeasure, OneThatCrossesTheSureScoreByAStepIsThere) {
  std::vector<Detection> fp32 = RowOf(4, 0.5008f), plan = RowOf(4, 0.503f);
  plan[0].score = 0.4958f;
  for (const BoxMeasure& measure : {Between(fp32, plan), Between(plan, fp32)}) {
    EXPECT_EQ(measure.confident().boxes, 4);
    EXPECT_EQ(measure.confident().plan_boxes, 4);
    EXPECT_EQ(measure.Agreement(), 100);
  }
  // Each below it, by itself: nobody is sure.
  EXPECT_FALSE(Between(RowOf(4, 0.4958f), RowOf(4, 0.4958f)).Speaks());
}

TEST(BoxMeasure, FurtherThanFourStepsIsAnotherScore) {
  constexpr float kStep = 1.0f / 256;
  EXPECT_EQ(Between(RowOf(8, 0.5f), RowOf(8, 0.5f - 4 * kStep)).confident().plan_boxes, 8);
  const BoxMeasure lower = Between(RowOf(8, 0.5f), RowOf(8, 0.5f - 4.5f * kStep));
  EXPECT_EQ(lower.confident().plan_boxes, 0);
  EXPECT_EQ(lower.confident().found, 8) << "it is found nevertheless";
  // Of another class, or elsewhere, it is no box that the other side has.
  EXPECT_EQ(Between({At(0, 0.5f, 1)}, {At(0, 0.495f, 2)}).confident().plan_boxes, 0);
  EXPECT_EQ(Between({At(0, 0.5f)}, {At(4, 0.495f)}).confident().plan_boxes, 0);
}

TEST(BoxMeasure, TheSureScoreIsTheDecoders) {
  EXPECT_EQ(Between(RowOf(2, 0.6f), RowOf(2, 0.6f), 0.7).confident().boxes, 0);
  EXPECT_EQ(Between(RowOf(2, 0.7f), RowOf(2, 0.7f), 0.7f).confident().boxes, 2);
}

TEST(BoxMeasure, ScoresShiftByPairsOfTheSameBox) {
  // The best of the plan's boxes there; none of the third.
  const BoxMeasure measure =
      Between({At(0, 0.9f), At(20, 0.6f), At(40, 0.8f), At(60, 0.3f)},
              {At(0, 0.85f), At(20, 0.5f), At(20, 0.4f), At(80, 0.9f), At(60, 0.1f)});
  EXPECT_EQ(measure.confident().pairs, 2);
  EXPECT_NEAR(measure.confident().MeanShift(), -0.075, 1e-6);
  EXPECT_EQ(Between({}, {}).confident().MeanShift(), 0);
}

// mAP stays where all scores fall alike: the price does not.
TEST(BoxMeasure, ThePriceCountsScoresOfSureBoxesOfTheSamplesWeighed) {
  BoxMeasure measure(kSureScore);
  AddBoxes(&measure, 0, RowOf(4, 0.8f), RowOf(4, 0.8f));
  AddBoxes(&measure, 1, RowOf(4, 0.8f), RowOf(4, 0.72f));
  AddBoxes(&measure, 2, RowOf(4, 0.3f), RowOf(4, 0.2f));  // FP32 is not sure of these
  const auto price = [&measure](const Weights& weights) {
    return measure.PriceOf(weights) - measure.LossOf(weights);
  };
  EXPECT_NEAR(price({1, 0, 1}), 0, 1e-9);
  EXPECT_NEAR(price({0, 1, 0}), 1, 1e-5) << "a tenth lower weighs like a point";
  EXPECT_NEAR(price({1, 1, 1}), 0.5, 1e-5);
  EXPECT_NEAR(price({0, 0, 1}), 0, 1e-9);
  EXPECT_NEAR(ShiftedScore(0.72, Between(RowOf(4, 0.8f), RowOf(4, 0.72f)).LogitShift()), 0.8, 1e-5);
}

TEST(BoxMeasure, FourBoxesAreFew) {
  EXPECT_TRUE(Between(RowOf(4, 0.9f), RowOf(4, 0.9f)).IsFew());
  EXPECT_FALSE(Between(RowOf(5, 0.9f), RowOf(4, 0.9f)).IsFew());
  EXPECT_FALSE(Between(RowOf(4, 0.9f), RowOf(5, 0.9f)).IsFew());
}

// 30 pictures of up to 12 boxes of 640 x 640, as a detector gives them: few of them sure.
std::vector<std::vector<Detection>> Scenes() {
  Random random(11);
  std::vector<std::vector<Detection>> scenes(30);
  for (std::vector<Detection>& boxes : scenes) {
    const size_t count = random.Below(13);
    for (size_t i = 0; i < count; ++i) {
      const auto number = [&random](double least, double most) {
        return static_cast<float>(least + (most - least) * random.Share());
      };
      Detection box{number(0, 500), number(0, 500), 0, 0, 0, 0};
      box.x1 = box.x0 + number(20, 140);
      box.y1 = box.y0 + number(20, 140);
      box.score = number(0.05, 0.95);
      box.label = static_cast<uint32_t>(random.Below(4));
      boxes.push_back(box);
    }
    std::sort(boxes.begin(), boxes.end(),
              [](const Detection& a, const Detection& b) { return a.score > b.score; });
  }
  return scenes;
}

// Of a plan that changes boxes so.
template <typename Change>
BoxMeasure Changed(const Change& change) {
  BoxMeasure measure(kSureScore);
  Random random(5);
  int64_t sample = 0;
  for (const std::vector<Detection>& fp32 : Scenes()) {
    std::vector<Detection> plan = fp32;
    for (Detection& box : plan) change(&box, &random);
    std::sort(plan.begin(), plan.end(),
              [](const Detection& a, const Detection& b) { return a.score > b.score; });
    AddBoxes(&measure, sample++, fp32, plan);
  }
  return measure;
}

// Each side moved by up to so many pixels; or the box as a whole, always by as many.
BoxMeasure Noisy(float pixels) {
  return Changed([pixels](Detection* box, Random* random) {
    for (float* side : {&box->x0, &box->y0, &box->x1, &box->y1}) {
      *side += pixels * static_cast<float>(2 * random->Share() - 1);
    }
  });
}
BoxMeasure Shifted(float pixels) {
  return Changed([pixels](Detection* box, Random*) {
    for (float* side : {&box->x0, &box->y0, &box->x1, &box->y1}) *side += pixels;
  });
}

// A step of 8 bits is 2.5 of 640 pixels.
TEST(BoxMeasure, LosesMoreTheFurtherBoxesMove) {
  constexpr float kStep = 640.0f / 256;
  const BoxMeasure same = Noisy(0), noise = Noisy(kStep / 2);
  EXPECT_EQ(same.Loss(), 0);
  EXPECT_EQ(same.Certain().low, 0);
  EXPECT_EQ(same.Certain().high, 0);
  EXPECT_GT(noise.Loss(), -1);
  EXPECT_LT(noise.Loss(), kInt8Losses.map_points) << "rounding alone is allowed";
  double before = std::max(0.0, noise.Loss());
  for (const float steps : {1, 2, 4, 8}) {
    const double loss = Shifted(steps * kStep).Loss();
    EXPECT_GT(loss, before) << steps;
    before = loss;
  }
  EXPECT_GT(before, 10);
  const Interval certain = Shifted(4 * kStep).Certain();
  EXPECT_GT(certain.low, kInt8Losses.map_points);
  EXPECT_LT(certain.low, certain.high);
}

// Places are right; what is wrong is who comes first, and of which class.
TEST(BoxMeasure, LosesByScoresAndClasses) {
  const double monotone = Changed([](Detection* box, Random*) { box->score *= 0.8f; }).Loss();
  EXPECT_EQ(monotone, 0) << "the order is the same";
  const double shuffled = Changed([](Detection* box, Random* random) {
                            box->score = static_cast<float>(random->Share());
                          }).Loss();
  EXPECT_GT(shuffled, 2);
  const double classes = Changed([](Detection* box, Random*) { box->label += 1; }).Loss();
  EXPECT_GT(classes, shuffled) << "no box is right any more";
  const BoxMeasure none = Changed([](Detection* box, Random*) { box->x1 = box->x0; });
  EXPECT_NEAR(none.Loss(), classes, 1e-9) << "all that FP32 has";
}

// A weight is how often the sample is there.
TEST(BoxMeasure, WeightsAreCopies) {
  const std::vector<std::vector<Detection>> scenes = Scenes();
  BoxMeasure once(kSureScore), often(kSureScore);
  Weights weights;
  for (size_t i = 0; i < scenes.size(); ++i) {
    std::vector<Detection> plan = scenes[i];
    for (Detection& box : plan) box.x0 += static_cast<float>(i % 9), box.score *= 0.9f;
    AddBoxes(&once, static_cast<int64_t>(i), scenes[i], plan);
    weights.push_back(static_cast<double>(i % 3));
    for (size_t copy = 0; copy < i % 3; ++copy) {
      AddBoxes(&often, static_cast<int64_t>(i), scenes[i], plan);
    }
  }
  EXPECT_NEAR(once.LossOf(weights), often.Loss(), 1e-9);
  EXPECT_GT(often.Loss(), 0);
}

TEST(BoxMeasure, Words) {
  BoxMeasure measure = Between({At(0, 0.9f), At(20, 0.9f), At(40, 0.9f)}, {At(0, 0.9f)});
  ExpectFacts(measure.Words(), {"1", "3", "1", "1", "F1 50.0 %"});
  ExpectFacts(measure.TableWords(), {"boxes", "-", "mAP", "1 of 3", "FP32", "1", "plan's 1"});
  nlohmann::json row;
  measure.AddJson(&row);
  EXPECT_EQ(row["boxes"], 3);
  EXPECT_EQ(row["boxes_found"], 1);
  EXPECT_EQ(row["plan_boxes"], 1);
  EXPECT_EQ(row["plan_boxes_found"], 1);
  EXPECT_EQ(row["f1"], 50);
  EXPECT_EQ(row["score_shift"], 0);
  // As many on both sides: one number says it.
  measure = Between(RowOf(2, 0.9f), RowOf(2, 0.9f));
  ExpectFacts(measure.TableWords(), {"+0.0 mAP", "2 of 2 found"});
  EXPECT_EQ(measure.TableWords().find(';'), std::string::npos);
}

}  // namespace
}  // namespace octet::judge
