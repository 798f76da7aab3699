// Classes, masks, counts and lists compared as such.
#include "converter/judge/discrete.h"

#include <gtest/gtest.h>

namespace octet::judge {
namespace {

double PercentOf(Kind kind, const std::vector<float>& reference, const std::vector<float>& plan) {
  Output output;
  output.kind = kind;
  output.pieces = {{"y", true, 0, 0}};
  Likeness likeness;
  likeness.Add(output, reference, plan);
  return likeness.Percent();
}

Output RowsOf(int64_t rows, int64_t columns, bool exact) {
  Output output;
  output.kind = Kind::kRows;
  output.rows = rows;
  output.columns = columns;
  output.pieces = {{"y", exact, 0, 0}};
  return output;
}

TEST(Likeness, ClassesMasksCounts) {
  EXPECT_EQ(PercentOf(Kind::kClasses, {1, 2, 3, 0}, {1, 2, 4, 0}), 75);
  EXPECT_EQ(PercentOf(Kind::kMask, {1, 1, 0, 0}, {1, 0, 0, 0}), 50);
  EXPECT_EQ(PercentOf(Kind::kMask, {0, 0, 0, 0}, {0, 0, 0, 0}), 100);
  EXPECT_EQ(PercentOf(Kind::kCounts, {10}, {9}), 90);
}

// Two of nearly equal scores changed places.
TEST(Likeness, IndicesInAnotherOrder) {
  Likeness likeness;
  likeness.Add(RowsOf(4, 1, true), {7, 3, 9, 1}, {3, 7, 9, 2});
  EXPECT_EQ(likeness.Percent(), 75);
}

TEST(Likeness, RowsOfBoxesInAnotherOrder) {
  const std::vector<float> reference = {0, 0, 100, 100, 50, 50, 60, 60},
                           swapped = {51, 50, 60, 59, 0, 1, 99, 100},
                           other = {51, 50, 60, 59, 30, 1, 99, 100};
  Likeness likeness;
  likeness.Add(RowsOf(2, 4, false), reference, swapped);
  EXPECT_EQ(likeness.Percent(), 100);
  EXPECT_TRUE(likeness.Agrees(Kind::kRows, kFp16Limits));
  likeness.Add(RowsOf(2, 4, false), reference, other);
  EXPECT_EQ(likeness.Percent(), 75);
  EXPECT_FALSE(likeness.Agrees(Kind::kRows, kInt8Limits));
}

// NonMaxSuppression: -1 in the rows that are spare. One box more is one row more.
TEST(Likeness, SpareRowsDoNotCount) {
  std::vector<float> reference(300, -1), plan(300, -1);
  const std::vector<float> boxes = {0, 1, 17, 0, 1, 40, 0, 2, 5};
  std::copy(boxes.begin(), boxes.begin() + 6, reference.begin());
  std::copy(boxes.begin(), boxes.end(), plan.begin());
  Likeness likeness;
  likeness.Add(RowsOf(100, 3, true), reference, plan);
  EXPECT_DOUBLE_EQ(likeness.Percent(), 80);
}

}  // namespace
}  // namespace octet::judge
