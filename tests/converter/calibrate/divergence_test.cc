#include "converter/calibrate/divergence.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "converter/calibrate/observation.h"

namespace octet::calibrate {
namespace {

Statistics Of(const std::vector<float>& values) {
  Observation observation;
  observation.Add(values);
  return observation.Finish();
}

Range Full(const Statistics& s, bool symmetric) {
  return ChooseRange(s, Method::kMinMax, 99.99, symmetric).range;
}

Range Kl(const Statistics& s, bool symmetric) {
  return SmallestDivergence(s, Full(s, symmetric), symmetric);
}

// A histogram of unit bins from `low` on.
Statistics Unit(int low, std::vector<uint64_t> histogram) {
  Statistics s;
  s.histogram_min = s.min = static_cast<float>(low);
  s.histogram_max = s.max = static_cast<float>(low + static_cast<int>(histogram.size()));
  s.histogram = std::move(histogram);
  for (const uint64_t n : s.histogram) s.count += static_cast<int64_t>(n);
  return s;
}

// The divergence as the header has it, bin by bin.
double Direct(const Statistics& s, size_t low, size_t high, size_t levels) {
  std::vector<double> p(high - low), q(high - low);
  double all = 0, kept = 0;
  for (size_t i = 0; i < s.histogram.size(); ++i) {
    const auto n = static_cast<double>(s.histogram[i]);
    all += n;
    p[i < low ? 0 : std::min(i, high - 1) - low] += n;
    if (i >= low && i < high) q[i - low] += n, kept += n;
  }
  for (size_t l = 0; l < levels; ++l) {
    const size_t from = l * (high - low) / levels, to = (l + 1) * (high - low) / levels;
    double mass = 0, filled = 0;
    for (size_t i = from; i < to; ++i) mass += q[i], filled += p[i] > 0;
    for (size_t i = from; i < to; ++i) q[i] = p[i] > 0 ? mass / filled : 0;
  }
  double d = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    if (p[i] > 0) d += p[i] / all * std::log(p[i] / all / (q[i] / kept));
  }
  return d;
}

TEST(Divergence, TheLeastOfAllRangesFromZero) {
  // A falling density with a long thin tail; few enough bins to try every end (no coarse grid).
  std::mt19937 random(7);
  std::vector<uint64_t> histogram(400);
  for (size_t i = 0; i < histogram.size(); ++i) {
    histogram[i] =
        1 + static_cast<uint64_t>(1e6 * std::exp(-static_cast<double>(i) / 25)) + random() % 3;
  }
  const Statistics s = Unit(0, histogram);
  const Range range = Kl(s, false);
  EXPECT_EQ(range.min, 0);
  size_t best = 400;
  for (size_t high = 400; high >= 255; --high) {
    if (Direct(s, 0, high, 255) < Direct(s, 0, best, 255)) best = high;
  }
  EXPECT_EQ(range.max, static_cast<float>(best));
  EXPECT_LT(range.max, 400) << "a tail of one value a bin is worth less than its resolution";
  best = 400;
  for (size_t high = 400; high >= 127; --high) {
    if (Direct(s, 0, high, 127) < Direct(s, 0, best, 127)) best = high;
  }
  EXPECT_EQ(Kl(s, true).max, static_cast<float>(best));
  EXPECT_EQ(Kl(s, true).min, -static_cast<float>(best));
}

// Half of a ReLU's values are exactly 0; they tell nothing about where the others should end.
TEST(Divergence, ExactZerosChangeNothing) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> values(200000);
  for (float& v : values) v = std::fabs(normal(random)) + 1e-4f;
  const Range without = Kl(Of(values), false);
  values.resize(values.size() * 4, 0.0f);
  const Statistics most_zero = Of(values);
  EXPECT_EQ(most_zero.zeros, 600000);
  EXPECT_EQ(Kl(most_zero, false).max, without.max);
  EXPECT_EQ(Kl(most_zero, false).min, 0);
  EXPECT_GT(without.max, 2.5f);
  EXPECT_LT(without.max, Full(most_zero, false).max);
}

