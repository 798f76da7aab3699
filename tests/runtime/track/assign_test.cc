// The assignment against all assignments, and its steps where boxes are equal.
#include "runtime/track/assign.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/runtime/track/random.h"

namespace octet::track {
namespace {

using test::Random;

struct Problem {
  uint32_t rows, columns;
  std::vector<uint16_t> gains, column_of, row_of;

  Problem(uint32_t r, uint32_t c)
      : rows(r), columns(c), gains(size_t{r} * c), column_of(r), row_of(c) {}

  void Solve() {
    std::vector<int32_t> u(rows), v(columns), distance(columns), rank(columns), from(columns);
    Assign({gains.data(), rows, columns, columns, column_of.data(), row_of.data(), u.data(),
            v.data(), distance.data(), rank.data(), from.data()});
  }

  // Of the solution; -1: it is not an assignment.
  int64_t Sum() const {
    int64_t sum = 0;
    for (uint32_t r = 0; r < rows; ++r) {
      if (column_of[r] == kNone) continue;
      const uint16_t gain = gains[size_t{r} * columns + column_of[r]];
      if (gain == 0 || row_of[column_of[r]] != r) return -1;
      sum += gain;
    }
    for (uint32_t c = 0; c < columns; ++c) {
      if (row_of[c] != kNone && column_of[row_of[c]] != c) return -1;
    }
    return sum;
  }

  int64_t Best(uint32_t row, uint32_t used) const {
    if (row == rows) return 0;
    int64_t best = Best(row + 1, used);
    for (uint32_t c = 0; c < columns; ++c) {
      const uint16_t gain = gains[size_t{row} * columns + c];
      if (gain == 0 || (used >> c & 1) != 0) continue;
      best = std::max(best, gain + Best(row + 1, used | 1u << c));
    }
    return best;
  }
};

TEST(Assignment, HasTheGreatestSumOfAll) {
  Random random(1);
  for (uint32_t n = 0; n < 3000; ++n) {
    Problem problem(1 + random.Below(6), 1 + random.Below(6));
    // Few values make many equal sums; wide ones make long paths.
    const uint32_t most = random.OneIn(2) ? 3 : 65535, empty = 1 + random.Below(4);
    for (uint16_t& gain : problem.gains) {
      gain = random.OneIn(empty) ? 0 : static_cast<uint16_t>(1 + random.Below(most));
    }
    problem.Solve();
    ASSERT_EQ(problem.Sum(), problem.Best(0, 0)) << "problem " << n;
  }
}

// Weak duality: an assignment whose sum equals that of the potentials is the best one. Here by a
// second way, for sizes at which all assignments cannot be tried: the mirrored problem.
TEST(Assignment, IsTheSameSumWhenRowsAndColumnsChangePlaces) {
  Random random(2);
  for (uint32_t n = 0; n < 60; ++n) {
    Problem problem(5 + random.Below(90), 5 + random.Below(90));
    const uint32_t empty = 2 + random.Below(8);
    for (uint16_t& gain : problem.gains) {
      gain = random.OneIn(empty) ? 0 : static_cast<uint16_t>(1 + random.Below(65535));
    }
    Problem mirrored(problem.columns, problem.rows);
    for (uint32_t r = 0; r < problem.rows; ++r) {
      for (uint32_t c = 0; c < problem.columns; ++c) {
        mirrored.gains[size_t{c} * problem.rows + r] =
            problem.gains[size_t{r} * problem.columns + c];
      }
    }
    problem.Solve();
    mirrored.Solve();
    ASSERT_GT(problem.Sum(), 0);
    ASSERT_EQ(problem.Sum(), mirrored.Sum()) << "problem " << n;
  }
}

TEST(Assignment, OfNothingIsNothing) {
  Problem problem(3, 2);
  problem.Solve();
  EXPECT_EQ(problem.column_of, std::vector<uint16_t>(3, kNone));
  EXPECT_EQ(problem.row_of, std::vector<uint16_t>(2, kNone));
}

}  // namespace
}  // namespace octet::track
