#include "converter/simulate/chance.h"

#include <gtest/gtest.h>

namespace octet::simulate {
namespace {

// Quantiles of Student's distribution as tables have them: t, degrees of freedom, what lies above.
TEST(ChanceOf, TablesOfStudentsDistribution) {
  struct Row {
    double t;
    int64_t freedom;
    double above;
  };
  for (const Row& row :
       {Row{1, 1, 0.25}, Row{6.314, 1, 0.05}, Row{2.920, 2, 0.05}, Row{2.353, 3, 0.05},
        Row{3.182, 3, 0.025}, Row{2.132, 4, 0.05}, Row{1.753, 15, 0.05}, Row{2.602, 15, 0.01},
        Row{1.697, 30, 0.05}, Row{1.669, 63, 0.05}, Row{0, 7, 0.5}}) {
    EXPECT_NEAR(ChanceOf({row.t, 1, row.freedom + 1}), row.above, 1e-4) << row.t << row.freedom;
    EXPECT_NEAR(ChanceOf({-row.t, 1, row.freedom + 1}), 1 - row.above, 1e-4);
    // Whatever the unit.
    EXPECT_NEAR(ChanceOf({row.t * 1e-6, 1e-6, row.freedom + 1}), row.above, 1e-4);
  }
}

TEST(ChanceOf, OnePictureTellsNothing) {
  EXPECT_EQ(ChanceOf({5, 0, 1}), 1);
  EXPECT_EQ(ChanceOf({0, 0, 0}), 1);
}

TEST(ChanceOf, DifferencesThatAreAllTheSame) {
  EXPECT_EQ(ChanceOf({0.1, 0, 4}), 0);
  EXPECT_EQ(ChanceOf({0, 0, 4}), 1);
  EXPECT_EQ(ChanceOf({-0.1, 0, 4}), 1);
}

}  // namespace
}  // namespace octet::simulate
