// Classes, masks, counts and lists compared as such.
#include "converter/judge/discrete.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

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

// Labels, boxes and scores that one TopK picked: right boxes with each other's labels are wrong.
TEST(Likeness, OutputsOfOneListAreColumnsOfIt) {
  const Output labels = RowsOf(3, 1, true), boxes = RowsOf(3, 4, false);
  Output scores = RowsOf(3, 1, false);
  scores.pieces[0].orders = true;
  const std::vector<float> label = {7, 3, 9}, other_label = {3, 7, 9}, swapped_label = {3, 7, 1};
  const std::vector<float> box = {0, 0, 100, 100, 50, 50, 60, 60, 9, 9, 20, 20},
                           swapped_box = {50, 50, 60, 60, 0, 0, 100, 100, 70, 70, 80, 90};
  const std::vector<float> score = {0.9f, 0.5f, 0.1f}, swapped_score = {0.9f, 0.88f, 0.1f};
  const auto percent = [&](const std::vector<float>& l, const std::vector<float>& b,
                           const std::vector<float>& s) {
    Likeness likeness;
    likeness.AddList({{&labels, &label, &l}, {&boxes, &box, &b}, {&scores, &score, &s}});
    return likeness.Percent();
  };
  EXPECT_EQ(percent(label, box, score), 100);
  EXPECT_EQ(percent(other_label, box, score), 0);
  // The last row weighs nothing: another may have come last.
  EXPECT_EQ(percent(swapped_label, swapped_box, {0.52f, 0.88f, 0.1f}), 100);
  // Of 0.8 + 0.4 and 0.8 + 0.78 the rows of 0.8 and 0.8 are alike.
  EXPECT_NEAR(percent(label, box, swapped_score), 100 * 1.6 / 2.78, 1e-4);
}

// As many rows of noise as the list has room for do not hide the one that counts.
TEST(Likeness, RowsWeighByTheirScores) {
  Output scores = RowsOf(100, 1, false), labels = RowsOf(100, 1, true);
  scores.pieces[0].orders = true;
  std::vector<float> score(100, 0.01f), label(100), other(100);
  score[0] = 0.9f;
  score[1] = 0.02f;
  for (size_t i = 0; i < label.size(); ++i) label[i] = static_cast<float>(i);
  other = label;
  other[0] = 50;
  Likeness likeness;
  likeness.AddList({{&labels, &label, &other}, {&scores, &score, &score}});
  EXPECT_LT(likeness.Percent(), 2);
  EXPECT_FALSE(likeness.Agrees(Kind::kRows, kInt8Limits));
  Likeness flat;  // without scores that differ all rows count
  const std::vector<float> same(100, 0.5f);
  flat.AddList({{&labels, &label, &other}, {&scores, &same, &same}});
  EXPECT_DOUBLE_EQ(flat.Percent(), 99);
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

// Lists of five rows, a letter each, of which the plan has another second row.
TEST(Likeness, RoomIsTheRowsAtTheEndThatRepeatOneAnother) {
  const auto list = [](const std::string& letters) {
    std::vector<float> values;
    for (const char letter : letters) values.insert(values.end(), 4, static_cast<float>(letter));
    return values;
  };
  const auto percent = [&](const std::string& reference, const std::string& plan) {
    Likeness likeness;
    likeness.Add(RowsOf(5, 4, true), list(reference), list(plan));
    return likeness.Percent();
  };
  EXPECT_DOUBLE_EQ(percent("abcss", "axcss"), 100 * 2.0 / 3);
  EXPECT_DOUBLE_EQ(percent("absss", "axsss"), 50);
  EXPECT_DOUBLE_EQ(percent("abcds", "axcds"), 80) << "one row alone is no room";
  EXPECT_DOUBLE_EQ(percent("sbsss", "sxsss"), 50) << "a row like the room, in front of others";
  EXPECT_EQ(percent("sssss", "ttttt"), 100) << "two lists of nothing";
}

TEST(Likeness, CountsThatAreNoNumbers) {
  EXPECT_EQ(PercentOf(Kind::kCounts, {10, 30}, {std::nanf(""), 30}), 100 * 29.0 / 40);
  EXPECT_EQ(PercentOf(Kind::kCounts, {10}, {std::nanf("")}), 0);
}

// What is exactly as alike as it has to be agrees.
TEST(Likeness, LimitsAreReached) {
  Limits limits = kInt8Limits;
  limits.iou = 50, limits.f1 = 90;
  Output output;
  output.pieces = {{"y", true, 0, 0}};
  const auto agrees = [&](Kind kind, const std::vector<float>& reference,
                          const std::vector<float>& plan) {
    output.kind = kind;
    Likeness likeness;
    likeness.Add(output, reference, plan);
    return likeness.Agrees(kind, limits);
  };
  EXPECT_TRUE(agrees(Kind::kMask, {1, 1, 0}, {1, 0, 0}));
  EXPECT_FALSE(agrees(Kind::kMask, {1, 1, 1}, {1, 0, 0}));
  EXPECT_TRUE(agrees(Kind::kCounts, {10}, {9}));
  EXPECT_FALSE(agrees(Kind::kCounts, {10}, {8}));
  EXPECT_TRUE(agrees(Kind::kNumbers, {1}, {2})) << "not judged by likeness";
}

TEST(Likeness, TheFirstColumnMayOrderTheRows) {
  Output scores = RowsOf(3, 1, false), labels = RowsOf(3, 1, true);
  scores.pieces[0].orders = true;
  const std::vector<float> score = {0.9f, 0.1f, 0}, label = {1, 2, 3}, other = {5, 2, 3};
  Likeness likeness;
  likeness.AddList({{&scores, &score, &score}, {&labels, &label, &other}});
  EXPECT_NEAR(likeness.Percent(), 10, 1e-4);
  EXPECT_FALSE(likeness.Agrees(Kind::kRows, kInt8Limits));
  // Two rows that repeat one another are room, those of the plan are not.
  Likeness room;
  room.Add(RowsOf(2, 1, true), {5, 5}, {5, 6});
  EXPECT_EQ(room.Percent(), 0);
}

}  // namespace
}  // namespace octet::judge
