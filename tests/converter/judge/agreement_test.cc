// Answers of a plan against FP32's: what counts as found, what is summed, how many misses pass.
#include "converter/judge/agreement.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace octet::judge {
namespace {

using blob::Task;

// One row of pixels from x0 to x1.
Detection SureBox(float x0, float x1, float score, uint32_t label = 1) {
  return {x0, 0, x1, 1, score, label};
}

TEST(AllowedMisses, NoneOfFewAndOneAtLeastFromFiveOn) {
  struct Row {
    int64_t count;
    double percent;
    int64_t allowed;
  };
  for (const Row& row : std::vector<Row>{{0, 90, 0},
                                         {4, 50, 0},
                                         {5, 90, 1},
                                         {10, 90, 1},
                                         {11, 90, 2},
                                         {20, 90, 2},
                                         {100, 98, 2},
                                         {101, 98, 3},
                                         {5, 100, 0}}) {
    EXPECT_EQ(AllowedMisses(row.count, row.percent), row.allowed) << row.count;
  }
}

TEST(AnswerAgreement, ABoxIsFoundByClassAndOverlapAtAnyScore) {
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
       {SureBox(8, 9, 0.2f), SureBox(0, 4, 0.9f)},
       1,
       1,
       1,
       1},
      {"one more", {SureBox(0, 4, 0.9f)}, {SureBox(0, 4, 0.9f), SureBox(8, 9, 0.9f)}, 1, 1, 2, 1},
      {"nothing", {}, {}, 0, 0, 0, 0},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    Answer expected, actual;
    expected.boxes = row.expected;
    actual.boxes = row.actual;
    AnswerAgreement sums;
    sums.Add(Task::kDetect, expected, actual);
    EXPECT_EQ(sums.samples, 1);
    EXPECT_EQ(sums.boxes, row.boxes);
    EXPECT_EQ(sums.found, row.found);
    EXPECT_EQ(sums.plan_boxes, row.plan_boxes);
    EXPECT_EQ(sums.plan_found, row.plan_found);
    EXPECT_EQ(sums.Speaks(Task::kDetect), row.boxes + row.plan_boxes > 0);
  }
}

TEST(AnswerAgreement, F1IsOfBothSides) {
  AnswerAgreement sums;
  EXPECT_EQ(sums.F1(), 100) << "nothing is missed where nothing is";
  sums.boxes = 4;
  sums.found = 3;
  sums.plan_boxes = 6;
  sums.plan_found = 2;
  EXPECT_EQ(sums.F1(), 50);
}

TEST(AnswerAgreement, MasksByTheClassesOfTheReference) {
  Answer expected, actual;
  expected.map = {0, 0, 2, 2};
  actual.map = {0, 2, 2, 5};
  AnswerAgreement sums;
  sums.Add(Task::kSegment, expected, actual);
  EXPECT_EQ(sums.expected, (std::vector<int64_t>{2, 0, 2, 0, 0, 0}));
  EXPECT_EQ(sums.both, (std::vector<int64_t>{1, 0, 1, 0, 0, 0}));
  EXPECT_EQ(sums.either, (std::vector<int64_t>{2, 0, 3, 0, 0, 1}));
  EXPECT_DOUBLE_EQ(sums.MeanIou(), (100.0 / 2 + 100.0 / 3) / 2);
  EXPECT_EQ(AnswerAgreement().MeanIou(), 100);
}

TEST(AnswerAgreement, ClassesByTheFirst) {
  AnswerAgreement sums;
  EXPECT_FALSE(sums.Speaks(Task::kClassify)) << "no sample";
  EXPECT_EQ(sums.Top1(), 100);
  Answer one, two;
  one.label = 1;
  two.label = 2;
  sums.Add(Task::kClassify, one, one);
  sums.Add(Task::kClassify, one, two);
  EXPECT_EQ(sums.same_top1, 1);
  EXPECT_EQ(sums.Top1(), 50);
  EXPECT_TRUE(sums.Speaks(Task::kClassify));
  EXPECT_TRUE(sums.Speaks(Task::kSegment));
  EXPECT_FALSE(sums.Speaks(Task::kDetect));
  EXPECT_FALSE(sums.Speaks(Task::kNone));
}

TEST(AnswerAgreement, MergeAddsEverySum) {
  AnswerAgreement a, b;
  a.samples = 1, a.same_top1 = 2, a.boxes = 3, a.found = 4, a.plan_boxes = 5, a.plan_found = 6;
  a.both = {1}, a.either = {2}, a.expected = {3};
  b.samples = 10, b.same_top1 = 20, b.boxes = 30, b.found = 40, b.plan_boxes = 50,
  b.plan_found = 60;
  b.both = {10, 1}, b.either = {20, 2}, b.expected = {30, 3};
  a.Merge(b);
  EXPECT_EQ(a.samples, 11);
  EXPECT_EQ(a.same_top1, 22);
  EXPECT_EQ(a.boxes, 33);
  EXPECT_EQ(a.found, 44);
  EXPECT_EQ(a.plan_boxes, 55);
  EXPECT_EQ(a.plan_found, 66);
  EXPECT_EQ(a.both, (std::vector<int64_t>{11, 1}));
  EXPECT_EQ(a.either, (std::vector<int64_t>{22, 2}));
  EXPECT_EQ(a.expected, (std::vector<int64_t>{33, 3}));
}

// The limits of int8: 90 % of each.
TEST(AnswerAgreement, AgreesToTheLastAllowedMiss) {
  const auto classify = [](int64_t samples, int64_t same) {
    AnswerAgreement sums;
    sums.samples = samples, sums.same_top1 = same;
    return sums.Agrees(Task::kClassify, kInt8Limits);
  };
  EXPECT_TRUE(classify(20, 18));
  EXPECT_FALSE(classify(20, 17));
  EXPECT_FALSE(classify(4, 3));
  const auto detect = [](int64_t boxes, int64_t found, int64_t plan_boxes, int64_t plan_found) {
    AnswerAgreement sums;
    sums.boxes = boxes, sums.found = found;
    sums.plan_boxes = plan_boxes, sums.plan_found = plan_found;
    return sums.Agrees(Task::kDetect, kInt8Limits);
  };
  EXPECT_TRUE(detect(10, 9, 10, 9));
  EXPECT_FALSE(detect(10, 9, 10, 8)) << "three misses of 20";
  EXPECT_TRUE(detect(10, 10, 9, 9));
  EXPECT_FALSE(detect(10, 10, 8, 8)) << "two that the plan is not sure of, of ten";
  EXPECT_FALSE(detect(8, 8, 10, 10)) << "two that FP32 is not sure of";
  const auto segment = [](int64_t both) {
    AnswerAgreement sums;
    sums.expected = {10}, sums.either = {10}, sums.both = {both};
    return sums.Agrees(Task::kSegment, kInt8Limits);
  };
  EXPECT_TRUE(segment(9));
  EXPECT_FALSE(segment(8));
  EXPECT_TRUE(AnswerAgreement().Agrees(Task::kNone, kInt8Limits));
}

}  // namespace
}  // namespace octet::judge
