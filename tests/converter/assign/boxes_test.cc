#include "converter/assign/boxes.h"

#include <gtest/gtest.h>

namespace octet::assign {
namespace {

simulate::Scores Of(const std::vector<double>& agreements) {
  simulate::Scores scores;
  scores.judged = true;
  for (const double agreement : agreements) scores.pictures.push_back({{}, agreement});
  return scores;
}

TEST(Boxes, PicturesWithoutAnyTellNothing) {
  EXPECT_DOUBLE_EQ(BoxAgreement(Of({1, 0.5, 1, 0.7, 1})), 0.6);
  EXPECT_EQ(BoxAgreement(Of({1, 1})), 1);
  EXPECT_EQ(BoxAgreement(Of({})), 1);
  const Mean gain = BoxGain(Of({1, 0.5, 0.7, 1}), Of({1, 0.9, 1, 1}));
  EXPECT_DOUBLE_EQ(gain.value, 0.35) << "0.4 and 0.3";
}

TEST(Boxes, OnlyWhatIsCertainIsGained) {
  // Differences of 0.4 and 0.2: the mean 0.3, its standard error 0.1.
  const simulate::Scores before = Of({0.5, 0.6, 1}), after = Of({0.9, 0.8, 1});
  EXPECT_NEAR(CertainBoxGain(before, after), 0.2, 1e-12);
  EXPECT_NEAR(CertainBoxGain(after, before), -0.2, 1e-12);
  EXPECT_EQ(CertainBoxGain(Of({0.5, 0.5}), Of({0.9, 0.2})), 0) << "0.4 and -0.3 may be luck";
  EXPECT_EQ(CertainBoxGain(Of({0.5, 1}), Of({0.9, 1})), 0) << "one picture tells nothing";
}

}  // namespace
}  // namespace octet::assign
