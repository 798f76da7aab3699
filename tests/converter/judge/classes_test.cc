// The share of other first classes.
#include "converter/judge/measure/classes.h"

#include "converter/judge/measure/texts.h"

#include <gtest/gtest.h>

#include "tests/support/facts.h"

namespace octet::judge {
namespace {

// Of `all` samples the first `changed` have another class.
ClassMeasure ClassesOf(int64_t changed, int64_t all) {
  ClassMeasure measure;
  for (int64_t i = 0; i < all; ++i) {
    Answer expected, actual;
    expected.label = i % 7;
    actual.label = i < changed ? i % 7 + 1 : i % 7;
    measure.Add(i, expected, actual);
  }
  return measure;
}

TEST(ClassMeasure, PercentOfChangedClasses) {
  const ClassMeasure measure = ClassesOf(3, 20);
  EXPECT_EQ(measure.size(), 20u);
  EXPECT_TRUE(measure.Speaks());
  EXPECT_EQ(measure.Loss(), 15);
  EXPECT_EQ(measure.Agreement(), 85);
  EXPECT_FALSE(measure.IsFew());
  Weights weights(20, 0);
  weights[0] = 1;
  weights[10] = 3;
  EXPECT_EQ(measure.LossOf(weights), 25);
  EXPECT_EQ(measure.LossOf(Weights(20, 0)), 0);
  EXPECT_EQ(measure.LimitOf(kInt8Losses), 10);
  EXPECT_EQ(measure.LimitOf(kFp16Losses), 1);
}

TEST(TextMeasure, PercentOfChangedTexts) {
  TextMeasure measure;
  const std::vector<uint32_t> texts[] = {{1, 2}, {1, 2, 3}, {1}, {2, 1}, {}, {1, 2}};
  for (const std::vector<uint32_t>& text : texts) {
    Answer expected, actual;
    expected.text = {1, 2};
    actual.text = text;
    measure.Add(0, expected, actual);
  }
  EXPECT_NEAR(measure.Loss(), 100 * 4 / 6.0, 1e-9);
  EXPECT_EQ(measure.Certain().low, Wilson(4, 6).low);
  EXPECT_EQ(measure.LimitOf(kInt8Losses), 10);
  test::ExpectFacts(measure.Words(), {"text", "2 of 6"});
  test::ExpectFacts(measure.TableWords(), {"text", "2 of 6"});
  nlohmann::json row;
  measure.AddJson(&row);
  EXPECT_NEAR(row["same_texts"].get<double>(), 100 * 2 / 6.0, 1e-9);
}

TEST(ClassMeasure, NothingIsSaidOfNoSample) {
  EXPECT_FALSE(ClassMeasure().Speaks());
  EXPECT_EQ(ClassMeasure().Loss(), 0);
}

TEST(ClassMeasure, IsAsCertainAsAShare) {
  for (const int64_t changed : {0, 1, 7, 20}) {
    const Interval certain = ClassesOf(changed, 20).Certain(), wilson = Wilson(changed, 20);
    EXPECT_EQ(certain.low, wilson.low);
    EXPECT_EQ(certain.high, wilson.high);
  }
}

TEST(ClassMeasure, Words) {
  const ClassMeasure measure = ClassesOf(3, 20);
  test::ExpectFacts(measure.Words(), {"FP32's first class", "17 of 20"});
  test::ExpectFacts(measure.TableWords(), {"17 of 20"});
  nlohmann::json row;
  measure.AddJson(&row);
  EXPECT_EQ(row["same_top1"], 85);
}

}  // namespace
}  // namespace octet::judge
