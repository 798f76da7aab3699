// The integer rule against its definition in 128 bits, at the bounds and at random.
#include "runtime/quant/requantize.h"

#include <algorithm>
#include <cstdio>
#include <random>

#include "gtest/gtest.h"

namespace octet {
namespace {

// floor(acc * multiplier / 2^(31 + shift) + 1/2).
int64_t Definition(int64_t acc, int64_t multiplier, int shift) {
  const int64_t n = 2 * int64_t{acc} * multiplier;  // |acc| <= 2^30: below 2^62
  return (n + (int64_t{1} << (31 + shift))) >> (32 + shift);
}

constexpr int32_t kEdgeAcc[] = {0,
                                1,
                                -1,
                                2,
                                -2,
                                127,
                                -128,
                                1 << 29,
                                -(1 << 29),
                                (1 << 30) - 1,
                                1 << 30,
                                -(1 << 30),
                                -(1 << 30) + 1};
constexpr int32_t kEdgeMultiplier[] = {0,          1 << 30,       (1 << 30) + 1,
                                       0x5A827999, INT32_MAX - 1, INT32_MAX};

TEST(Requantize, EqualsTheDefinitionAtTheBounds) {
  for (int32_t acc : kEdgeAcc) {
    for (int32_t multiplier : kEdgeMultiplier) {
      for (int32_t shift = 1; shift <= 31; ++shift) {
        ASSERT_EQ(Definition(acc, multiplier, shift), Requantize(acc, multiplier, shift))
            << acc << " " << multiplier << " " << shift;
      }
    }
  }
}

TEST(Requantize, EqualsTheDefinitionAtRandom) {
  constexpr uint64_t kSeed = 7;
  std::printf("seed %llu\n", static_cast<unsigned long long>(kSeed));
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 2000000; ++i) {
    const int32_t limit = kAccumulatorLimit >> (random() % 31);
    const int32_t acc =
        static_cast<int32_t>(random() % (2 * static_cast<uint64_t>(limit) + 1)) - limit;
    const int32_t multiplier = (1 << 30) + static_cast<int32_t>(random() % (1u << 30));
    const int32_t shift = 1 + static_cast<int32_t>(random() % 31);
    ASSERT_EQ(Definition(acc, multiplier, shift), Requantize(acc, multiplier, shift))
        << acc << " " << multiplier << " " << shift;
  }
}

// Half goes up on both sides of zero: with a factor of 1/4, 2 and -2 are ties.
TEST(Requantize, TiesGoTowardsPlusInfinity) {
  EXPECT_EQ(1, Requantize(2, 1 << 30, 1));
  EXPECT_EQ(0, Requantize(-2, 1 << 30, 1));
  EXPECT_EQ(2, Requantize(6, 1 << 30, 1));
  EXPECT_EQ(-1, Requantize(-6, 1 << 30, 1));
}

// Rounding twice is another rule; the tests must be able to tell.
TEST(Requantize, RoundingTwiceWouldDiffer) {
  int different = 0;
  for (int32_t acc = -20000; acc <= 20000; ++acc) {
    const int64_t high = (static_cast<int64_t>(acc) * 0x5A827999 + (1 << 30)) >> 31;
    different += ((high + 2) >> 2) != Requantize(acc, 0x5A827999, 2);
  }
  EXPECT_GT(different, 100);
}

// A factor M = 2^pre_shift * multiplier / 2^(31 + shift) >= 1/2: where the clamp changed the
// accumulator, the exact result is beyond int8 as well, for every zero point.
TEST(PreShift, SaturationDoesNotChangeInt8) {
  for (int32_t pre_shift = 1; pre_shift <= kMaxPreShift; ++pre_shift) {
    for (int32_t multiplier : kEdgeMultiplier) {
      for (int32_t acc : kEdgeAcc) {
        for (int zero_point : {-128, 0, 127}) {
          // floor(acc * 2^pre_shift * multiplier / 2^32 + 1/2), the power taken out of the
          // division.
          const int64_t product = static_cast<int64_t>(acc) * multiplier;
          const int64_t exact = (product + (int64_t{1} << (31 - pre_shift))) >> (32 - pre_shift);
          const int64_t expected =
              std::min<int64_t>(127, std::max<int64_t>(-128, exact + zero_point));
          const int32_t value = Requantize(PreShift(acc, pre_shift), multiplier, 1);
          ASSERT_EQ(expected, ToInt8(value, zero_point, -128, 127))
              << acc << " " << multiplier << " " << pre_shift;
        }
      }
    }
  }
}

TEST(PreShift, StaysWithinTheLimit) {
  for (int32_t pre_shift = 0; pre_shift <= kMaxPreShift; ++pre_shift) {
    EXPECT_LE(PreShift(1 << 30, pre_shift), kAccumulatorLimit);
    EXPECT_GE(PreShift(-(1 << 30), pre_shift), -kAccumulatorLimit);
    EXPECT_EQ(1 << pre_shift, PreShift(1, pre_shift));
    EXPECT_EQ(-(1 << pre_shift), PreShift(-1, pre_shift));
  }
}

}  // namespace
}  // namespace octet
