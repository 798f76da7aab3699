// Reads and writes whose calls move one byte less, are interrupted, fail or meet the end.
#include "ports/linux/output/whole.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "tests/ports/linux/io/io_calls.h"

namespace octet::test {
namespace {

class Whole : public testing::Test {
 protected:
  void SetUp() override {
    file_ = memfd_create("whole", MFD_CLOEXEC);
    std::iota(bytes_.begin(), bytes_.end(), uint8_t{1});
  }
  void TearDown() override { close(file_); }
  void Fill() const {
    ASSERT_TRUE(port::WriteWholeAt(file_, 0, bytes_.data(), bytes_.size()));
    lseek(file_, 0, SEEK_SET);
  }
  std::vector<uint8_t> Content() const {
    std::vector<uint8_t> all(400);
    all.resize(static_cast<size_t>(pread(file_, all.data(), all.size(), 0)));
    return all;
  }

  int file_ = -1;
  std::vector<uint8_t> bytes_ = std::vector<uint8_t>(100);
};

// Halves of what is left, and calls that are made again.
TEST_F(Whole, PartsMakeAWhole) {
  for (const bool at : {false, true}) {
    for (const Fault fault : {Fault::kShort, Fault::kInterrupted}) {
      ASSERT_EQ(ftruncate(file_, 0), 0);
      lseek(file_, 0, SEEK_SET);
      {
        const FailingCall parts(0, fault, fault == Fault::kShort);
        EXPECT_TRUE(at ? port::WriteWholeAt(file_, 0, bytes_.data(), 100)
                       : port::WriteWhole(file_, bytes_.data(), 100));
        EXPECT_GE(parts.calls(), 2u);
      }
      EXPECT_EQ(Content(), bytes_);
      lseek(file_, 0, SEEK_SET);
      std::vector<uint8_t> read(102, 0);
      {
        const FailingCall parts(0, fault, fault == Fault::kShort);
        EXPECT_EQ(at ? port::ReadWholeAt(file_, 0, read.data() + 1, 100)
                     : port::ReadWhole(file_, read.data() + 1, 100),
                  100u);
        EXPECT_GE(parts.calls(), 2u);
      }
      EXPECT_EQ(read.front(), 0);
      EXPECT_EQ(read.back(), 0);
      EXPECT_TRUE(std::equal(bytes_.begin(), bytes_.end(), read.begin() + 1));
    }
  }
}

TEST_F(Whole, PlacesAreKept) {
  Fill();
  std::vector<uint8_t> read(10);
  ASSERT_EQ(port::ReadWholeAt(file_, 30, read.data(), 10), 10u);
  EXPECT_EQ(read[0], 31);
  EXPECT_EQ(read[9], 40);
  ASSERT_TRUE(port::WriteWholeAt(file_, 95, bytes_.data(), 10));
  EXPECT_EQ(Content().size(), 105u);
  EXPECT_EQ(Content()[104], 10);
}

TEST_F(Whole, TheEndIsNoError) {
  Fill();
  std::vector<uint8_t> read(200);
  errno = EBADF;
  EXPECT_EQ(port::ReadWholeAt(file_, 0, read.data(), 101), 100u);
  EXPECT_EQ(errno, 0);
  errno = EBADF;
  EXPECT_EQ(port::ReadWhole(file_, read.data(), 200), 100u);
  EXPECT_EQ(errno, 0);
  errno = EBADF;
  EXPECT_EQ(port::ReadWhole(file_, read.data(), 0), 0u);
  EXPECT_EQ(errno, EBADF) << "nothing was asked";
}

TEST_F(Whole, ErrorsAreSaid) {
  Fill();
  std::vector<uint8_t> read(100);
  {
    const FailingCall fails(0, Fault::kIo, true);
    EXPECT_EQ(port::ReadWhole(file_, read.data(), 100), 0u);
    EXPECT_EQ(errno, EIO);
  }
  {
    const FailingCall full(0, Fault::kNoSpace, true);
    EXPECT_FALSE(port::WriteWhole(file_, bytes_.data(), 100));
    EXPECT_EQ(errno, ENOSPC);
  }
  EXPECT_FALSE(port::WriteWholeAt(-1, 0, bytes_.data(), 1));
  EXPECT_EQ(errno, EBADF);
  // A file that takes nothing more.
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  EXPECT_FALSE(port::WriteWhole(full, bytes_.data(), 1));
  EXPECT_EQ(errno, ENOSPC);
  close(full);
  size_t calls = 0;
  EXPECT_EQ(port::Whole(10, ENOSPC,
                        [&](size_t done, size_t left) {
                          EXPECT_EQ(done + left, 10u);
                          return ++calls == 3 ? ssize_t{0} : ssize_t{2};
                        }),
            4u);
  EXPECT_EQ(errno, ENOSPC);
}

}  // namespace
}  // namespace octet::test
