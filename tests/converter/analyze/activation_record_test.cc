// Figures of one tensor against values worked out by hand.
#include "converter/analyze/activation_record.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace octet::analyze {
namespace {

quantize::TensorScheme Scheme(float scale, int zero_point) {
  quantize::TensorScheme scheme;
  scheme.scale = scale;
  scheme.zero_point = zero_point;
  return scheme;
}

uint64_t Total(const Histogram& histogram) {
  return std::accumulate(histogram.begin(), histogram.end(), uint64_t{0});
}

TEST(ActivationRecord, FiguresOfFourNumbers) {
  ActivationRecord record(Scheme(1, 0));
  const std::vector<float> exact{3, -4, 0, 5}, after{2, -4, 0, 6};
  record.Add(exact, after, after);
  EXPECT_EQ(record.count(), 4);
  EXPECT_DOUBLE_EQ(record.Mse(), 0.5);
  EXPECT_DOUBLE_EQ(record.SnrDb(), 10 * std::log10(50 / 2.0));
  EXPECT_DOUBLE_EQ(record.NoiseShare(), 0.04);
  EXPECT_DOUBLE_EQ(record.Cosine(), (6 + 16 + 30) / std::sqrt(50.0 * 56));
  EXPECT_DOUBLE_EQ(record.Mean(), 1);
  EXPECT_DOUBLE_EQ(record.Sigma(), std::sqrt(50 / 4.0 - 1));
  EXPECT_DOUBLE_EQ(record.ErrorMean(), 0);
  EXPECT_DOUBLE_EQ(record.NoiseSigma(), std::sqrt(0.5));
}

// A shift of all numbers is told apart from noise around it.
TEST(ActivationRecord, AShiftIsNoNoise) {
  ActivationRecord record(Scheme(1, 0));
  record.Add(std::vector<float>{1, 2, 3}, std::vector<float>{2, 3, 4}, std::vector<float>{2, 3, 4});
  EXPECT_DOUBLE_EQ(record.ErrorMean(), -1);
  EXPECT_DOUBLE_EQ(record.NoiseSigma(), 0);
  EXPECT_DOUBLE_EQ(record.Mse(), 1);
}

TEST(ActivationRecord, NothingIsLostWhereNothingDiffers) {
  ActivationRecord record(Scheme(1, 0));
  EXPECT_EQ(record.Mse(), 0);
  EXPECT_EQ(record.Overlap(), 1);
  record.Add(std::vector<float>{0, 0}, std::vector<float>{0, 0}, std::vector<float>{0, 0});
  EXPECT_EQ(record.SnrDb(), 100);
  EXPECT_EQ(record.Cosine(), 1);
  EXPECT_EQ(record.NoiseShare(), 0);
}

// All noise and no signal: no division by zero.
TEST(ActivationRecord, NoiseWithoutSignal) {
  ActivationRecord record(Scheme(1, 0));
  record.Add(std::vector<float>{0, 0}, std::vector<float>{1, 1}, std::vector<float>{1, 1});
  EXPECT_EQ(record.SnrDb(), -100);
  EXPECT_EQ(record.Cosine(), 0);
  EXPECT_EQ(record.NoiseShare(), 1);
}

// Whatever rounds to a code lies in the bin of that code: rounding alone leaves the overlap at 1.
TEST(ActivationRecord, RoundingMovesNothingToAnotherBin) {
  constexpr float kScale = 0.25f;
  constexpr int kZeroPoint = -20;
  ActivationRecord record(Scheme(kScale, kZeroPoint));
  std::vector<float> exact, after;
  for (float x = kScale * (-128 - kZeroPoint); x < kScale * (127 - kZeroPoint); x += 0.01f) {
    exact.push_back(x);
    after.push_back(std::floor(x / kScale + 0.5f) * kScale);
  }
  record.Add(exact, after, after);
  EXPECT_EQ(record.Exact(), record.Int8());
  EXPECT_EQ(record.Overlap(), 1);
  EXPECT_EQ(record.ClippedShare(), 0);
  EXPECT_EQ(record.Exact()[0] + record.Exact()[kBins - 1], 0u);
}

TEST(ActivationRecord, WhatIsCutOffLeavesTheOverlap) {
  ActivationRecord record(Scheme(1, 0));
  // Codes end at -128 and 127; half a step beyond still rounds to them.
  const std::vector<float> exact{-200, -128.4f, 127.4f, 127.6f}, before{-128.6f, 0, 0, 127};
  record.Add(exact, before, std::vector<float>{-128, -128, 127, 127});
  EXPECT_EQ(record.Exact()[0], 1u);
  EXPECT_EQ(record.Exact()[1], 1u);
  EXPECT_EQ(record.Exact()[kBins - 2], 1u);
  EXPECT_EQ(record.Exact()[kBins - 1], 1u);
  EXPECT_DOUBLE_EQ(record.ClippedShare(), 0.5);
  EXPECT_DOUBLE_EQ(record.SaturatedShare(), 0.25);
  EXPECT_DOUBLE_EQ(record.Overlap(), 0.5);
}

// Zeros of a ReLU that move by a code are nearly the same distribution, wherever bins begin; by two
// bins they are another.
TEST(ActivationRecord, ACrowdThatMoves) {
  for (const int zero_point : {-128, -127, -126, -125}) {
    const auto overlap = [&](float steps) {
      ActivationRecord record(Scheme(1, zero_point));
      record.Add(std::vector<float>{0, 0}, std::vector<float>{0, 0},
                 std::vector<float>{steps, steps});
      return record.Overlap();
    };
    EXPECT_EQ(overlap(0), 1);
    EXPECT_GE(overlap(1), 0.75) << zero_point;
    EXPECT_LE(overlap(4), 0.5) << zero_point;
    EXPECT_EQ(overlap(8), 0) << zero_point;
  }
}

TEST(ActivationRecord, ChannelsCountInTheirOwnCodes) {
  quantize::TensorScheme scheme;
  scheme.channels = {{1, 0}, {100, -128}};
  ActivationRecord record(scheme);
  // Code 4 of either: bin (4 + 128) / 4 + 1, and (4 - 128 + 128) / 4 + 1.
  const std::vector<float> values{4, 4, 400, 400};
  record.Add(values, values, values);
  EXPECT_EQ(record.Exact()[34], 2u);
  EXPECT_EQ(record.Exact()[2], 2u);
}

TEST(ActivationRecord, NumbersThatAreNoneAreCountedAndCutOff) {
  ActivationRecord record(Scheme(1, 0));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values{nan, infinity, -infinity, 1e38f};
  record.Add(values, values, values);
  EXPECT_EQ(Total(record.Exact()), 4u);
  EXPECT_EQ(record.ClippedShare(), 1);
  // The same infinity is no error.
  EXPECT_EQ(record.SnrDb(), 100);
}

TEST(ActivationRecord, NoNumberWhereThereWasOneIsTheWorst) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float broken : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity}) {
    ActivationRecord record(Scheme(1, 0));
    record.Add(std::vector<float>{1, 2}, std::vector<float>{1, broken},
               std::vector<float>{1, broken});
    EXPECT_EQ(record.SnrDb(), -100);
    EXPECT_EQ(record.Cosine(), 0);
    EXPECT_EQ(record.NoiseShare(), 1);
  }
}

TEST(ActivationRecord, PicturesAddUp) {
  ActivationRecord one(Scheme(1, 0)), two(Scheme(1, 0));
  one.Add(std::vector<float>{1, 2, 3, 4}, std::vector<float>{1, 2, 3, 5},
          std::vector<float>{1, 2, 3, 5});
  two.Add(std::vector<float>{1, 2}, std::vector<float>{1, 2}, std::vector<float>{1, 2});
  two.Add(std::vector<float>{3, 4}, std::vector<float>{3, 5}, std::vector<float>{3, 5});
  EXPECT_DOUBLE_EQ(one.Mse(), two.Mse());
  EXPECT_EQ(one.Exact(), two.Exact());
}

}  // namespace
}  // namespace octet::analyze
