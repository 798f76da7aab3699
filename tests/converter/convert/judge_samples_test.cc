// Who judges: samples that nobody has seen first, and how many have their numbers compared.
#include "converter/convert/judge_samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>

namespace octet::convert {
namespace {

std::vector<int64_t> FirstOf(int64_t count) {
  std::vector<int64_t> all(static_cast<size_t>(count));
  std::iota(all.begin(), all.end(), int64_t{0});
  return all;
}

// Of `given` samples that all count, of which the first `calibrate` calibrate.
JudgeSamples JudgesOf(int64_t given, int64_t calibrate, bool answers) {
  return ChooseJudgeSamples(FirstOf(given), FirstOf(std::min(given, calibrate)), answers);
}

void ExpectSound(const JudgeSamples& judges) {
  EXPECT_TRUE(std::is_sorted(judges.indices.begin(), judges.indices.end()));
  EXPECT_EQ(std::set<int64_t>(judges.indices.begin(), judges.indices.end()).size(),
            judges.indices.size());
  for (const auto* part : {&judges.fresh, &judges.numbers}) {
    EXPECT_TRUE(
        std::includes(judges.indices.begin(), judges.indices.end(), part->begin(), part->end()));
  }
}

TEST(JudgeSamples, HowManyOfEach) {
  struct Row {
    int64_t given, samples;
    bool answers;
    size_t unseen, seen, numbers;
  };
  for (const Row& row : {
           Row{1, 512, false, 0, 1, 1},        // one sample is all there is
           Row{64, 512, false, 0, 16, 16},     // numbers: the least
           Row{64, 512, true, 0, 64, 16},      // answers: all of them
           Row{400, 512, true, 0, 256, 25},    // as many as answers are compared of
           Row{2000, 2000, false, 0, 32, 32},  // numbers: the most
           Row{100, 90, false, 10, 6, 16},     // numbers: too few that nobody has seen
           Row{106, 90, false, 16, 0, 16},     // enough
           Row{513, 512, false, 1, 31, 32},    // one would be no verdict
           Row{100, 90, true, 10, 90, 16},     // answers: the others fill up
           Row{1000, 90, true, 256, 0, 16},    // as many unseen ones as are asked
           Row{1000, 90, false, 16, 0, 16},
           Row{300, 90, true, 210, 46, 16},
       }) {
    SCOPED_TRACE(testing::Message() << row.given << " given, " << row.samples << " calibrate"
                                    << (row.answers ? ", answers" : ""));
    const JudgeSamples judges = JudgesOf(row.given, row.samples, row.answers);
    ExpectSound(judges);
    EXPECT_EQ(judges.fresh.size(), row.unseen);
    EXPECT_EQ(judges.indices.size(), row.unseen + row.seen);
    EXPECT_EQ(judges.numbers.size(), row.numbers);
  }
}

TEST(JudgeSamples, UnseenFirst) {
  const JudgeSamples judges = JudgesOf(300, 200, false);
  ExpectSound(judges);
  ASSERT_FALSE(judges.fresh.empty());
  for (const int64_t index : judges.indices) EXPECT_GE(index, 200);
}

// Samples that --sample-labels leaves out judge nothing.
TEST(JudgeSamples, OfThoseThatAreKept) {
  const std::vector<int64_t> kept = {3, 5, 8, 13, 21, 34, 55, 89};
  for (const bool answers : {false, true}) {
    const JudgeSamples judges = ChooseJudgeSamples(kept, {5, 13, 34}, answers);
    ExpectSound(judges);
    EXPECT_TRUE(
        std::includes(kept.begin(), kept.end(), judges.indices.begin(), judges.indices.end()));
    EXPECT_EQ(judges.fresh, (std::vector<int64_t>{3, 8, 21, 55, 89}));
    EXPECT_EQ(judges.indices, kept);
  }
}

TEST(JudgeSamples, AtEqualDistances) {
  const JudgeSamples judges = JudgesOf(1024, 1024, true);
  ASSERT_EQ(judges.indices.size(), 256u);
  for (size_t i = 0; i < judges.indices.size(); ++i) {
    EXPECT_EQ(judges.indices[i], static_cast<int64_t>(4 * i));
  }
}

TEST(Spread, AtEqualDistances) {
  const std::vector<int64_t> samples = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18};
  EXPECT_EQ(Spread(samples, 0), std::vector<int64_t>{});
  EXPECT_EQ(Spread(samples, 1), std::vector<int64_t>{18});
  EXPECT_EQ(Spread(samples, 4), (std::vector<int64_t>{2, 8, 12, 18}));
  EXPECT_EQ(Spread(samples, 10), samples);
  EXPECT_EQ(Spread(samples, 30), samples);
}

}  // namespace
}  // namespace octet::convert
