// Lines whose reader is slower than they are: whole or not at all, and in order.
#include "ports/linux/camera/program/line_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace octet::port {
namespace {

class LineWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(pipe(ends_), 0);
    ASSERT_EQ(fcntl(ends_[0], F_SETFL, O_NONBLOCK), 0);
    ASSERT_EQ(fcntl(ends_[1], F_SETPIPE_SZ, 1 << 16), 1 << 16);
  }
  void TearDown() override {
    for (const int end : ends_) close(end);
  }
  // All that the pipe holds.
  std::string Read() const {
    std::string text;
    char some[4096];
    for (ssize_t count; (count = read(ends_[0], some, sizeof(some))) > 0;) {
      text.append(some, static_cast<size_t>(count));
    }
    return text;
  }

  int ends_[2];
  StopRequest stop_;
};

// Bytes that tell where they stand.
std::string Counting(size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) text += std::to_string(i) + " ";
  return text + "\n";
}

Line LineOf(const std::string& text) {
  Line line(text.size() + 1);
  line.Add("%s", text.c_str());
  return line;
}

TEST_F(LineWriterTest, ALineThatTheReaderTakesInTwoPartsIsWhole) {
  LineWriter writer(ends_[1], false, stop_);
  const std::string large = Counting(100000);
  EXPECT_TRUE(writer.Write(LineOf(large)));
  const std::string first = Read();
  EXPECT_GT(first.size(), 4000u);
  EXPECT_LT(first.size(), large.size());
  EXPECT_TRUE(writer.Write(LineOf("next\n")));
  EXPECT_EQ(first + Read(), large + "next\n");
  EXPECT_EQ(writer.dropped(), 0u);
}

TEST_F(LineWriterTest, LinesBehindOneThatNobodyTakesAreDroppedAndCounted) {
  LineWriter writer(ends_[1], false, stop_);
  const std::string large = Counting(100000);
  EXPECT_TRUE(writer.Write(LineOf(large)));
  EXPECT_TRUE(writer.Write(LineOf("lost\n")));
  EXPECT_TRUE(writer.Write(LineOf("lost\n")));
  EXPECT_EQ(writer.dropped(), 2u);
  const std::string first = Read();
  writer.WriteLast(LineOf("last\n"));
  EXPECT_EQ(first + Read(), large + "last\n");
  EXPECT_EQ(writer.dropped(), 2u);
}

}  // namespace
}  // namespace octet::port
