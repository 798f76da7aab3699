#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "converter/calibrate/calibrate.h"
#include "converter/calibrate/observation.h"

namespace octet::calibrate {
namespace {

Statistics Of(const std::vector<float>& values) {
  Observation observation;
  observation.Add(values);
  return observation.Finish();
}

std::vector<float> Normal(size_t count, float sigma, bool relu) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0, sigma);
  std::vector<float> values(count);
  for (float& v : values) v = relu ? std::max(0.0f, normal(random)) : normal(random);
  return values;
}

// Mean squared error of really quantizing the values.
double TrueError(const std::vector<float>& values, const Range& range, bool symmetric) {
  const double scale =
      symmetric ? range.max / 127.0 : (static_cast<double>(range.max) - range.min) / 255;
  const double zero = symmetric ? 0 : std::floor(-128 - range.min / scale + 0.5);
  double sum = 0;
  for (float v : values) {
    const double low = symmetric ? -127 : -128;
    const double q = std::clamp(std::floor(v / scale + 0.5) + zero, low, 127.0);
    const double error = v - scale * (q - zero);
    sum += error * error;
  }
  return sum / static_cast<double>(values.size());
}

TEST(ChooseRange, MinMaxKeepsTheExtremesAndZero) {
  const Choice choice = ChooseRange(Of({1, 2, 5}), Method::kMinMax, 99.99, false);
  EXPECT_EQ(choice.range.min, 0);
  EXPECT_EQ(choice.range.max, 5);
  const Choice symmetric = ChooseRange(Of({-7, 2}), Method::kMinMax, 99.99, true);
  EXPECT_EQ(symmetric.range.min, -7);
  EXPECT_EQ(symmetric.range.max, 7);
}

// All of the mass: what is left out are bins without a value, at both ends.
TEST(ChooseRange, PercentileLeavesOutEmptyBinsAndNoMore) {
  Statistics s;
  s.min = -4, s.max = 4;
  s.histogram_min = -4, s.histogram_max = 4;
  s.histogram = {0, 0, 5, 5, 5, 5, 5, 0};
  s.count = 25;
  const Choice all = ChooseRange(s, Method::kPercentile, 100, false);
  EXPECT_EQ(all.range.min, -2);
  EXPECT_EQ(all.range.max, 3);
  // A fifth is a bin; of values on both sides each end loses half of what may go.
  const Choice less = ChooseRange(s, Method::kPercentile, 60, false);
  EXPECT_EQ(less.range.min, -1);
  EXPECT_EQ(less.range.max, 2);
  const Choice little = ChooseRange(s, Method::kPercentile, 62, false);
  EXPECT_EQ(little.range.min, -2);
  EXPECT_EQ(little.range.max, 3);
}

TEST(ChooseRange, ExpectedErrorIsThatOfQuantizing) {
  for (bool symmetric : {false, true}) {
    for (bool relu : {false, true}) {
      const std::vector<float> values = Normal(200000, 1, relu);
      for (Method method : {Method::kMinMax, Method::kPercentile, Method::kMse}) {
        const Choice choice = ChooseRange(Of(values), method, 99.9, symmetric);
        const double error = TrueError(values, choice.range, symmetric);
        EXPECT_NEAR(choice.expected_mse, error, 0.05 * error)
            << Name(method) << " symmetric " << symmetric << " relu " << relu;
      }
    }
  }
}

TEST(ChooseRange, SmallestErrorBeatsEveryOtherClip) {
  for (bool symmetric : {false, true}) {
    const std::vector<float> values = Normal(100000, 1, false);
    const Choice best = ChooseRange(Of(values), Method::kMse, 99.99, symmetric);
    const Choice full = ChooseRange(Of(values), Method::kMinMax, 99.99, symmetric);
    EXPECT_LT(best.expected_mse, full.expected_mse);
    for (double ratio = 0.3; ratio <= 1; ratio += 0.05) {
      const auto low = static_cast<float>(full.range.min * ratio);
      const auto high = static_cast<float>(full.range.max * ratio);
      EXPECT_LE(TrueError(values, best.range, symmetric),
                1.03 * TrueError(values, {low, high}, symmetric))
          << ratio;
    }
  }
}

