// Intervals against numbers that others have printed, and against what they promise.
#include "converter/judge/measure/interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "converter/judge/measure/random.h"

namespace octet::judge {
namespace {

TEST(Random, SharesLieBetweenAndAreEven) {
  Random random(7);
  std::vector<int64_t> counts(10);
  for (int i = 0; i < 10000; ++i) {
    const double share = random.Share();
    ASSERT_GT(share, 0);
    ASSERT_LT(share, 1);
    ++counts[random.Below(counts.size())];
  }
  // Five standard deviations.
  for (const int64_t count : counts) EXPECT_NEAR(static_cast<double>(count), 1000, 150);
}

// The first numbers of SplitMix64 from 0, as its authors' program gives them.
TEST(Random, IsSplitMix) {
  Random random(0);
  EXPECT_EQ(random.Next(), 0xe220a8397b1dcdafu);
  EXPECT_EQ(random.Next(), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(random.Next(), 0x06c45d188009454fu);
}

// Newcombe 1998, Two-sided confidence intervals for the single proportion, table I, method 3.
TEST(Wilson, AsPrinted) {
  struct Row {
    int64_t part, whole;
    double low, high;
  };
  for (const Row& row : {Row{81, 263, 25.53, 36.62}, Row{15, 148, 6.24, 16.05},
                         Row{0, 20, 0, 16.11}, Row{1, 29, 0.61, 17.18}}) {
    const Interval certain = Wilson(row.part, row.whole);
    EXPECT_NEAR(certain.low, row.low, 0.005) << row.part << " of " << row.whole;
    EXPECT_NEAR(certain.high, row.high, 0.005) << row.part << " of " << row.whole;
    // What is left is as uncertain.
    const Interval rest = Wilson(row.whole - row.part, row.whole);
    EXPECT_NEAR(rest.low, 100 - certain.high, 1e-9);
    EXPECT_NEAR(rest.high, 100 - certain.low, 1e-9);
  }
  const Interval nothing = Wilson(0, 0);
  EXPECT_EQ(nothing.low, 0);
  EXPECT_EQ(nothing.high, 100);
}

// Where nothing has changed, nothing may have: not a rounding error's worth.
TEST(Wilson, EndsAreExact) {
  for (int64_t whole = 1; whole <= 256; ++whole) {
    EXPECT_EQ(Wilson(0, whole).low, 0) << whole;
    EXPECT_EQ(Wilson(whole, whole).high, 100) << whole;
  }
}

TEST(Resample, DrawsAsManyAsThereAreAndEachTimeTheSame) {
  std::set<Weights> drawn;
  for (size_t index = 0; index < 20; ++index) {
    const Weights weights = Resample(50, index);
    EXPECT_EQ(std::accumulate(weights.begin(), weights.end(), 0.0), 50);
    EXPECT_EQ(weights, Resample(50, index));
    drawn.insert(weights);
  }
  EXPECT_EQ(drawn.size(), 20u) << "replicates differ";
}

double MeanOf(const std::vector<double>& values, const Weights& weights) {
  return std::inner_product(values.begin(), values.end(), weights.begin(), 0.0) /
         std::accumulate(weights.begin(), weights.end(), 0.0);
}

// Means of 60 numbers with a long tail, whose true mean is 1: of 500 intervals about 95 % hold it.
// Three standard deviations of that count are 15; skewed numbers cost some percent more.
TEST(Bootstrap, HoldsTheTruthAsOftenAsItSays) {
  int64_t held = 0, below = 0;
  constexpr int64_t kTrials = 500;
  for (int64_t trial = 0; trial < kTrials; ++trial) {
    Random random(static_cast<uint64_t>(trial) + 1000);
    std::vector<double> values(60);
    for (double& value : values) value = -std::log(random.Share());
    const Interval certain = Bootstrap(
        values.size(), [&values](const Weights& weights) { return MeanOf(values, weights); });
    held += certain.low <= 1 && 1 <= certain.high;
    below += certain.high < 1;
  }
  EXPECT_GT(held, kTrials * 90 / 100);
  EXPECT_LT(held, kTrials * 97 / 100);
  EXPECT_GT(below, 0) << "an interval that holds everything says nothing";
}

TEST(Bootstrap, OfOneNumberAndOfNone) {
  const Interval one = Bootstrap(1, [](const Weights& weights) { return 3 * weights[0]; });
  EXPECT_EQ(one.low, 3);
  EXPECT_EQ(one.high, 3);
  const Interval none = Bootstrap(0, [](const Weights&) { return 5.0; });
  EXPECT_EQ(none.low, 0);
  EXPECT_EQ(none.high, 0);
}

}  // namespace
}  // namespace octet::judge