TEST(Divergence, OneOutlierIsCutOff) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> values(200000);
  for (float& v : values) v = normal(random);
  values[0] = 30;
  const Range asymmetric = Kl(Of(values), false), symmetric = Kl(Of(values), true);
  EXPECT_LT(asymmetric.max, 6);
  EXPECT_LT(asymmetric.min, -2.5f);
  EXPECT_GT(asymmetric.max, 2.5f);
  EXPECT_LT(symmetric.max, 6);
  EXPECT_GT(symmetric.max, 2.5f);
  EXPECT_EQ(symmetric.min, -symmetric.max);
}

TEST(Divergence, OneSidedDataOfEitherSign) {
  std::mt19937 random(11);
  std::exponential_distribution<float> exponential(1);
  std::vector<float> values(100000);
  for (float& v : values) v = 0.01f + exponential(random);
  const Range up = Kl(Of(values), false);
  for (float& v : values) v = -v;
  const Range down = Kl(Of(values), false);
  EXPECT_EQ(up.min, 0);
  EXPECT_EQ(down.max, 0);
  // Levels are cut from the left: the thin tail falls into them differently, no more.
  EXPECT_NEAR(-down.min, up.max, 0.2f * up.max);
  EXPECT_GT(up.max, 5) << "1 in 150 values is larger";
}

TEST(Divergence, DataFarFromZeroKeepZeroInTheirRange) {
  std::vector<float> values(10000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = 100 + static_cast<float>(i % 1000) / 100;
  const Range range = Kl(Of(values), false);
  EXPECT_EQ(range.min, 0);
  EXPECT_GT(range.max, 109);
  EXPECT_LE(range.max, 110);
  for (float& v : values) v = -v;
  const Range negative = Kl(Of(values), false);
  EXPECT_EQ(negative.max, 0);
  EXPECT_LT(negative.min, -109);
}

TEST(Divergence, WhatAHistogramCannotTellKeepsTheExtremes) {
  const std::vector<std::vector<float>> kept{{0, 0}, {3}, {-3}, {-4, -3, -2}, {1, 2, 5}};
  for (const std::vector<float>& values : kept) {
    for (const bool symmetric : {false, true}) {
      const Statistics s = Of(values);
      EXPECT_EQ(Kl(s, symmetric).min, Full(s, symmetric).min) << values[0];
      EXPECT_EQ(Kl(s, symmetric).max, Full(s, symmetric).max) << values[0];
    }
  }
  const Statistics coarse = Unit(-100, std::vector<uint64_t>(254, 9));
  EXPECT_EQ(Kl(coarse, false).min, -100);
  EXPECT_EQ(Kl(coarse, false).max, 154);
}

TEST(Divergence, AsAMethod) {
  std::vector<float> values(100000);
  std::mt19937 random(13);
  std::normal_distribution<float> normal(0, 1);
  for (float& v : values) v = normal(random);
  values[0] = 30;
  const Statistics s = Of(values);
  const Choice choice = ChooseRange(s, Method::kKl, 99.99, false);
  EXPECT_EQ(choice.method, Method::kKl);
  EXPECT_EQ(choice.range.max, Kl(s, false).max);
  EXPECT_GT(choice.expected_mse, 0);
  EXPECT_EQ(Name(Method::kKl), "kl");
}

TEST(Candidates, DistinctRangesInOrderOfTrust) {
  std::vector<float> values(100000);
  std::mt19937 random(13);
  std::normal_distribution<float> normal(0, 1);
  for (float& v : values) v = normal(random);
  values[0] = 30;
  const std::vector<Choice> choices = Candidates(Of(values), false);
  ASSERT_EQ(choices.size(), 4u);
  EXPECT_EQ(choices[0].method, Method::kMse);
  EXPECT_EQ(choices[1].method, Method::kMinMax);
  EXPECT_EQ(choices[2].method, Method::kPercentile);
  EXPECT_EQ(choices[3].method, Method::kKl);
  const std::vector<Choice> same = Candidates(Of({0, 0}), true);
  ASSERT_EQ(same.size(), 1u) << "one range, however it was come by";
  EXPECT_EQ(same[0].method, Method::kMse);
}

}  // namespace
}  // namespace octet::calibrate
