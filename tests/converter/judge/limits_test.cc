// How many misses pass.
#include "converter/judge/limits.h"

#include <gtest/gtest.h>

#include <vector>

namespace octet::judge {
namespace {

TEST(AllowedMisses, NoneOfFewAndOneAtLeastFromFiveOn) {
  struct Row {
    int64_t count;
    double percent;
    int64_t allowed;
  };
  for (const Row& row : std::vector<Row>{{0, 90, 0},
                                         {4, 50, 0},
                                         {5, 90, 1},
                                         {10, 90, 1},
                                         {11, 90, 2},
                                         {20, 90, 2},
                                         {100, 98, 2},
                                         {101, 98, 3},
                                         {5, 100, 0}}) {
    EXPECT_EQ(AllowedMisses(row.count, row.percent), row.allowed) << row.count;
  }
}

}  // namespace
}  // namespace octet::judge
