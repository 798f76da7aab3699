// Numbers of int8 layers from scales, in double and in float, against their definitions.
#include "runtime/quant/parameters.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "gtest/gtest.h"

namespace octet {
namespace {

double DefinedCode(double value, double scale, int zero_point) {
  return std::clamp(std::floor(value / scale + 0.5) + zero_point, -128.0, 127.0);
}

TEST(Parameters, FloorOfDoubles) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200000; ++i) {
    const double x = std::ldexp(static_cast<double>(static_cast<int64_t>(random())),
                                -static_cast<int>(random() % 70));
    ASSERT_EQ(FloorOf(x), std::floor(x)) << x;
  }
  for (const double x : {0.0, -0.5, 0x1p52, -0x1p52, 0x1p63, -0x1p300, 0x1p52 - 0.5,
                         -(0x1p52 - 0.5), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(FloorOf(x), std::floor(x)) << x;
  }
  EXPECT_TRUE(std::isnan(FloorOf(std::nan(""))));
}

TEST(Parameters, CodesAreRoundedHalfUpAndCut) {
  std::mt19937 random(4);
  for (int i = 0; i < 100000; ++i) {
    const float scale = std::ldexp(1 + static_cast<float>(random() % 4096) / 4096,
                                   static_cast<int>(random() % 20) - 10);
    const int zero_point = static_cast<int>(random() % 256) - 128;
    const float value = scale * (static_cast<float>(random() % 100000) / 200 - 250);
    ASSERT_EQ(CodeOf<double>(value, scale, zero_point), DefinedCode(value, scale, zero_point));
    ASSERT_EQ(CodeOf<float>(value, scale, zero_point),
              std::clamp(std::floor(value / scale + 0.5f) + static_cast<float>(zero_point), -128.0f,
                         127.0f));
  }
  EXPECT_EQ(CodeOf<float>(0.5f, 1, 0), 1);
  EXPECT_EQ(CodeOf<double>(-0.5, 1, 0), 0);
  EXPECT_EQ(CodeOf<float>(std::nanf(""), 1, 7), 7);
  EXPECT_EQ(CodeOf<double>(std::nan(""), 1, -7), -7);
  EXPECT_EQ(CodeOf<float>(3e38f, 1, 0), 127);
  EXPECT_EQ(CodeOf<double>(-1e300, 1, 0), -128);
}

// Of powers of two nothing is rounded: the board's table is the converter's.
TEST(Parameters, BothMakeOneTableOfExactScales) {
  int8_t in_float[256], in_double[256];
  CodesOfFunction<float>([](float x) { return x * x; }, 0.125f, 3, 0.25f, -100, in_float);
  CodesOfFunction<double>([](double x) { return x * x; }, 0.125f, 3, 0.25f, -100, in_double);
  for (int i = 0; i < 256; ++i) {
    ASSERT_EQ(in_float[i], in_double[i]) << i;
    const double x = 0.125 * (i - 128 - 3);
    ASSERT_EQ(in_double[i], DefinedCode(x * x, 0.25, -100)) << i;
  }
  int8_t lo = 0, hi = 0;
  CodesOfClamp<float>(0, 6, 0.0625f, -128, &lo, &hi);
  EXPECT_EQ(lo, -128);
  EXPECT_EQ(hi, -32);
}

TEST(Parameters, MultipliersKeepTheirForm) {
  constexpr int64_t kOne = int64_t{1} << 31;
  EXPECT_EQ(NormalMultiplier(kOne - 1, 5).multiplier, INT32_MAX);
  for (const int64_t mantissa : {kOne, kOne + 1, 2 * kOne - 2, 2 * kOne}) {
    const Multiplier m = NormalMultiplier(mantissa, 5);
    EXPECT_GE(m.multiplier, 1 << 30);
    EXPECT_NEAR(std::ldexp(m.multiplier, -m.shift), std::ldexp(static_cast<double>(mantissa), -5),
                0x1p-5);
  }
  EXPECT_EQ(NormalMultiplier(2 * kOne - 1, 5).shift, 3) << "rounded up to 2^32";
  EXPECT_EQ(StoredMultiplier({1 << 30, 32}).multiplier, 0);
  EXPECT_EQ(StoredMultiplier({1 << 30, 32}).shift, 1);
  EXPECT_EQ(StoredMultiplier({1 << 30, 0}).multiplier, INT32_MAX);
  EXPECT_EQ(StoredMultiplier({1 << 30, 0}).shift, 1);
  EXPECT_EQ(StoredMultiplier({0, -9}).shift, 1);
  EXPECT_EQ(StoredMultiplier({1 << 30, 31}).shift, 31);
}

// A sum that is half of an int8 step needs an odd part of at most 2^10 (QUANTIZATION.md, section
// 3).
TEST(Parameters, ShortMultipliersHave24BitsAndNoTie) {
  std::mt19937 random(7);
  for (int i = 0; i < 200000; ++i) {
    const Multiplier m = {static_cast<int32_t>((1u << 30) + random() % (1u << 30)), 9};
    const Multiplier cut = ShortMultiplier(m);
    const bool at_tie = (m.multiplier + kShortStep / 2) % kTieStep < kShortStep;
    ASSERT_LE(2 * std::abs(cut.multiplier - m.multiplier), at_tie ? 3 * kShortStep : kShortStep)
        << m.multiplier;
    ASSERT_GE(cut.multiplier, 1 << 30);
    ASSERT_EQ(cut.shift, 9);
    ASSERT_EQ(cut.multiplier % kShortStep, 0);
    if (m.multiplier % kTieStep == 0) continue;
    ASSERT_TRUE(IsShort(cut));
    ASSERT_GT(cut.multiplier >> std::countr_zero(static_cast<uint32_t>(cut.multiplier)), 1 << 10);
  }
  EXPECT_EQ(ShortMultiplier({INT32_MAX, 1}).multiplier, INT32_MAX - 127);
  for (const int32_t more : {1, 63, 64, 127, 191}) {
    EXPECT_EQ(ShortMultiplier({(1 << 30) + more, 1}).multiplier, (1 << 30) + 128) << more;
  }
  EXPECT_EQ(ShortMultiplier({(1 << 30) + 192, 1}).multiplier, (1 << 30) + 256);
  EXPECT_EQ(ShortMultiplier({(1 << 30) + kTieStep + 1, 1}).multiplier, (1 << 30) + kTieStep + 128);
  for (const int32_t tie : {0, 1 << 30, (1 << 30) + kTieStep}) {
    EXPECT_EQ(ShortMultiplier({tie, 3}).multiplier, tie);
    EXPECT_FALSE(IsShort({tie, 3}));
  }
}

TEST(Parameters, ShiftsAreTheLeastAndTheLargest) {
  EXPECT_EQ(PreShiftOf(31), 0);
  EXPECT_EQ(PreShiftOf(1), 0);
  EXPECT_EQ(PreShiftOf(0), 1);
  EXPECT_EQ(PreShiftOf(-14), 15);
  EXPECT_EQ(LargestShift(30, [](int32_t shift) { return shift <= 12; }), 12);
  EXPECT_EQ(LargestShift(30, [](int32_t) { return true; }), 30);
  EXPECT_EQ(LargestShift(30, [](int32_t) { return false; }), 0);
}

}  // namespace
}  // namespace octet
