#include "runtime/core/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace octet {
namespace {

// From the definition, in double.
double ValueOf(uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const double sign = (half & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

TEST(Half, EveryHalfWidensExactlyAndComesBack) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float value = HalfToFloat(half);
    if (std::isnan(ValueOf(half))) {
      EXPECT_TRUE(std::isnan(value)) << bits;
      EXPECT_EQ(FloatToHalf(value), half | 0x0200) << bits;
    } else {
      EXPECT_EQ(static_cast<double>(value), ValueOf(half)) << bits;
      EXPECT_EQ(std::signbit(value), (bits & 0x8000) != 0) << bits;
      EXPECT_EQ(FloatToHalf(value), half) << bits;
    }
  }
}

// Between two neighbours: below the middle down, above up, the middle itself to the even one.
TEST(Half, EveryIntervalRoundsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x7C00; ++bits) {
    const auto low = static_cast<uint16_t>(bits), high = static_cast<uint16_t>(bits + 1);
    // 2^16 stands in for infinity above the largest half.
    const double upper = high == 0x7C00 ? 65536.0 : ValueOf(high);
    const auto middle = static_cast<float>((ValueOf(low) + upper) / 2);
    const uint16_t even = (bits & 1) == 0 ? low : high;
    for (const int sign : {0, 0x8000}) {
      const float s = sign == 0 ? 1.0f : -1.0f;
      ASSERT_EQ(FloatToHalf(s * middle), even | sign) << bits;
      ASSERT_EQ(FloatToHalf(s * std::nextafter(middle, 0.0f)), low | sign) << bits;
      ASSERT_EQ(FloatToHalf(s * std::nextafter(middle, 1e30f)), high | sign) << bits;
    }
  }
}

TEST(Half, Extremes) {
  EXPECT_EQ(FloatToHalf(std::numeric_limits<float>::infinity()), 0x7C00);
  EXPECT_EQ(FloatToHalf(-std::numeric_limits<float>::max()), 0xFC00);
  EXPECT_EQ(FloatToHalf(std::numeric_limits<float>::denorm_min()), 0);
  EXPECT_EQ(FloatToHalf(-0.0f), 0x8000);
}

}  // namespace
}  // namespace octet