TEST(ChooseRange, AnOutlierIsCutOffAndOneSidedDataKeepZero) {
  std::vector<float> values = Normal(100000, 1, true);
  values[0] = 60;
  for (Method method : {Method::kAuto, Method::kMse, Method::kPercentile}) {
    const Choice choice = ChooseRange(Of(values), method, 99.99, false);
    EXPECT_EQ(choice.range.min, 0);
    // One value in 100,000 does not count by its rank, but by its square it still does a little.
    EXPECT_LT(choice.range.max, method == Method::kPercentile ? 5 : 59) << Name(method);
    EXPECT_GT(choice.range.max, 3) << Name(method);
    EXPECT_NE(choice.method, Method::kAuto);
  }
}

TEST(ChooseRange, PercentileKeepsItsShare) {
  std::vector<float> values(100000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 100000;
  EXPECT_NEAR(ChooseRange(Of(values), Method::kPercentile, 90, false).range.max, 0.9, 0.001);
  for (float& v : values) v -= 0.5f;
  const Range both = ChooseRange(Of(values), Method::kPercentile, 90, false).range;
  EXPECT_NEAR(both.min, -0.45, 0.001);
  EXPECT_NEAR(both.max, 0.45, 0.001);
  const Range symmetric = ChooseRange(Of(values), Method::kPercentile, 90, true).range;
  EXPECT_NEAR(symmetric.max, 0.45, 0.001);
  EXPECT_EQ(symmetric.min, -symmetric.max);
  EXPECT_EQ(ChooseRange(Of(values), Method::kPercentile, 100, false).range.min, -0.5f);
}

TEST(ChooseRange, NegativeAndZeroData) {
  for (Method method : {Method::kMinMax, Method::kMse, Method::kPercentile}) {
    const Range negative = ChooseRange(Of({-4, -3, -2}), method, 99.99, false).range;
    EXPECT_EQ(negative.max, 0) << Name(method);
    EXPECT_NEAR(negative.min, -4, 0.02) << Name(method);
    const Range zero = ChooseRange(Of({0, 0}), method, 99.99, false).range;
    EXPECT_EQ(zero.min, 0);
    EXPECT_EQ(zero.max, 0);
  }
}

TEST(ClampStatistics, MovesWhatLiesOutside) {
  const Statistics s = Of(Normal(10000, 1, false));
  const Statistics clamped = Clamp(s, -1, 2);
  EXPECT_EQ(clamped.min, -1);
  EXPECT_EQ(clamped.max, 2);
  uint64_t before = 0, after = 0;
  for (uint64_t n : s.histogram) before += n;
  for (uint64_t n : clamped.histogram) after += n;
  EXPECT_EQ(before, after);
  EXPECT_GT(clamped.histogram.front(), 1500u) << "16 % of a normal lies below -1";
  EXPECT_NEAR(clamped.histogram_min, -1, 0.01);
  EXPECT_NEAR(clamped.histogram_max, 2, 0.01);
}

// Eight bins of width 1 over [-4, 4]: which are kept, what their ends get, where they lie.
TEST(ClampStatistics, BinsThatAreKept) {
  Statistics s;
  s.min = -4, s.max = 4;
  s.histogram_min = -4, s.histogram_max = 4;
  s.histogram = {1, 2, 3, 4, 5, 6, 7, 8};
  const struct {
    float low, high, min, max;
    std::vector<uint64_t> histogram;
  } kCases[] = {
      {-4, 4, -4, 4, {1, 2, 3, 4, 5, 6, 7, 8}},
      {-1.5f, 2.5f, -2, 3, {6, 4, 5, 6, 15}},
      {-1, 1, -1, 2, {10, 5, 21}},  // an end of a bin belongs to the next one
      {-4, -3.5f, -4, -3, {36}},    // the first bin alone
      {3.5f, 9, 3, 4, {36}},        // and the last, with what clamps beyond the data
      {0.25f, 0.25f, 0, 1, {36}},   // a bin beside 0
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(testing::Message() << c.low << " to " << c.high);
    const Statistics clamped = Clamp(s, c.low, c.high);
    EXPECT_EQ(clamped.histogram, c.histogram);
    EXPECT_EQ(clamped.histogram_min, c.min);
    EXPECT_EQ(clamped.histogram_max, c.max);
    EXPECT_EQ(clamped.min, std::max(c.low, -4.0f));
    EXPECT_EQ(clamped.max, std::min(c.high, 4.0f));
  }
}

}  // namespace
}  // namespace octet::calibrate
