#include "converter/convert/progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

#include "tests/support/facts.h"

namespace octet::convert {
namespace {

// The count of stages stands from the first on; one that is left out moves no other.
TEST(Stages, CountFromTheFirstToTheLast) {
  Progress progress({"calibrating", "choosing ranges", "rounding weights", "judging"});
  EXPECT_EQ(progress.Begin("calibrating"), "[1/4] calibrating");
  EXPECT_EQ(progress.Begin("rounding weights"), "[3/4] rounding weights");
  EXPECT_EQ(progress.Begin("comparing"), "comparing");
  EXPECT_EQ(progress.Begin("judging"), "[4/4] judging");
}

// What is done again does not count backwards.
TEST(Stages, NeverFall) {
  Progress progress({"a", "b"});
  EXPECT_EQ(progress.Begin("b"), "[2/2] b");
  EXPECT_EQ(progress.Begin("a"), "[2/2] a");
  EXPECT_EQ(Progress().Begin("a"), "a");
}

// What a terminal shows: a bar of 30 signs, and how much of all is done.
class Terminal {
 public:
  Terminal() : old_(dup(STDERR_FILENO)) {
    other_ = posix_openpt(O_RDWR | O_NOCTTY);
    grantpt(other_);
    unlockpt(other_);
    const int own = open(ptsname(other_), O_RDWR | O_NOCTTY);
    dup2(own, STDERR_FILENO);
    close(own);
  }
  ~Terminal() {
    dup2(old_, STDERR_FILENO);
    close(old_);
    close(other_);
  }
  // Of what was written since.
  std::string Read() const {
    std::string text(4096, ' ');
    const ssize_t bytes = read(other_, text.data(), text.size());
    text.resize(static_cast<size_t>(std::max<ssize_t>(0, bytes)));
    return text;
  }

 private:
  int old_, other_;
};

std::string Bar(size_t done) {
  return "[" + std::string(done, '#') + std::string(30 - done, '.') + "]";
}

TEST(Progress, ABarOnATerminal) {
  std::vector<std::string> lines;
  {
    const Terminal terminal;
    for (const int64_t done : {0, 1, 10, 20}) {
      Progress progress;
      Stage stage(&progress, "working");
      stage.Show(done, 20);
      lines.push_back(terminal.Read());
      stage.Finish();
      terminal.Read();
    }
  }
  test::ExpectFacts(lines[0], {"\rworking", Bar(0), "0 %"});
  EXPECT_EQ(lines[0].find("left"), std::string::npos) << "nobody knows yet";
  test::ExpectFacts(lines[1], {"\rworking", Bar(1), "5 %", "s left"});
  test::ExpectFacts(lines[2], {"\rworking", Bar(15), "50 %", "s left"});
  test::ExpectFacts(lines[3], {"\rworking", Bar(30), "100 %", "0 s left"});
}

}  // namespace
}  // namespace octet::convert
