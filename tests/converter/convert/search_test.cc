// What is taken of what is proposed, and who may judge it then.
#include "converter/convert/search.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/converter/convert/search_support.h"
#include "tests/support/facts.h"

namespace octet::convert {
namespace {

using given::Files;
using given::GivenClock;
using given::Stages;

// x has three channels, of which the last is always 0. 'a' reads the first, 'b' the second. Beside
// the weight of what is always 0, 8 bits leave nearly nothing of the other: 'a' is off by `a_error`
// of its result, 'b' by an eighth.
class SearchTest : public ::testing::Test {
 protected:
  static constexpr float kLarge = 127, kB = 8.0f / 7;

  // Whether a channel of a sample has numbers.
  using Has = bool (*)(int64_t sample, size_t channel);
  static bool All(int64_t, size_t) { return true; }

  void Make(Has has, float a = 1 / 0.7f) {
    test::OnnxBuilder model;
    const test::OnnxValue x = model.Input("x", {1, 3, 8, 8});
    const auto layer = [&](const std::string& name, const std::vector<float>& weights) {
      const test::OnnxValue w = model.Initializer(name + "_w", {1, 3, 1, 1}, weights);
      model.Output(model.Node("Conv", {x.name(), w.name()}, {}, {"y_" + name}, name).name());
    };
    layer("a", {a, 0, kLarge});
    layer("b", {0, kB, kLarge});
    files_.Write(model, {1, 3, 8, 8}, [has](int64_t sample, size_t number) {
      const size_t channel = number / 64;
      if (channel == 2 || !has(sample, channel)) return 0.0f;
      return static_cast<float>((static_cast<size_t>(sample) * 77 + number * 31) % 201) / 100 - 1;
    });
    stages_ = std::make_unique<Stages>(files_.Options());
    evidence_ = std::make_unique<Evidence>(stages_->calibrated);
  }
  // An FP16 layer takes `more` percent of an int8 layer's time besides, which is half of the
  // plan's.
  Search Searching(int64_t more, double budget = 0.25) {
    clock_ = std::make_unique<GivenClock>(more);
    return {evidence_.get(), clock_.get(), budget,
            [this](const quantize::Scheme& scheme) { return stages_->PlanOf(scheme); }};
  }
  Search::Candidate Candidate(const std::set<std::string>& fp16) const {
    std::string name;
    for (const std::string& node : fp16) name += node;
    return {name, stages_->With(fp16)};
  }
  // Of the samples of the judge.
  std::vector<int64_t> Judging() const {
    return evidence_->Judge({stages_->PlanOf(stages_->With({}))}).samples;
  }

