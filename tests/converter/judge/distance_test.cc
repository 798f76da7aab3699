// What the judge measures, by small cases whose figures are known.
#include "converter/judge/distance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "converter/judge/difference.h"

namespace octet::judge {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Figures Of(const std::vector<std::vector<float>>& reference,
           const std::vector<std::vector<float>>& plan, double step = 0) {
  Distance distance(reference[0].size(), {}, {step}, 1);
  for (size_t s = 0; s < reference.size(); ++s) {
    distance.AddReference(reference[s]);
    distance.AddPlan(0, reference[s], plan[s]);
  }
  return distance.Whole(0);
}

TEST(Distance, AboutTheMean) {
  // Sum of squares about 1002: 2; error: 0.02.
  const Figures figures = Of({{1001, 1003}}, {{1001.1f, 1003.1f}});
  EXPECT_NEAR(figures.about_mean_db, 20, 0.01);
  EXPECT_FALSE(figures.about_elements_db);
  EXPECT_NEAR(figures.largest, 0.1, 1e-4);
  EXPECT_EQ(figures.range, 2);
}

TEST(Distance, CosineAndMeanError) {
  EXPECT_NEAR(Of({{3, 4}}, {{4, 3}}).cosine, 24.0 / 25, 1e-12);
  EXPECT_EQ(Of({{3, 4}}, {{4, 3}}).rms_error, 1);
  // Over all samples together, whatever their sizes.
  const Figures figures = Of({{1, 2}, {2, 4}}, {{2, 1}, {4, -2}});
  EXPECT_NEAR(figures.cosine, 4.0 / 25, 1e-12);
  EXPECT_NEAR(figures.rms_error, std::sqrt((1.0 + 1 + 4 + 36) / 4), 1e-12);
  EXPECT_EQ(figures.largest, 6);
  EXPECT_EQ(Of({{3, 4}}, {{0, 0}}).cosine, 0) << "nothing points anywhere";
  EXPECT_EQ(Of({{3, 4}}, {{3, 4}}).cosine, 1) << "no error";
}

// A constant part of a million times what varies drowns nothing.
TEST(Distance, LargeConstantPart) {
  std::vector<std::vector<float>> reference, plan;
  for (int s = 0; s < 4; ++s) {
    reference.push_back({4096 + 0.25f * static_cast<float>(s)});
    plan.push_back({4096 + 0.25f * static_cast<float>(s) + 0.0625f});
  }
  // 0.0625 * (1.25 * 4) of signal, 4 / 256 of error.
  EXPECT_NEAR(Of(reference, plan).about_mean_db, 10 * std::log10(0.3125 / (4.0 / 256)), 1e-6);
}

// A plan that says the same of every picture is near the mean of each element.
TEST(Distance, AboutElementsFromEightSamplesOn) {
  for (const int samples : {7, 8}) {
    std::vector<std::vector<float>> reference, plan;
    for (int s = 0; s < samples; ++s) {
      const float sign = s % 2 == 0 ? 1.0f : -1.0f;
      reference.push_back({100 + sign, sign});
      plan.push_back({100, 0});
    }
    const Figures figures = Of(reference, plan);
    EXPECT_GT(figures.about_mean_db, 30);
    ASSERT_EQ(figures.about_elements_db.has_value(), samples == 8);
    EXPECT_NEAR(figures.Db(), samples == 8 ? 0 : figures.about_mean_db, 0.01);
  }
}

// What is the same in every sample says nothing about its elements, zeros neither.
TEST(Distance, AboutElementsThatNeverVaryNothingIsKnown) {
  for (const float value : {0.0f, 3.0f}) {
    const std::vector<std::vector<float>> reference(8, {value, -value}), plan(8, {value, 0.5f});
    const Figures figures = Of(reference, plan);
    EXPECT_FALSE(figures.about_elements_db) << value;
    EXPECT_EQ(figures.Db(), figures.about_mean_db) << value;
  }
}

TEST(Distance, NoNumberIsTheWorst) {
  for (const float broken : {std::nanf(""), kInfinity, -kInfinity}) {
    const Figures figures = Of({{1, 2, 3}}, {{1, broken, 3}});
    EXPECT_EQ(figures.broken, 1);
    EXPECT_EQ(figures.Db(), -100);
    EXPECT_EQ(figures.cosine, 0);
    EXPECT_FALSE(figures.lost);
  }
}

TEST(Distance, InfinitiesOfTheReferenceAreNotMeasured) {
  EXPECT_EQ(Of({{1, -kInfinity, 3}}, {{1, -kInfinity, 3}}).Db(), 100);
  EXPECT_EQ(Of({{1, -kInfinity, 3}}, {{1, -65504, 3}}).changed, 0);
  EXPECT_EQ(Of({{1, -kInfinity, 3}}, {{1, 65504, 3}}).changed, 1);
  EXPECT_EQ(Of({{1, kInfinity, 3}}, {{1, 0, 3}}).changed, 1);
  EXPECT_EQ(Of({{1, std::nanf(""), 3}}, {{1, 0, 3}}).changed, 0);
}

TEST(Distance, AConstantIsALoss) {
  EXPECT_TRUE(Of({{1000, 1001}}, {{1000, 1000}}).lost);
  EXPECT_FALSE(Of({{1000, 1001}}, {{1000, 1000.5f}}).lost);
  // By FP32's own rounding only.
  const Figures rounding = Of({{1000, 1000.0001f}}, {{1000, 1000}});
  EXPECT_FALSE(rounding.lost);
  EXPECT_TRUE(rounding.reference_is_constant);
  EXPECT_GT(rounding.Db(), 90);
  // Probabilities that 8 bits do not tell apart.
  EXPECT_FALSE(Of({{0.001f, 0.002f}}, {{0, 0}}, 1.0 / 256).lost);
  EXPECT_TRUE(Of({{0.001f, 0.8f}}, {{0, 0}}, 1.0 / 256).lost);
}

TEST(Distance, PiecesAreMeasuredApart) {
  // Coordinates beside a score that is lost.
  Distance distance(4, {0, 0, 0, 1}, {0, 1.0 / 256}, 1);
  for (const float score : {0.1f, 0.9f}) {
    const std::vector<float> reference = {10, 200 * score, 30, score};
    distance.AddReference(reference);
    distance.AddPlan(0, reference, {10, 200 * score, 30, 0});
  }
  EXPECT_GT(distance.Whole(0).Db(), 30);
  EXPECT_EQ(distance.Piece(0, 0).Db(), 100);
  EXPECT_LT(distance.Piece(0, 1).Db(), 0);
  EXPECT_TRUE(distance.Piece(0, 1).lost);
  EXPECT_FALSE(distance.Whole(0).lost);
}

// Samples with much error and with little: who is drawn again decides.
TEST(Distance, IsAsCertainAsItsSamplesAreAlike) {
  std::vector<std::vector<float>> reference, even, uneven;
  for (int s = 0; s < 16; ++s) {
    const float sign = s % 2 == 0 ? 1.0f : -1.0f;
    reference.push_back({sign, -sign, 2 * sign});
    even.push_back({sign * 1.01f, -sign, 2 * sign});
    uneven.push_back({sign * (s < 4 ? 1.02f : 1.0f), -sign, 2 * sign});
  }
  const Figures same = Of(reference, even), other = Of(reference, uneven);
  EXPECT_NEAR(same.Db(), other.Db(), 0.1);
  EXPECT_LE(same.certain_db.low, same.Db());
  EXPECT_GE(same.certain_db.high, same.Db());
  EXPECT_LT(same.certain_db.high - same.certain_db.low, 1);
  EXPECT_LT(other.certain_db.low, other.Db() - 1);
  EXPECT_GT(other.certain_db.high, other.Db() + 1);
}

TEST(Agreement, OfTwoLists) {
  struct Row {
    std::vector<float> expected, actual;
    double cosine, largest, db;
  };
  const float no_number = std::nanf("");
  for (const Row& row :
       {Row{{3, 4}, {4, 3}, 24.0 / 25, 1, 10 * std::log10(12.5)}, Row{{3, 4}, {6, 8}, 1, 4, 0},
        Row{{3, 4}, {0, 0}, 0, 4, 0}, Row{{3, 4}, {3, 4}, 1, 0, 300},
        Row{{3, 4}, {3, kInfinity}, 0, kInfinity, -300}, Row{{0, 0}, {1, 0}, 0, 1, -300}}) {
    Agreement agreement;
    agreement.Add(row.expected, row.actual);
    EXPECT_NEAR(agreement.Cosine(), row.cosine, 1e-12) << row.actual[0];
    EXPECT_EQ(agreement.largest, row.largest);
    EXPECT_NEAR(agreement.SnrDb(), row.db, 1e-9);
    Agreement merged;
    merged.Merge(agreement);
    merged.Merge(agreement);
    EXPECT_NEAR(merged.Cosine(), row.cosine, 1e-12);
    EXPECT_EQ(merged.range, row.expected[1] - row.expected[0]);
  }
  Agreement lost;
  lost.Add({1, 2, 3}, {9, no_number, 3});
  EXPECT_TRUE(std::isnan(lost.largest)) << "no number is larger than every number";
  EXPECT_EQ(lost.Cosine(), 0);
}

}  // namespace
}  // namespace octet::judge
