// The share of other first classes.
#include "converter/judge/measure/classes.h"

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
