// When numbers are near enough.
#include <gtest/gtest.h>

#include "converter/judge/judge.h"

namespace octet::judge {
namespace {

struct Near {
  Findings findings;
  PlanFindings plan;
  Piece piece;
  Figures figures;

  explicit Near(const char* name) { plan.name = name; }
  bool Is() const { return findings.Reaches(plan, piece, figures); }
};

TEST(Reaches, LimitsOfThePlan) {
  Near int8("int8"), fp16("fp16");
  for (Near* near : {&int8, &fp16}) {
    near->figures.about_mean_db = 25;
    near->figures.about_elements_db = 21;
    near->figures.cosine = 0.9985;
    near->figures.rms_error = near->figures.largest = 1;
  }
  EXPECT_TRUE(int8.Is());
  EXPECT_FALSE(fp16.Is());
  // The file rounds, the FP16 plan does not.
  fp16.findings.rounds_to_codes = true;
  EXPECT_TRUE(fp16.Is());
  // One answer for all pictures.
  int8.figures.about_elements_db = 0;
  EXPECT_FALSE(int8.Is());
}

// Scores of nothing: all are small, and 8 bits tell none apart. One score that is lost among
// thousands is told apart.
TEST(Reaches, StepsThatNobodyTellsApart) {
  Near near("int8");
  near.piece.step = 1.0 / 256;
  near.figures.about_mean_db = -3;
  near.figures.rms_error = 0.001;
  near.figures.largest = 0.01;
  EXPECT_TRUE(near.Is());
  near.figures.largest = 0.6;
  EXPECT_FALSE(near.Is());
  near.figures.largest = 0.01;
  near.figures.broken = 1;
  EXPECT_FALSE(near.Is());
}

}  // namespace
}  // namespace octet::judge
