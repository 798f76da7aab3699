#include "ports/linux/words/nearest.h"

#include <gtest/gtest.h>

namespace octet::port::testing {
namespace {

// A letter put in, left out or replaced, and two neighbours swapped, count one each.
TEST(Nearest, Letters) {
  EXPECT_EQ(Nearest("abcd", {"axyd", "abxcd"}), "abxcd");
  EXPECT_EQ(Nearest("abcd", {"axyd", "abd"}), "abd");
  EXPECT_EQ(Nearest("abcd", {"axyd", "abxd"}), "abxd");
  EXPECT_EQ(Nearest("winogard", {"thermal", "whitelist", "winograd"}), "winograd");
  EXPECT_EQ(Nearest("abdc", {"abxy", "abcd"}), "abcd");
}

TEST(Nearest, TheFirstOfSeveral) {
  EXPECT_EQ(Nearest("abcd", {"abce", "abcf"}), "abce");
  EXPECT_EQ(Nearest("abcd", {"abcf", "abce"}), "abcf");
}

// Only where the start says something.
TEST(Nearest, ANameThatGoesOn) {
  EXPECT_EQ(Nearest("trip", {"tri_ps", "trip_score"}), "trip_score");
  EXPECT_EQ(Nearest("tr", {"trip_score", "axy"}), "axy");
}

TEST(Nearest, Ends) {
  EXPECT_EQ(Nearest("abc", {}), "");
  EXPECT_EQ(Nearest("", {"abc", "a"}), "a");
  EXPECT_EQ(Nearest(std::string(100000, 'a'), {std::string(100000, 'b'), std::string(300, 'a')}),
            std::string(300, 'a'));
}

}  // namespace
}  // namespace octet::port::testing
