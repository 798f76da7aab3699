// Average precision of a stream against numbers worked out by hand.
#include "ports/linux/camera/program/score/live_score.h"

#include <gtest/gtest.h>

namespace octet::port {
namespace {

Results Found(std::vector<octet_detection> boxes) {
  Results results;
  results.task = OCTET_TASK_DETECT;
  results.count = static_cast<uint32_t>(boxes.size());
  results.boxes = std::move(boxes);
  return results;
}

// Frames of one box each.
struct Frame {
  octet_detection found;
  TruthBox truth;
};
double ScoreOf(uint32_t classes, const std::vector<Frame>& frames) {
  LiveScore score(classes);
  for (const Frame& frame : frames) score.Add(Found({frame.found}), std::span(&frame.truth, 1));
  return score.MeanAveragePrecision();
}

TEST(LiveScore, OfOneBox) {
  const TruthBox truth = {10, 20, 20, 40, 0};
  EXPECT_EQ(LiveScore(3).MeanAveragePrecision(), 0);
  EXPECT_DOUBLE_EQ(ScoreOf(1, {{{10, 20, 20, 40, 0.5f, 0}, truth}}), 100);
  EXPECT_DOUBLE_EQ(ScoreOf(1, {{{10, 20, 20, 30, 0.5f, 0}, truth}}), 100) << "just half";
  EXPECT_DOUBLE_EQ(ScoreOf(1, {{{10, 20, 20, 29, 0.5f, 0}, truth}}), 0);
  EXPECT_DOUBLE_EQ(ScoreOf(1, {{{10, 20, 15, 40, 0.5f, 0}, truth}}), 100);
  EXPECT_DOUBLE_EQ(ScoreOf(1, {{{10, 20, 20, 60, 0.5f, 0}, truth}}), 100);
  EXPECT_DOUBLE_EQ(ScoreOf(1, {{{10, 20, 20, 61, 0.5f, 0}, truth}}), 0);
  EXPECT_DOUBLE_EQ(ScoreOf(1, {{{20, 20, 30, 40, 0.5f, 0}, truth}}), 0);
  EXPECT_DOUBLE_EQ(ScoreOf(1, {{{10, 40, 20, 60, 0.5f, 0}, truth}}), 0);
  EXPECT_DOUBLE_EQ(ScoreOf(2, {{{10, 20, 20, 40, 0.5f, 1}, truth}}), 0) << "of another class";
  EXPECT_DOUBLE_EQ(ScoreOf(1, {{{10, 20, 20, 40, 7, 0}, truth}}), 100) << "scores end at 1";
  EXPECT_DOUBLE_EQ(ScoreOf(1, {{{10, 20, 20, 40, -7, 0}, truth}}), 100);
}

TEST(LiveScore, ClassesThereAreNotDoNotCount) {
  const octet_detection right = {0, 0, 4, 4, 0.5f, 0}, other = {0, 0, 4, 4, 0.5f, 2};
  EXPECT_DOUBLE_EQ(ScoreOf(2, {{right, {0, 0, 4, 4, 0}}, {other, {0, 0, 4, 4, 2}}}), 100);
  EXPECT_DOUBLE_EQ(ScoreOf(3, {{right, {0, 0, 4, 4, 0}}, {other, {0, 0, 4, 4, 1}}}), 50);
}

// Scores 0.9 right, 0.8 wrong, 0.7 right, and one box that nobody found: precision 1 up to a recall
// of 1/3, then 2/3 up to 2/3.
TEST(LiveScore, AreaUnderTheCurve) {
  const TruthBox truth = {0, 0, 4, 4, 0};
  const octet_detection far = {50, 50, 54, 54, 0.8f, 0};
  EXPECT_NEAR(
      ScoreOf(1, {{{0, 0, 4, 4, 0.9f, 0}, truth}, {far, truth}, {{0, 0, 4, 4, 0.7f, 0}, truth}}),
      100 * (1 + 2.0 / 3) / 3, 1e-9);
  // The precision at a recall is the best at any larger one.
  EXPECT_NEAR(ScoreOf(1, {{{50, 50, 54, 54, 0.9f, 0}, truth},
                          {{0, 0, 4, 4, 0.8f, 0}, truth},
                          {{0, 0, 4, 4, 0.7f, 0}, truth}}),
              100 * (2 * 2.0 / 3) / 3, 1e-9);
}

TEST(LiveScore, EachBoxIsFoundOnce) {
  LiveScore score(1);
  const TruthBox truth[] = {{0, 0, 4, 4, 0}, {10, 0, 14, 4, 0}};
  score.Add(Found({{0, 0, 4, 4, 0.9f, 0}, {0, 0, 4, 4, 0.8f, 0}, {10, 0, 14, 4, 0.7f, 0}}), truth);
  EXPECT_NEAR(score.MeanAveragePrecision(), 100 * (1 + 2.0 / 3) / 2, 1e-9);
}

// Of several boxes that overlap the one that fits best is meant.
TEST(LiveScore, TheBestOverlapCounts) {
  LiveScore score(1);
  const TruthBox truth[] = {{0, 0, 4, 6, 0}, {0, 0, 4, 4, 0}, {0, 0, 4, 5, 0}};
  score.Add(Found({{0, 0, 4, 4, 0.9f, 0}, {0, 0, 4, 6, 0.8f, 0}, {0, 0, 4, 5, 0.7f, 0}}), truth);
  EXPECT_DOUBLE_EQ(score.MeanAveragePrecision(), 100);
}

}  // namespace
}  // namespace octet::port