  Files files_;
  std::unique_ptr<Stages> stages_;
  std::unique_ptr<Evidence> evidence_;
  std::unique_ptr<GivenClock> clock_;
};

TEST_F(SearchTest, TakesWhatGainsMoreThanItCosts) {
  Make(All);
  Search search = Searching(10);
  EXPECT_FALSE(search.HasAnswers());
  EXPECT_EQ(search.Choose(stages_->With({}), {Candidate({"b"}), Candidate({"a"})}), 1u);
  ASSERT_EQ(search.proposals().size(), 2u);
  const judge::Proposal &b = search.proposals()[0], &a = search.proposals()[1];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.nodes, 1u);
  EXPECT_TRUE(a.kept);
  test::ExpectFacts(a.why, {"two halves"});
  EXPECT_NEAR(a.time_share, 0.05, 1e-9);
  // Of a few decibels each is worth a hundredth of the time.
  EXPECT_GT(a.before - a.after, 5);
  EXPECT_GT(a.gain.low, 5);
  EXPECT_LE(a.gain.low, a.before - a.after);
  EXPECT_GE(a.gain.high, a.before - a.after);
  // The worst output is that of 'a'.
  EXPECT_FALSE(b.kept);
  EXPECT_NEAR(b.before, b.after, 0.1);
  test::ExpectFacts(b.why, {"less than its time"});
  EXPECT_NE(search.Unit().find("dB"), std::string::npos);
  EXPECT_EQ(Judging().size(), 16u) << "nobody has chosen for himself";
}

TEST_F(SearchTest, LeavesWhatCostsMoreThanItGains) {
  Make(All);
  Search search = Searching(40);
  EXPECT_FALSE(search.Choose(stages_->With({}), {Candidate({"a"})}));
  ASSERT_EQ(search.proposals().size(), 1u);
  EXPECT_FALSE(search.proposals()[0].kept);
  EXPECT_GT(search.proposals()[0].gain.low, 5);
  test::ExpectFacts(search.proposals()[0].why, {"less than its time"});
  EXPECT_EQ(Judging().size(), 16u);
}

TEST_F(SearchTest, NothingIsTakenWhereNothingIsGained) {
  Make(All);
  Search search = Searching(0);
  EXPECT_FALSE(search.Choose(stages_->With({}), {Candidate({})}));
  EXPECT_FALSE(search.Choose(stages_->With({}), {}));
}

TEST_F(SearchTest, TakesTheBestOfThose) {
  Make(All);
  Search search = Searching(10);
  EXPECT_EQ(search.Choose(stages_->With({}), {Candidate({"a"}), Candidate({"a", "b"})}), 1u);
  EXPECT_EQ(search.proposals()[1].nodes, 2u);
  EXPECT_FALSE(search.proposals()[0].kept);
}

// One budget for all.
TEST_F(SearchTest, AllTogetherKeepTheBudget) {
  Make(All);
  Search poor = Searching(10, 0.04);
  EXPECT_FALSE(poor.Choose(stages_->With({}), {Candidate({"a"})}));
  test::ExpectFacts(poor.proposals()[0].why, {"budget", "4.0 %"});
  Search search = Searching(10, 0.08);
  EXPECT_EQ(search.Choose(stages_->With({}), {Candidate({"a"})}), 0u);
  EXPECT_FALSE(search.Choose(stages_->With({"a"}), {Candidate({"a", "b"})}));
  ASSERT_EQ(search.proposals().size(), 2u);
  EXPECT_GT(search.proposals()[1].gain.low, 5) << "it would gain";
  test::ExpectFacts(search.proposals()[1].why, {"budget", "3.0 %"});
}

// Even samples see 'a' alone, odd ones 'b' alone: what the first half chooses gains the other
// nothing.
TEST_F(SearchTest, ChoicesThatTheOtherHalfDoesNotGainByAreNone) {
  Make([](int64_t sample, size_t channel) { return sample % 2 == static_cast<int64_t>(channel); });
  Search search = Searching(10);
  EXPECT_FALSE(search.Choose(stages_->With({}), {Candidate({"a"}), Candidate({"b"})}));
  for (const judge::Proposal& proposal : search.proposals()) EXPECT_FALSE(proposal.kept);
  const std::vector<int64_t> judging = Judging();
  EXPECT_EQ(judging.size(), 8u);
  for (const int64_t sample : judging) EXPECT_EQ(sample % 2, 1) << "the first half has chosen";
}

// The second half would rather have both.
TEST_F(SearchTest, ChoicesThatTheOtherHalfGainsByAreTaken) {
  Make([](int64_t sample, size_t channel) { return channel == 0 || sample % 2 == 1; });
  Search search = Searching(10);
  EXPECT_EQ(search.Choose(stages_->With({}), {Candidate({"a", "b"}), Candidate({"a"})}), 1u);
  EXPECT_FALSE(search.proposals()[0].kept);
  EXPECT_TRUE(search.proposals()[1].kept);
  test::ExpectFacts(search.proposals()[1].why, {"one half", "the other gains"});
  for (const int64_t sample : Judging()) EXPECT_EQ(sample % 2, 1);
}

TEST_F(SearchTest, PlansThatCannotBeMadeAreLeftOut) {
  Make(All);
  clock_ = std::make_unique<GivenClock>(10);
  const size_t a = stages_->Node("a");
  Search search(evidence_.get(), clock_.get(), 0.25,
                [&](const quantize::Scheme& scheme) -> std::optional<write::Plan> {
                  if (scheme.precision[a] == blob::Precision::kFp16) return std::nullopt;
                  return stages_->PlanOf(scheme);
                });
  EXPECT_FALSE(search.Choose(stages_->With({}), {Candidate({"a"})}));
  EXPECT_TRUE(search.proposals().empty());
  EXPECT_FALSE(search.Choose(stages_->With({"a"}), {Candidate({})}));
  EXPECT_FALSE(search.Misses(stages_->With({"a"})));
}

// A weight of half a step is rounded up to a whole one: all of it is error.
TEST_F(SearchTest, MissesWhatLosesMoreThanTheLimit) {
  Make(All, 0.52f);
  Search search = Searching(10);
  EXPECT_TRUE(search.Misses(stages_->With({})));
  EXPECT_FALSE(search.Misses(stages_->With({"a"})));
}

// All of a weight of half a step is error. FP16 there gains about 50 dB, which is worth half of the
// plan's time at most.
TEST_F(SearchTest, APlanThatMissesIsMendedWhateverTheTimeWithinTheBudget) {
  Make(All, 0.52f);
  Search worth = Searching(400, 3);
  EXPECT_FALSE(worth.Choose(stages_->With({}), {Candidate({"a"})}));
  Search search = Searching(400, 3);
  EXPECT_EQ(search.Mend(stages_->With({}), {Candidate({"b"}), Candidate({"a"})}), 1u)
      << "'b' costs as much, and the plan would still miss";
  EXPECT_TRUE(search.proposals()[1].kept);
  // What is taken counts for the budget: 1 is left, and 'b' takes 2 of the plan's time now.
  EXPECT_FALSE(search.Choose(stages_->With({"a"}), {Candidate({"a", "b"})}));
  Search poor = Searching(400, 1);
  EXPECT_FALSE(poor.Mend(stages_->With({}), {Candidate({"a"})}));
  test::ExpectFacts(poor.proposals()[0].why, {"budget", "100.0 %"});
}

// 'a' takes 400 ns more, of a plan of 200.
TEST_F(SearchTest, SmallTimesAreFreeForMending) {
  Make(All, 0.52f);
  Search search = Searching(400, 0.25);
  search.MakeFree(400);
  EXPECT_FALSE(search.Choose(stages_->With({}), {Candidate({"a"})})) << "not for mending";
  EXPECT_EQ(search.Mend(stages_->With({}), {Candidate({"a"})}), 0u);
  EXPECT_FALSE(search.Mend(stages_->With({}), {Candidate({"a"})})) << "it is used up";
  // The budget itself is as it was: 10 of 600.
  clock_ = std::make_unique<GivenClock>(10);
  Search small = Searching(10, 0.25);
  small.MakeFree(9);
  EXPECT_EQ(small.Mend(stages_->With({}), {Candidate({"a"})}), 0u);
  EXPECT_NEAR(small.proposals()[0].time_share, 0.05, 1e-9);
}

// Both outputs are measured by the worse one: what mends the other gains nothing.
TEST_F(SearchTest, MoreIsMendedOnlyWhereItGains) {
  Make(All);
  Search search = Searching(400, 0.25);
  search.MakeFree(10000);
  EXPECT_FALSE(search.MendMore(stages_->With({}), {Candidate({"b"})}));
  EXPECT_EQ(search.MendMore(stages_->With({}), {Candidate({"b"}), Candidate({"a"})}), 1u);
  EXPECT_FALSE(Searching(400, 0.25).MendMore(stages_->With({}), {Candidate({"a"})}))
      << "without free time";
}

TEST_F(SearchTest, SameForAnyThreadCount) {
  Make(All);
  Search one = Searching(10);
  one.Choose(stages_->With({}), {Candidate({"a"}), Candidate({"b"})});
  stages_->options.threads = 3;
  evidence_ = std::make_unique<Evidence>(stages_->calibrated);
  Search three = Searching(10);
  three.Choose(stages_->With({}), {Candidate({"a"}), Candidate({"b"})});
  ASSERT_EQ(one.proposals().size(), three.proposals().size());
  for (size_t i = 0; i < one.proposals().size(); ++i) {
    EXPECT_EQ(one.proposals()[i].after, three.proposals()[i].after);
    EXPECT_EQ(one.proposals()[i].gain.low, three.proposals()[i].gain.low);
    EXPECT_EQ(one.proposals()[i].kept, three.proposals()[i].kept);
  }
}

}  // namespace
}  // namespace octet::convert
