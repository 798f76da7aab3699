#include "ports/linux/words/shell_word.h"

#include <gtest/gtest.h>

namespace octet::port::testing {
namespace {

TEST(ShellWord, QuotedWhereAShellWouldReadIt) {
  EXPECT_EQ(ShellWord("/var/lib/octet-1.2_a,b:c=d+e"), "/var/lib/octet-1.2_a,b:c=d+e");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("two words"), "'two words'");
  EXPECT_EQ(ShellWord("$(reboot);~"), "'$(reboot);~'");
  EXPECT_EQ(ShellWord("it's"), "'it'\\''s'");
}

}  // namespace
}  // namespace octet::port::testing
