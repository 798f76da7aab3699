#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "converter/executor/executor.h"

namespace octet::executor {
namespace {

TEST(ParallelFor, RunsEachItemOnce) {
  for (int threads : {1, 2, 7}) {
    std::vector<std::atomic<int>> runs(100);
    std::atomic<bool> in_range{true};
    ParallelFor(100, threads, [&](int thread, int64_t item) {
      ++runs[static_cast<size_t>(item)];
      if (thread < 0 || thread >= threads) in_range = false;
    });
    for (const auto& count : runs) EXPECT_EQ(count.load(), 1);
    EXPECT_TRUE(in_range.load());
  }
}

TEST(ParallelFor, NothingToDo) {
  ParallelFor(0, 2, [](int, int64_t) { FAIL(); });
}

TEST(ParallelFor, RethrowsTheErrorOfTheLowestItem) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    try {
      ParallelFor(64, 3, [](int, int64_t item) {
        if (item >= 5) throw std::runtime_error(std::to_string(item));
      });
      FAIL() << "no error";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "5");
    }
  }
}

TEST(ParallelFor, StateOfAThreadIsUsedByNobodyElse) {
  std::vector<int64_t> sums(4, 0);
  ParallelFor(1000, 4,
              [&](int thread, int64_t item) { sums[static_cast<size_t>(thread)] += item; });
  EXPECT_EQ(sums[0] + sums[1] + sums[2] + sums[3], 999 * 1000 / 2);
}

}  // namespace
}  // namespace octet::executor
