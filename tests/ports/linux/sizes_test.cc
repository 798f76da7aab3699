// Sizes of system types that 32-bit boards need: storage above 2 GiB, years behind 2037.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

namespace octet {
namespace {

static_assert(sizeof(off_t) == 8, "slots and models above 2 GiB");
#if defined(OCTET_STATIC_PROGRAM)
static_assert(sizeof(time_t) == 8, "a static program brings a C library that has it");
#endif

TEST(Sizes, FilesAbove2GiBCanBeSeenAndRead) {
  char name[] = "/tmp/octet-large-XXXXXX";
  const int file = mkstemp(name);
  ASSERT_GE(file, 0);
  unlink(name);
  constexpr int64_t kAt = (int64_t{1} << 32) + 12345;
  const char byte = 'x';
  ASSERT_EQ(pwrite(file, &byte, 1, static_cast<off_t>(kAt)), 1);
  struct stat status;
  ASSERT_EQ(fstat(file, &status), 0);
  EXPECT_EQ(static_cast<int64_t>(status.st_size), kAt + 1);
  char read = 0;
  EXPECT_EQ(pread(file, &read, 1, static_cast<off_t>(kAt)), 1);
  EXPECT_EQ(read, byte);
  close(file);
}

}  // namespace
}  // namespace octet
