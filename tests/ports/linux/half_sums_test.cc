// Sums in FP16 beside float sums: the distance, and who is compared.
#include "ports/linux/half_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ports/linux/run/self_test.h"

namespace octet::test {
namespace {

TEST(HalfSums, DistanceAsAShareOfTheRange) {
  const float floats[] = {-1, 0, 3};
  const auto share = [&](float a, float b, float c) {
    const float halves[] = {a, b, c};
    return port::ShareOfRange(floats, halves, 3);
  };
  EXPECT_EQ(share(-1, 0, 3), 0);
  EXPECT_NEAR(share(-1, 0.02f, 3), 0.0028868, 1e-7);
  EXPECT_NEAR(share(-2, 0, 2), 0.2041241, 1e-6);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isinf(share(-1, nan, 3)));
  const float flat[] = {2, 2}, odd[] = {2, 2.5f}, none[] = {nan, 1};
  EXPECT_TRUE(std::isinf(port::ShareOfRange(flat, odd, 2)));
  EXPECT_EQ(port::ShareOfRange(flat, flat, 2), 0);
  EXPECT_EQ(port::ShareOfRange(none, none, 2), 0);
}

// A row of octet-run --self-test, at the limit and behind it.
TEST(HalfSums, ARowIsRightUpToTheLimit) {
  port::SelfTestRow row{};
  row.hash_ok = true;
  EXPECT_TRUE(row.ok());
  row.half_sums = 0.01;
  EXPECT_TRUE(row.ok());
  row.half_sums = 0.0101;
  EXPECT_FALSE(row.ok());
}

}  // namespace
}  // namespace octet::test
