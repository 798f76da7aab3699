// OpenBLAS without room for its buffer: an error instead of a wait for ever.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <new>
#include <vector>

#include "converter/operators/matrix.h"

namespace octet::operators {
namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Multiplies with so many MB of address space left once the library is loaded. 7: no memory.
[[noreturn]] void MultiplyWithin(size_t megabytes) {
  alarm(20);
  size_t pages = 0;
  FILE* statm = std::fopen("/proc/self/statm", "r");
  if (statm == nullptr || std::fscanf(statm, "%zu", &pages) != 1) _exit(1);
  std::fclose(statm);
  const rlimit limit = {pages * 4096 + (megabytes << 20), RLIM_INFINITY};
  if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(1);
  std::vector<float> a(256 * 256, 1), c(256 * 256);
  try {
    MultiplyMatrices(256, 256, 256, 1, {a.data(), 256, false}, {a.data(), 256, false}, 0, c.data(),
                     256);
  } catch (const std::bad_alloc&) {
    _exit(7);
  }
  _exit(c[0] == 256 ? 0 : 1);
}

TEST(MatrixMemory, IsAnErrorWhereThereIsNone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own
  EXPECT_EXIT(MultiplyWithin(100), testing::ExitedWithCode(7), "");
  EXPECT_EXIT(MultiplyWithin(2000), testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace octet::operators
