// What is drawn of FP32's scores has the distribution that the header says.
#include "converter/judge/measure/truths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace octet::judge {
namespace {

// Of one score, all in one place: every one is drawn for by itself.
std::vector<Detection> BoxesOf(float score, size_t count) {
  return std::vector<Detection>(count, {200, 100, 260, 140, score, 3});
}

// Of 8000 boxes the standard deviation of a share is 0.006 at most.
constexpr size_t kBoxes = 8000;
constexpr double kNear = 0.025;

TEST(DrawTruths, AsOftenAndAsNearAsTheRootOfTheScore) {
  for (const float score : {0.06f, 0.25f, 0.5f, 0.81f, 0.95f}) {
    SCOPED_TRACE(score);
    const double q = std::sqrt(score), power = q / (1 - q);
    const std::vector<Detection> boxes = BoxesOf(score, kBoxes);
    const Truths truths = DrawTruths(boxes, 3, 0);
    const auto objects = static_cast<double>(truths.boxes.size() + truths.missed);
    EXPECT_NEAR(objects / kBoxes, q, kNear) << "share of boxes with an object";
    // P(u < t) = t^(q / (1 - q)), also for those that are too far away to be found.
    EXPECT_NEAR(static_cast<double>(truths.missed) / objects, std::pow(kLeastOverlap, power),
                kNear);
    double sum = 0, below = 0;
    for (const Detection& truth : truths.boxes) {
      const double overlap = BoxOverlap(boxes[0], truth);
      EXPECT_GE(overlap, kLeastOverlap - 1e-3);
      EXPECT_EQ(truth.label, boxes[0].label);
      sum += overlap;
      below += overlap < 0.75;
    }
    const auto missed = static_cast<double>(truths.missed);
    EXPECT_NEAR((below + missed) / objects, std::pow(0.75, power), kNear);
    // The mean of those below t is q t.
    EXPECT_NEAR((sum + missed * q * kLeastOverlap) / objects, q, kNear) << "mean IoU";
  }
}

TEST(DrawTruths, LieOnAllSides) {
  const std::vector<Detection> boxes = BoxesOf(0.5f, 2000);
  double left = 0, up = 0, wider = 0, higher = 0, all = 0;
  for (const Detection& truth : DrawTruths(boxes, 0, 0).boxes) {
    left += truth.x0 + truth.x1 < 460;
    up += truth.y0 + truth.y1 < 240;
    wider += truth.x1 - truth.x0 > 60;
    higher += truth.y1 - truth.y0 > 40;
    ++all;
  }
  ASSERT_GT(all, 1000);
  for (const double side : {left, up, wider, higher}) EXPECT_NEAR(side / all, 0.5, 0.07);
}

TEST(DrawTruths, CertainAndImpossibleBoxes) {
  const std::vector<Detection> sure = BoxesOf(1, 50);
  for (size_t draw = 0; draw < kDraws; ++draw) {
    const Truths truths = DrawTruths(sure, 1, draw);
    ASSERT_EQ(truths.boxes.size(), sure.size());
    EXPECT_EQ(truths.missed, 0u);
    for (size_t i = 0; i < sure.size(); ++i) {
      EXPECT_NEAR(BoxOverlap(truths.boxes[i], sure[i]), 1, 1e-4);
    }
  }
  const Truths none = DrawTruths(BoxesOf(0, 50), 1, 0);
  EXPECT_EQ(none.boxes.size() + none.missed, 0u);
  EXPECT_TRUE(DrawTruths({}, 1, 0).boxes.empty());
}

bool SameBoxes(const Truths& a, const Truths& b) {
  return a.missed == b.missed &&
         std::equal(a.boxes.begin(), a.boxes.end(), b.boxes.begin(), b.boxes.end(),
                    [](const Detection& one, const Detection& other) {
                      return one.x0 == other.x0 && one.x1 == other.x1 && one.y0 == other.y0 &&
                             one.y1 == other.y1 && one.label == other.label;
                    });
}

TEST(DrawTruths, HangOnSampleAndDrawAlone) {
  const std::vector<Detection> boxes = BoxesOf(0.5f, 30);
  EXPECT_TRUE(SameBoxes(DrawTruths(boxes, 4, 2), DrawTruths(boxes, 4, 2)));
  EXPECT_FALSE(SameBoxes(DrawTruths(boxes, 4, 2), DrawTruths(boxes, 4, 3)));
  EXPECT_FALSE(SameBoxes(DrawTruths(boxes, 4, 2), DrawTruths(boxes, 5, 2)));
  EXPECT_FALSE(SameBoxes(DrawTruths(boxes, 4, 7), DrawTruths(boxes, 5, 0)));
  // What is drawn for a box does not hang on how much was drawn for those before it.
  std::vector<Detection> other = boxes;
  other[0].score = 0;
  const Truths all = DrawTruths(boxes, 4, 2), others = DrawTruths(other, 4, 2);
  for (const Detection& truth : others.boxes) {
    EXPECT_TRUE(std::any_of(all.boxes.begin(), all.boxes.end(), [&truth](const Detection& same) {
      return same.x0 == truth.x0 && same.y1 == truth.y1;
    }));
  }
}

}  // namespace
}  // namespace octet::judge
