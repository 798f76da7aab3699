#include "converter/calibrate/observation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

namespace octet::calibrate {
namespace {

void ExpectEqual(const Statistics& a, const Statistics& b) {
  EXPECT_EQ(a.min, b.min);
  EXPECT_EQ(a.max, b.max);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.variance, b.variance);
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.zeros, b.zeros);
  EXPECT_EQ(a.histogram_min, b.histogram_min);
  EXPECT_EQ(a.histogram_max, b.histogram_max);
  EXPECT_EQ(a.histogram, b.histogram);
}

// Samples whose magnitudes differ by many doublings.
std::vector<std::vector<float>> Samples() {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<std::vector<float>> samples;
  for (int i = 0; i < 12; ++i) {
    std::vector<float> sample(static_cast<size_t>(100 + 333 * i));
    const float size = std::ldexp(1.0f, (i * 7) % 12 - 6);
    for (float& v : sample) v = normal(random) * size;
    sample[0] = 0;
    samples.push_back(sample);
  }
  return samples;
}

TEST(Observation, CountsEveryValueInItsBin) {
  Observation all;
  std::vector<float> values;
  for (const auto& sample : Samples()) {
    all.Add(sample);
    values.insert(values.end(), sample.begin(), sample.end());
  }
  const Statistics s = all.Finish();
  EXPECT_EQ(s.count, static_cast<int64_t>(values.size()));
  EXPECT_EQ(s.zeros, 12);
  EXPECT_EQ(s.min, *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(s.max, *std::max_element(values.begin(), values.end()));
  const double width = (static_cast<double>(s.histogram_max) - s.histogram_min) /
                       static_cast<double>(s.histogram.size());
  EXPECT_GE(s.histogram.size(), 1024u) << "resolution";
  std::vector<uint64_t> expected(s.histogram.size());
  for (float v : values) {
    ++expected[static_cast<size_t>(std::floor((v - s.histogram_min) / width))];
  }
  EXPECT_EQ(s.histogram, expected);
  double mean = 0;
  for (float v : values) mean += v;
  EXPECT_NEAR(s.mean, mean / static_cast<double>(values.size()), width);
}

TEST(Observation, OrderAndSplitDoNotMatter) {
  const auto samples = Samples();
  Observation forward, backward, even, odd;
  for (size_t i = 0; i < samples.size(); ++i) {
    forward.Add(samples[i]);
    backward.Add(samples[samples.size() - 1 - i]);
    (i % 2 == 0 ? even : odd).Add(samples[i]);
  }
  ExpectEqual(forward.Finish(), backward.Finish());
  Observation merged = odd;
  merged.Merge(even);
  ExpectEqual(forward.Finish(), merged.Finish());
  even.Merge(odd);
  even.Merge(Observation());
  ExpectEqual(forward.Finish(), even.Finish());
}

TEST(Observation, ExtremesByChannel) {
  Observation a, b, whole;
  a.Add(std::vector<float>{1, 2, -3, 0}, 2);
  b.Add(std::vector<float>{-1, 1, std::numeric_limits<float>::infinity(), 5}, 2);
  whole.Add(std::vector<float>{1, 2, -3, 0});
  ExpectEqual(a.Finish(), whole.Finish());
  a.Merge(b);
  const Statistics merged = a.Finish();
  ASSERT_EQ(merged.channels.size(), 2u);
  EXPECT_EQ(merged.channels[0].min, -1);
  EXPECT_EQ(merged.channels[0].max, 2);
  EXPECT_EQ(merged.channels[1].min, -3);
  EXPECT_EQ(merged.channels[1].max, 5) << "of the finite values";
  Observation fresh;
  fresh.Merge(b);
  EXPECT_EQ(fresh.Finish().channels[1].max, 5);
  EXPECT_TRUE(whole.Finish().channels.empty());
}

TEST(Observation, ExtremesOfFloat) {
  const float largest = std::numeric_limits<float>::max();
  Observation huge;
  huge.Add(std::vector<float>{-largest, largest, 1});
  const Statistics wide = huge.Finish();
  EXPECT_EQ(std::accumulate(wide.histogram.begin(), wide.histogram.end(), 0u), 3u);
  EXPECT_TRUE(std::isfinite(wide.histogram_min) && std::isfinite(wide.histogram_max));
  Observation tiny;
  tiny.Add(std::vector<float>{1e-45f, -1e-45f, 0});
  EXPECT_EQ(tiny.Finish().zeros, 1);
  Observation zero;
  zero.Add(std::vector<float>(1000, -0.0f));
  const Statistics s = zero.Finish();
  EXPECT_EQ(s.zeros, 1000);
  EXPECT_EQ(s.min, 0);
  EXPECT_FALSE(std::signbit(s.min));
  EXPECT_EQ(s.mean, 0);
  EXPECT_EQ(s.variance, 0);
}

TEST(Observation, NotANumberIsToldAndNotCounted) {
  for (float bad : {NAN, INFINITY, -INFINITY}) {
    std::vector<float> values(100, 2.0f);
    values[50] = bad;
    Observation observation;
    observation.Add(values);
    const Statistics s = observation.Finish();
    EXPECT_TRUE(std::isnan(s.min) && std::isnan(s.max));
    EXPECT_EQ(std::accumulate(s.histogram.begin(), s.histogram.end(), 0u), 99u);
    Observation clean;
    clean.Add(std::vector<float>{1});
    clean.Merge(observation);
    EXPECT_TRUE(std::isnan(clean.Finish().min));
  }
}

// A record of `values` with one field changed, as a damaged file has it.
template <typename T>
bool IsSoundWith(std::vector<float> values, const std::string& name, T wrong) {
  Observation record;
  record.Add(values);
  Observation::ForEachField(record, [&](const std::string& field, auto& value) {
    if constexpr (std::is_convertible_v<T, std::decay_t<decltype(value)>>) {
      if (field == name) value = static_cast<std::decay_t<decltype(value)>>(wrong);
    }
  });
  return record.IsSound();
}

TEST(Observation, FieldsThatDoNotFitEachOther) {
  EXPECT_TRUE(Observation().IsSound()) << "nothing seen yet";
  EXPECT_FALSE(IsSoundWith({}, "count", -1));
  EXPECT_FALSE(IsSoundWith({}, "exponent", 0));
  const std::vector<float> some{-1, 0, 2};
  EXPECT_TRUE(IsSoundWith(some, "count", 3));
  EXPECT_FALSE(IsSoundWith(some, "count", 0));
  EXPECT_TRUE(IsSoundWith(some, "zeros", 0));
  EXPECT_FALSE(IsSoundWith(some, "zeros", -1));
  EXPECT_FALSE(IsSoundWith(some, "min", 3.0f));
  EXPECT_TRUE(IsSoundWith(some, "min", 2.0f));
  EXPECT_FALSE(IsSoundWith(some, "max", 1e9f)) << "outside of the bins";
  EXPECT_TRUE(IsSoundWith(some, "exponent", 128));
  EXPECT_FALSE(IsSoundWith(some, "exponent", 129));
  EXPECT_FALSE(IsSoundWith(some, "exponent", Observation::kMinExponent - 1));
  EXPECT_FALSE(IsSoundWith(some, "bins", std::vector<uint64_t>(Observation::kBins - 1)));
}

}  // namespace
}  // namespace octet::calibrate
