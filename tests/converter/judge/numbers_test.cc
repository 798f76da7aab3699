// Decibels of what no decoder reads.
#include "converter/judge/measure/numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "tests/support/facts.h"

namespace octet::judge {
namespace {

using Values = std::vector<std::vector<float>>;  // by output

void AddNumbers(NumberMeasure* measure, Values fp32, Values plan) {
  Answer expected, actual;
  expected.numbers = std::move(fp32);
  actual.numbers = std::move(plan);
  measure->Add(static_cast<int64_t>(measure->size()), expected, actual);
}

TEST(NumberMeasure, SignalOverErrorAboutTheMean) {
  NumberMeasure measure;
  EXPECT_FALSE(measure.Speaks());
  // About the mean 1001 the signal is 2, the error 0.02.
  AddNumbers(&measure, {{1000, 1002}}, {{1000.1f, 1001.9f}});
  EXPECT_TRUE(measure.Speaks());
  EXPECT_NEAR(measure.Loss(), -20, 0.01);
  // Another sample of the other mean: what varies between samples is signal, too.
  AddNumbers(&measure, {{0, 2}}, {{0, 2}});
  EXPECT_NEAR(measure.Loss(), -10 * std::log10((2 + 2 + 4 * 500.0 * 500.0) / 0.02), 0.01);
  EXPECT_NEAR(measure.LossOf({1, 0}), -20, 0.01) << "the mean is that of the samples weighed";
}

TEST(NumberMeasure, OfTheWorstOutputThatVaries) {
  NumberMeasure measure;
  AddNumbers(&measure, {{-1, 1}, {-1, 1}, {5, 5}}, {{-1.01f, 1.01f}, {-1.1f, 1.1f}, {5, 4}});
  EXPECT_NEAR(measure.Loss(), -20, 0.01);
  EXPECT_EQ(measure.LimitOf(kInt8Losses), -10);
  EXPECT_EQ(measure.LimitOf(kFp16Losses), -30);
}

TEST(NumberMeasure, NumbersThatAreNone) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  NumberMeasure measure;
  // Where FP32 is infinite nothing is measured; where the plan alone is, all is lost.
  AddNumbers(&measure, {{0, kInf, 2, 4}}, {{0, 1, 2, 4}});
  EXPECT_LT(measure.Loss(), -90);
  AddNumbers(&measure, {{0, 0, 2, 4}}, {{0, 0, NAN, kInf}});
  EXPECT_GT(measure.LossOf({0, 1}), -3);
  EXPECT_TRUE(std::isfinite(measure.Loss()));
}

TEST(NumberMeasure, Words) {
  NumberMeasure measure;
  AddNumbers(&measure, {{-1, 1}}, {{-1.1f, 1.1f}});
  test::ExpectFacts(measure.Words(), {"20.0 dB"});
  nlohmann::json row;
  measure.AddJson(&row);
  EXPECT_NEAR(row["db"].get<double>(), 20, 0.01);
}

}  // namespace
}  // namespace octet::judge
