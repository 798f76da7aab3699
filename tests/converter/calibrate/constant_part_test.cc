// The rule by which a part of a value is constant.
#include "converter/calibrate/constant_part.h"

#include <cmath>

#include <gtest/gtest.h>

namespace octet::calibrate {
namespace {

GroupRanges Seen(std::vector<Range> ranges, int64_t values = 64) {
  return {std::move(ranges), values, true};
}

TEST(ConstantPart, FromEightTimesTheVariationOn) {
  EXPECT_FALSE(HasConstantPart(Seen({{7, 9}})));
  EXPECT_TRUE(HasConstantPart(Seen({{7.25f, 9.25f}})));
  EXPECT_TRUE(HasConstantPart(Seen({{-9.25f, -7.25f}})));
  // Places of groups are told, too.
  EXPECT_FALSE(HasConstantPart(Seen({{-1, 1}, {59, 61}})));
  EXPECT_TRUE(HasConstantPart(Seen({{-1, 1}, {999, 1001}})));
  EXPECT_TRUE(HasConstantPart(Seen({{7.1f, 9.1f}}), 1));
}

TEST(ConstantPart, NotByFewValuesOrNone) {
  EXPECT_FALSE(HasConstantPart(Seen({{999, 1001}}, kLeastValues - 1)));
  EXPECT_TRUE(HasConstantPart(Seen({{999, 1001}}, kLeastValues)));
  EXPECT_FALSE(HasConstantPart(Seen({{1000, 1000}}))) << "does not vary";
  GroupRanges masked = Seen({{999, 1001}});
  masked.is_finite = false;
  EXPECT_FALSE(HasConstantPart(masked));
}

TEST(ConstantPart, IsTheMiddleInFewBits) {
  const std::vector<float> part =
      ConstantPart(Seen({{1969.87f, 2030.1f}, {-1, 2}, {5, 5}, {-1000.07f, -999.93f}}), {});
  EXPECT_NEAR(part[0], 2000, 30.0 / 4);
  EXPECT_EQ(part[1], 0);
  EXPECT_EQ(part[2], 5);
  EXPECT_NEAR(part[3], -1000, 0.07 / 4);
  for (const float number : part) {
    EXPECT_EQ(std::ldexp(number, 6), std::round(std::ldexp(number, 6))) << number;
  }
}

TEST(ConstantPart, AnAddIsTakenWholeWhereThatIsEnough) {
  EXPECT_EQ(ConstantPart(Seen({{1970, 2030}}), {1970}), std::vector<float>{1970});
  // What is in front of it has a constant of its own.
  EXPECT_NE(ConstantPart(Seen({{1999, 2001}}), {1000}), std::vector<float>{1000});
}

}  // namespace
}  // namespace octet::calibrate
