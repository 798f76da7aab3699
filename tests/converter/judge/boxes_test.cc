// When boxes of two sides are the same, and when they are too few to judge by.
#include <gtest/gtest.h>

#include "converter/judge/agreement.h"

namespace octet::judge {
namespace {

constexpr auto kDetect = blob::Task::kDetect;

Detection At(float place, float score, uint32_t label = 0) {
  return {place, 0, place + 10, 10, score, label};
}

AnswerAgreement Between(const std::vector<Detection>& fp32, const std::vector<Detection>& plan) {
  AnswerAgreement agreement;
  Answer expected, actual;
  expected.boxes = fp32;
  actual.boxes = plan;
  agreement.Add(kDetect, expected, actual);
  return agreement;
}

// Boxes apart from each other, all with one score.
std::vector<Detection> Row(size_t count, float score) {
  std::vector<Detection> boxes;
  for (size_t i = 0; i < count; ++i) boxes.push_back(At(20 * static_cast<float>(i), score));
  return boxes;
}

TEST(Boxes, OneThatCrossesTheSureScoreByAStepIsThere) {
  std::vector<Detection> fp32 = Row(4, 0.5008f), plan = Row(4, 0.503f);
  plan[0].score = 0.4958f;
  for (const AnswerAgreement& found : {Between(fp32, plan), Between(plan, fp32)}) {
    EXPECT_EQ(found.boxes, 4);
    EXPECT_EQ(found.plan_boxes, 4);
    EXPECT_EQ(found.F1(), 100);
    EXPECT_TRUE(found.Agrees(kDetect, kInt8Limits));
  }
  // Each below it, by itself: nobody is sure.
  EXPECT_FALSE(Between(Row(4, 0.4958f), Row(4, 0.4958f)).Speaks(kDetect));
}

TEST(Boxes, FurtherThanFourStepsIsAnotherScore) {
  const float step = static_cast<float>(kScoreStep);
  EXPECT_EQ(Between(Row(8, 0.5f), Row(8, 0.5f - 4 * step)).plan_boxes, 8);
  const AnswerAgreement lower = Between(Row(8, 0.5f), Row(8, 0.5f - 4.5f * step));
  EXPECT_EQ(lower.plan_boxes, 0);
  EXPECT_EQ(lower.found, 8) << "it is found nevertheless";
  EXPECT_FALSE(lower.Agrees(kDetect, kInt8Limits));
  // Of another class, or elsewhere, it is no box that the other side has.
  EXPECT_EQ(Between({At(0, 0.5f, 1)}, {At(0, 0.495f, 2)}).plan_boxes, 0);
  EXPECT_EQ(Between({At(0, 0.5f)}, {At(4, 0.495f)}).plan_boxes, 0);
}

TEST(Boxes, Fp16HasFinerSteps) {
  AnswerAgreement agreement;
  agreement.same_score = kFp16Limits.same_score;
  Answer expected, actual;
  expected.boxes = Row(8, 0.5f);
  actual.boxes = Row(8, 0.495f);
  agreement.Add(kDetect, expected, actual);
  EXPECT_EQ(agreement.plan_boxes, 0);
}

TEST(Boxes, OneOfFewIsNoJudgement) {
  std::vector<Detection> plan = Row(4, 0.9f);
  const auto one = [&plan] { return Between(Row(4, 0.9f), plan); };
  EXPECT_TRUE(one().AreFew(kDetect));
  EXPECT_TRUE(one().Agrees(kDetect, kInt8Limits));
  for (const Detection& other : {At(4, 0.9f), At(0, 0.3f), At(0, 0.9f, 3)}) {
    plan[0] = other;  // moved, unsure, of another class
    EXPECT_FALSE(one().Agrees(kDetect, kInt8Limits));
    EXPECT_TRUE(one().MissOneOfFew(kDetect));
  }
  plan[1].label = 3;
  EXPECT_FALSE(one().MissOneOfFew(kDetect)) << "two of four";
  EXPECT_FALSE(Between(Row(4, 0.9f), {}).MissOneOfFew(kDetect));
  // Of five one is a fifth, which the limits judge.
  EXPECT_FALSE(Between(Row(5, 0.9f), Row(4, 0.9f)).AreFew(kDetect));
  EXPECT_FALSE(Between(Row(5, 0.9f), Row(3, 0.9f)).Agrees(kDetect, kInt8Limits));
  EXPECT_FALSE(Between({}, {}).AreFew(kDetect)) << "no box says nothing";
}

}  // namespace
}  // namespace octet::judge
