#include "ports/linux/words/numbers.h"

#include <gtest/gtest.h>

namespace octet::port::testing {
namespace {

TEST(Numbers, DecimalAndNothingElse) {
  uint32_t a = 0, b = 0;
  EXPECT_TRUE(ReadNumbers("640x480", 'x', {&a, &b}));
  EXPECT_EQ(a, 640u);
  EXPECT_EQ(b, 480u);
  EXPECT_TRUE(ReadNumbers("010", ',', {&a}));
  EXPECT_EQ(a, 10u);
  EXPECT_TRUE(ReadNumbers("4294967295", ',', {&a}));
  EXPECT_EQ(a, UINT32_MAX);
  for (const char* text : {"", "x", "1x", "x1", "1", "1x2x3", "1x2 ", " 1x2", "+1x2", "-1x2",
                           "1x+2", "0x10x2", "1X2", "4294967296x1"}) {
    EXPECT_FALSE(ReadNumbers(text, 'x', {&a, &b})) << text;
  }
}

}  // namespace
}  // namespace octet::port::testing
