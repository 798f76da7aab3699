#include "converter/cli/assignment.h"

#include <gtest/gtest.h>

namespace octet::cli {
namespace {

assign::Result Measured(assign::Mean int8, assign::Mean mixed, size_t samples) {
  assign::Result result;
  result.candidates.resize(2);
  result.candidates[0].name = "int8";
  result.candidates[0].measured = int8;
  result.candidates[1].name = "exact";
  result.candidates[1].measured = mixed;
  result.chosen = 1;
  result.reported = samples;
  return result;
}

TEST(Assignment, AGainWithinItsErrorIsDoubted) {
  // Standard errors of 3 and 4 are one of 5.
  EXPECT_EQ(DoubtOf(Measured({0.20, 0.03}, {0.14, 0.04}, 8)), "");
  EXPECT_NE(DoubtOf(Measured({0.20, 0.03}, {0.16, 0.04}, 8)), "");
  const std::string worse = DoubtOf(Measured({0.15, 0}, {0.16, 0}, 8));
  for (const char* part : {"'exact'", "0.15 +-", "0.16 +-", "8 samples"}) {
    EXPECT_NE(worse.find(part), std::string::npos) << part << ": " << worse;
  }
}

TEST(Assignment, ASingleSampleTellsNothing) {
  EXPECT_NE(DoubtOf(Measured({0.2, 0}, {0.1, 0}, 1)), "");
  EXPECT_EQ(DoubtOf(Measured({0.2, 0}, {0.1, 0}, 2)), "");
}

TEST(Assignment, AllInt8IsNoGain) {
  assign::Result result = Measured({0.2, 0.1}, {0.2, 0.1}, 8);
  result.chosen = 0;
  EXPECT_EQ(DoubtOf(result), "");
}

}  // namespace
}  // namespace octet::cli
