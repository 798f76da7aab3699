// Mean IoU of label maps.
#include "converter/judge/measure/masks.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/support/facts.h"

namespace octet::judge {
namespace {

void AddMaps(MaskMeasure* measure, std::vector<uint8_t> fp32, std::vector<uint8_t> plan) {
  Answer expected, actual;
  expected.map = std::move(fp32);
  actual.map = std::move(plan);
  measure->Add(static_cast<int64_t>(measure->size()), expected, actual);
}

TEST(MaskMeasure, ByTheClassesOfTheReference) {
  MaskMeasure measure;
  EXPECT_FALSE(measure.Speaks());
  AddMaps(&measure, {0, 0, 2, 2}, {0, 2, 2, 5});
  EXPECT_TRUE(measure.Speaks());
  // Class 0: one of two; class 2: one of three; 5 is none of FP32's.
  EXPECT_DOUBLE_EQ(measure.Loss(), 100 - (100.0 / 2 + 100.0 / 3) / 2);
  EXPECT_DOUBLE_EQ(measure.Agreement(), (100.0 / 2 + 100.0 / 3) / 2);
  EXPECT_EQ(measure.LimitOf(kInt8Losses), 10);
  EXPECT_EQ(measure.LimitOf(kFp16Losses), 2);
}

// Pixels are summed before they are divided.
TEST(MaskMeasure, OverSamples) {
  MaskMeasure measure;
  AddMaps(&measure, {1, 1, 1, 1}, {1, 1, 1, 1});
  AddMaps(&measure, {1, 255, 255, 255}, {0, 255, 255, 255});
  EXPECT_EQ(measure.size(), 2u);
  EXPECT_DOUBLE_EQ(measure.Loss(), 100 - (100.0 * 4 / 5 + 100) / 2);
  EXPECT_EQ(measure.LossOf({1, 0}), 0);
  EXPECT_DOUBLE_EQ(measure.LossOf({0, 1}), 50);
  EXPECT_DOUBLE_EQ(measure.LossOf({1, 3}), 100 - (100.0 * 4 / 7 + 100) / 2);
  const Interval certain = measure.Certain();
  EXPECT_EQ(certain.low, 0) << "the first picture twice";
  EXPECT_DOUBLE_EQ(certain.high, 50) << "the second twice";
}

TEST(MaskMeasure, Words) {
  MaskMeasure measure;
  AddMaps(&measure, {1, 1, 1, 1}, {1, 0, 0, 0});
  test::ExpectFacts(measure.Words(), {"masks", "25.0 %"});
  test::ExpectFacts(measure.TableWords(), {"25.0 %"});
  nlohmann::json row;
  measure.AddJson(&row);
  EXPECT_EQ(row["mask_iou"], 25);
}

}  // namespace
}  // namespace octet::judge
