#include "converter/convert/progress.h"

#include <gtest/gtest.h>

namespace octet::convert {
namespace {

// The count of stages stands from the first on; one that is left out moves no other.
TEST(Stages, CountFromTheFirstToTheLast) {
  PlanStages({"calibrating", "choosing ranges", "rounding weights", "judging"});
  EXPECT_EQ(StageLabel("calibrating"), "[1/4] calibrating");
  EXPECT_EQ(StageLabel("rounding weights"), "[3/4] rounding weights");
  EXPECT_EQ(StageLabel("comparing"), "comparing");
  EXPECT_EQ(StageLabel("judging"), "[4/4] judging");
}

// What is done again does not count backwards.
TEST(Stages, NeverFall) {
  PlanStages({"a", "b"});
  EXPECT_EQ(StageLabel("b"), "[2/2] b");
  EXPECT_EQ(StageLabel("a"), "[2/2] a");
  PlanStages({});
  EXPECT_EQ(StageLabel("a"), "a");
}

}  // namespace
}  // namespace octet::convert
