#include "converter/judge/over_time.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace octet::judge {
namespace {

TEST(OverTime, IsEmptyWithoutSteps) {
  EXPECT_TRUE(OverTime().IsEmpty());
  EXPECT_TRUE(OverTime(1, 4).IsEmpty());
}

TEST(OverTime, ErrorsGrowFromPartToPart) {
  constexpr int64_t kLength = 80;
  OverTime time(1, kLength);
  for (int64_t sequence = 0; sequence < 2; ++sequence) {
    for (int64_t step = 0; step < kLength; ++step) {
      const float meant = step % 2 == 0 ? 1.0f : -1.0f;
      const float error = step < 40 ? 0.1f : 0.01f;
      time.Add(sequence, step, {{meant, -meant}}, {{meant + error, -meant}});
    }
  }
  const std::vector<double> db = time.Db();
  ASSERT_EQ(db.size(), 8u);
  for (size_t part = 0; part < 8; ++part) {
    EXPECT_EQ(time.FirstStep(part), static_cast<int64_t>(part) * 10);
    EXPECT_NEAR(db[part], part < 4 ? 23.01 : 43.01, 0.01) << part;
  }
  EXPECT_EQ(time.same(), time.decisions());
  EXPECT_FALSE(time.first().has_value());
  EXPECT_NE(time.Words({"y"}).find("160 of 160 decisions are FP32's"), std::string::npos);
}

TEST(OverTime, TheEarliestStepOfASequenceIsTold) {
  OverTime time(2, 10);
  for (int64_t sequence = 0; sequence < 3; ++sequence) {
    for (int64_t step = 0; step < 10; ++step) {
      const bool other = (sequence == 0 && step >= 7) || (sequence == 2 && step == 4);
      time.Add(sequence, step, {{0.4f}, {1, 2, 3}}, {{0.45f}, {1, 2, other ? 1.5f : 3.0f}});
    }
  }
  EXPECT_EQ(time.decisions(), 60);
  EXPECT_EQ(time.same(), 56);
  ASSERT_TRUE(time.first().has_value());
  EXPECT_EQ(time.first()->sequence, 2);
  EXPECT_EQ(time.first()->step, 4);
  EXPECT_EQ(time.first()->output, 1u);
  EXPECT_NE(
      time.Words({"p", "logits"}).find("the first other one at step 4 of sequence 2 ('logits')"),
      std::string::npos);
  EXPECT_EQ(time.Json({"p", "logits"})["first_other"]["output"], "logits");
}

TEST(OverTime, OneNumberDecidesByAHalfAndMapsDoNot) {
  OverTime time(2, 1);
  time.Add(0, 0, {{0.6f}, std::vector<float>(1025, 1)}, {{0.4f}, std::vector<float>(1025, 2)});
  EXPECT_EQ(time.decisions(), 1);
  EXPECT_EQ(time.same(), 0);
}

// Ten steps in eight parts, about a mean that is a hundred times what varies.
TEST(OverTime, PartsOfUnequalLengthAboutTheMean) {
  OverTime time(1, 10);
  for (int64_t step = 0; step < 10; ++step) time.Add(0, step, {{99, 101}}, {{99.125f, 101}});
  EXPECT_FALSE(time.IsEmpty());
  EXPECT_EQ(time.Words({"y"}),
            "over time: 21.1 dB in steps 0 to 1, 21.1 dB in steps 2 to 2, 21.1 dB in steps 3 to 3, "
            "21.1 dB in steps 4 to 4, 21.1 dB in steps 5 to 6, 21.1 dB in steps 7 to 7, 21.1 dB in "
            "steps 8 to 8, 21.1 dB in steps 9 to 9; 10 of 10 decisions are FP32's");
}

TEST(OverTime, WhatIsExactOrConstantHasNoDecibels) {
  for (const float actual : {5.0f, 6.0f}) {
    OverTime time(1, 1);
    time.Add(0, 0, {{5, 5}}, {{actual, actual}});
    EXPECT_EQ(time.Db(), std::vector<double>{std::numeric_limits<double>::infinity()}) << actual;
    EXPECT_TRUE(time.Json({"y"})["parts"][0]["snr_db"].is_null());
  }
}

}  // namespace
}  // namespace octet::judge
