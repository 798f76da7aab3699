#include <gtest/gtest.h>

#include <cmath>

#include "runtime/core/half.h"
#include "runtime/drift/log2.h"

namespace octet::drift {
namespace {

TEST(DriftLog2, PowersAreThoseOfTheEighths) {
  for (int j = 0; j < kStepsPerOctave; ++j) {
    EXPECT_EQ(kPowers[j], std::llround(std::exp2(j / 8.0L) * 1073741824.0L)) << j;
  }
}

TEST(DriftLog2, TimesPowerIsTheProductRoundedOnce) {
  const int64_t values[] = {0,
                            1,
                            -1,
                            3,
                            1 << 30,
                            INT32_MAX,
                            INT32_MIN,
                            (int64_t{1} << 32) - 1,
                            1 - (int64_t{1} << 32),
                            12345678};
  for (int64_t value : values) {
    for (int steps = -48; steps <= 48; ++steps) {
      const long double exact = static_cast<long double>(value) * std::exp2(steps / 8.0L);
      // The factor has 31 bits.
      const long double slack = 0.5L + std::fabs(exact) / 2147483648.0L;
      EXPECT_NEAR(static_cast<double>(static_cast<long double>(TimesPower(value, steps)) - exact),
                  0, static_cast<double>(slack))
          << value << " " << steps;
    }
    EXPECT_EQ(TimesPower(value, 0), value);
    EXPECT_EQ(TimesPower(value, 16), 4 * value);
  }
  EXPECT_EQ(TimesPower(3, -8), 2) << "halves go up";
  EXPECT_EQ(TimesPower(-3, -8), -1);
}

TEST(DriftLog2, LogarithmIsTheFloorInSteps) {
  for (int exponent = -126; exponent <= 127; ++exponent) {
    EXPECT_EQ(Log2Of(FloatBits(std::ldexp(1.0f, exponent))), 256 * exponent);
  }
  int off = 0;
  for (uint32_t bits = FloatBits(1.0f); bits < FloatBits(4.0f); bits += 997) {
    const double exact = 256 * std::log2(static_cast<double>(BitsFloat(bits)));
    const int32_t found = Log2Of(bits);
    ASSERT_LE(found, exact + 1e-9);
    ASSERT_GE(found, exact - 1.0001);
    off += found != static_cast<int32_t>(std::floor(exact));
  }
  EXPECT_EQ(off, 0) << "squares are cut to 30 bits, which shows nowhere here";
}

}  // namespace
}  // namespace octet::drift
