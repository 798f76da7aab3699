// Masks and key points of boxes, box by box.
#include "converter/judge/measure/parts.h"

#include <gtest/gtest.h>

#include "tests/support/facts.h"

namespace octet::judge {
namespace {

TEST(MeanLoss, IsAsCertainAsItsNumbersAreAlike) {
  MeanLoss loss;
  EXPECT_EQ(loss.Mean(), 0);
  loss.Add(4);
  EXPECT_EQ(loss.Certain().low, 0) << "one box says nothing";
  EXPECT_EQ(loss.Certain().high, 100);
  loss.Add(6);
  // The standard error of 4 and 6 is 1.
  EXPECT_EQ(loss.Mean(), 5);
  EXPECT_NEAR(loss.Certain().low, 5 - kNormal95, 1e-9);
  EXPECT_NEAR(loss.Certain().high, 5 + kNormal95, 1e-9);
}

// A box of 20 x 5, so that its size is 10.
constexpr Detection kBox = {0, 0, 20, 5, 0.9f, 0};

Part PointsAt(float x, float y) {
  Part part;
  part.points.resize(2);
  for (auto& point : part.points) point.x = x, point.y = y;
  return part;
}

TEST(PartMeasure, PointsByTheSizeOfTheBox) {
  PartMeasure measure;
  EXPECT_FALSE(measure.Misses(0, 0));
  EXPECT_FALSE(measure.IsNear(0, 0)) << "there are none";
  EXPECT_EQ(measure.Words(), "");
  for (int i = 0; i < 3; ++i) measure.Add(PointsAt(2, 2), PointsAt(2.3f, 2.4f), kBox);
  // Half a pixel of ten each: certain.
  test::ExpectFacts(measure.Words(), {"points", "5.0 %"});
  EXPECT_TRUE(measure.Misses(100, 4.9));
  EXPECT_FALSE(measure.Misses(100, 5.1));
  EXPECT_TRUE(measure.IsNear(100, 4.9));
  EXPECT_FALSE(measure.IsNear(100, 5.1));
  nlohmann::json row;
  measure.AddJson(&row);
  EXPECT_NEAR(row["point_distance_percent"].get<double>(), 5, 1e-5);
  EXPECT_FALSE(row.contains("mask_loss_percent"));
}

TEST(PartMeasure, MasksByTheirOverlap) {
  PartMeasure measure;
  Part exact, plan;
  exact.mask = {1, 1, 1, 1, 0};
  plan.mask = {1, 1, 1, 0, 0};
  for (int i = 0; i < 3; ++i) measure.Add(exact, plan, kBox);
  test::ExpectFacts(measure.Words(), {"masks", "75.0 %"});
  EXPECT_TRUE(measure.Misses(24.9, 100));
  EXPECT_FALSE(measure.Misses(25.1, 100));
  // Where both are empty there is nothing to overlap.
  exact.mask.assign(5, 0);
  measure.Add(exact, exact, kBox);
  nlohmann::json row;
  measure.AddJson(&row);
  EXPECT_EQ(row["mask_loss_percent"], 25);
}

// What only one side has, and a box without an area, tell nothing.
TEST(PartMeasure, OfBothSidesAlone) {
  PartMeasure measure;
  Part exact = PointsAt(2, 2), plan = PointsAt(2, 3);
  measure.Add(exact, plan, {5, 0, 5, 5, 0.9f, 0});
  exact.mask = {1, 1};
  plan.points.pop_back();
  measure.Add(exact, plan, kBox);
  plan.mask = {1};
  plan.points.clear();
  measure.Add(exact, plan, kBox);
  plan.mask = exact.mask = {0, 0};
  measure.Add(exact, plan, kBox);
  EXPECT_EQ(measure.Words(), "");
}

}  // namespace
}  // namespace octet::judge
