#include "converter/judge/measure/score_pairs.h"

#include <gtest/gtest.h>

#include <vector>

namespace octet::judge {
namespace {

TEST(ScorePairs, LogitsAreThoseOfScores) {
  EXPECT_EQ(Logit(0.5), 0);
  EXPECT_NEAR(ShiftedScore(0.5, 1), 0.7310586, 1e-6);
  EXPECT_NEAR(ShiftedScore(ShiftedScore(0.9, -0.7), 0.7), 0.9, 1e-9);
  EXPECT_LT(ShiftedScore(0, 1), 1e-5);
  EXPECT_GT(ShiftedScore(1, -1), 1 - 1e-5);
}

TEST(LogitShift, FindsWhatAllScoresHaveLost) {
  for (const double lost : {-0.4, 0.0, 0.05, 0.4}) {
    std::vector<ScorePair> pairs;
    for (const float exact : {0.5f, 0.6f, 0.7f, 0.95f}) {
      pairs.push_back({exact, static_cast<float>(ShiftedScore(static_cast<double>(exact), -lost))});
    }
    EXPECT_NEAR(LogitShift(pairs), lost, 1e-5);
  }
}

TEST(LogitShift, MakesTheMeanOfScoresEqual) {
  const std::vector<ScorePair> pairs = {{0.9f, 0.6f}, {0.55f, 0.6f}, {0.7f, 0.71f}};
  const double shift = LogitShift(pairs);
  double difference = 0;
  for (const ScorePair& pair : pairs) {
    difference +=
        ShiftedScore(static_cast<double>(pair.plan), shift) - static_cast<double>(pair.exact);
  }
  EXPECT_NEAR(difference, 0, 1e-6);
}

TEST(LogitShift, HasEnds) {
  EXPECT_EQ(LogitShift({}), 0);
  EXPECT_NEAR(LogitShift({{0.99f, 0.01f}}), kLargestLogitShift, 1e-5);
  EXPECT_NEAR(LogitShift({{0.01f, 0.99f}}), -kLargestLogitShift, 1e-5);
}

}  // namespace
}  // namespace octet::judge
