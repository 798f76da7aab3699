#include "tests/runtime/guard/guard_fixture.h"

namespace octet {
namespace {

GuardStory Board(uint32_t plans, octet_guard_policy policy, uint32_t home = 0) {
  GuardStory story(plans);
  story.config.policy = policy;
  story.config.home_plan = home;
  story.config.shadow_every = 0;
  story.config.heat_dwell_ms = 1000;
  story.Start();
  return story;
}

TEST(Heat, RaisesPrecisionAtOnceAndComesBackWhenCoolAfterTheDwell) {
  GuardStory story = Board(2, OCTET_GUARD_RAISE_PRECISION);
  EXPECT_EQ(story.At(59999).plan, 0u);
  const octet_guard_decision hot = story.At(60000);
  EXPECT_EQ(hot.plan, 1u);
  EXPECT_EQ(hot.reason, OCTET_GUARD_HEAT);
  EXPECT_EQ(hot.events, OCTET_GUARD_GREW_HOT);
  EXPECT_EQ(story.At(55001).plan, 1u);  // hysteresis
  for (uint32_t ms = 33; ms < 933; ms += 100) EXPECT_EQ(story.At(20000, 100).plan, 1u) << ms;
  const octet_guard_decision cool = story.At(55000, 100);
  EXPECT_EQ(cool.plan, 0u);
  EXPECT_EQ(cool.reason, OCTET_GUARD_HOME);
}

TEST(Heat, AStepForEveryDwellUpToTheLastPlan) {
  GuardStory story = Board(4, OCTET_GUARD_RAISE_PRECISION, 1);
  EXPECT_EQ(story.At(70000, 1).plan, 2u);
  EXPECT_EQ(story.At(70001, 999).plan, 2u);
  EXPECT_EQ(story.At(70000, 1).plan, 3u);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(story.At(70000 + i % 2, 1000).plan, 3u);
  EXPECT_EQ(story.At(50000, 1000).plan, 2u);
  EXPECT_EQ(story.At(50001, 1000).plan, 1u);
  EXPECT_EQ(story.At(50000, 1000).plan, 1u);
}

TEST(Heat, LowersTheRate) {
  GuardStory story = Board(2, OCTET_GUARD_LOWER_RATE);
  uint32_t expected = 1;
  for (int i = 0; i < 6; ++i) {
    const octet_guard_decision decision = story.At(70000 + i, 1000);
    expected = expected == 8 ? 8 : 2 * expected;
    EXPECT_EQ(decision.rate_divisor, expected);
    EXPECT_EQ(decision.plan, 0u);
    EXPECT_EQ(decision.reason, OCTET_GUARD_HEAT);
  }
  EXPECT_EQ(story.At(50000, 1000).rate_divisor, 4u);
}

TEST(Heat, AccuracyComesFirstBelowTheThrottle) {
  GuardStory story = Board(2, OCTET_GUARD_LOWER_PRECISION, 1);
  EXPECT_EQ(story.At(70000).plan, 0u);
  for (int i = 0; i < 5; ++i) octet_guard_temperature(&story.guard, 70000), story.Frame(100);
  const octet_guard_decision accurate = story.At(70001);
  EXPECT_EQ(accurate.plan, 1u);
  EXPECT_EQ(accurate.reason, OCTET_GUARD_ACCURACY);
  const octet_guard_decision throttled = story.At(80000, 1000);
  EXPECT_EQ(throttled.plan, 0u);
  EXPECT_EQ(throttled.reason, OCTET_GUARD_THROTTLE);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(story.Frame(0).plan, 0u);  // and stays
  EXPECT_EQ(story.At(75001).plan, 0u);
  EXPECT_EQ(story.At(75000).plan, 1u);
  EXPECT_EQ(story.At(80000).plan, 1u) << "not before the dwell is over";
  EXPECT_EQ(story.At(80001, 1000).plan, 0u);
}

TEST(Heat, HeatAboveTheFloorKeepsThePlanUp) {
  GuardStory story = Board(3, OCTET_GUARD_RAISE_PRECISION);
  for (int i = 0; i < 5; ++i) story.Frame(100);
  EXPECT_EQ(story.At(70000).plan, 1u);  // one step of heat, one of the breaker
  EXPECT_EQ(story.At(70001, 1000).plan, 2u);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(story.Frame(0).plan, 2u);
}

TEST(Heat, ALostSensorCountsAsCool) {
  GuardStory story = Board(2, OCTET_GUARD_RAISE_PRECISION);
  EXPECT_EQ(story.At(70000).plan, 1u);
  for (uint32_t ms = 0; ms < 9000; ms += 1000) EXPECT_EQ(story.End(1000).events, 0u);
  const octet_guard_decision lost = story.End(1000);
  EXPECT_EQ(lost.events, OCTET_GUARD_SENSOR_LOST | OCTET_GUARD_COOLED);
  EXPECT_EQ(lost.plan, 0u);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(story.End(1000).events, 0u);  // said once
  EXPECT_EQ(story.At(200000, 1000).events, 0u);                        // absurd
  EXPECT_EQ(story.At(-40001, 1000).events, 0u);
  EXPECT_EQ(story.At(150000, 1000).events, OCTET_GUARD_SENSOR_BACK | OCTET_GUARD_GREW_HOT);
  EXPECT_EQ(story.At(-40000, 1000).events, OCTET_GUARD_COOLED);
}

TEST(Heat, WithoutASensorThereIsNoHeat) {
  GuardStory story = Board(2, OCTET_GUARD_RAISE_PRECISION);
  for (int i = 1; i < 30; ++i) {
    const octet_guard_decision decision = story.End(1000);
    EXPECT_EQ(decision.plan, 0u);
    EXPECT_EQ(decision.events, i == 10 ? OCTET_GUARD_SENSOR_LOST : 0u);
  }
}

TEST(Heat, AReadingThatNeverMovesIsNone) {
  GuardStory story = Board(2, OCTET_GUARD_RAISE_PRECISION);
  story.config.sensor_stuck_ms = 60000;
  story.Start();
  EXPECT_EQ(story.At(70000, 1000).plan, 1u);
  for (int i = 1; i < 60; ++i) EXPECT_EQ(story.At(70000, 1000).plan, 1u) << i;
  const octet_guard_decision stuck = story.At(70000, 1000);
  EXPECT_EQ(stuck.events, OCTET_GUARD_SENSOR_STUCK | OCTET_GUARD_COOLED);
  EXPECT_EQ(stuck.plan, 0u);
  EXPECT_EQ(story.At(70001, 1000).events, OCTET_GUARD_SENSOR_BACK | OCTET_GUARD_GREW_HOT);
}

TEST(Heat, IgnoredWhereThePolicySaysSo) {
  GuardStory story = Board(2, OCTET_GUARD_HEAT_IGNORED);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(story.At(100000 + i, 1000).plan, 0u);
}

// A board on which the finer plan makes more heat: 2 C more in every dwell.
TEST(Heat, APolicyThatHeatsTheBoardIsLeftUntilItHasCooled) {
  GuardStory story(2);
  story.Start();
  EXPECT_EQ(story.At(60000, 1000).plan, 1u);
  uint32_t left_at = 0;
  int32_t reading = 60000;
  for (uint32_t second = 1; second <= 60 && left_at == 0; ++second) {
    reading += 200;
    const octet_guard_decision d = story.At(reading, 1000);
    if ((d.events & OCTET_GUARD_POLICY_LEFT) != 0) left_at = second;
    EXPECT_EQ(d.plan, left_at == 0 ? 1u : 0u);
  }
  EXPECT_EQ(left_at, 20u) << "two dwells";
  for (int i = 0; i < 100; ++i) {
    const octet_guard_decision d = story.At(reading + i % 2, 1000);
    EXPECT_EQ(d.plan, 0u) << "still hot";
    EXPECT_EQ(d.events, 0u);
  }
  story.At(55000, 1000);
  story.At(56000, 20000);
  EXPECT_EQ(story.At(60000, 20000).plan, 1u) << "a new spell, a new try";
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(story.At(61000 + i % 3 * 100, 1000).plan, 1u) << "it does not rise: the policy stays";
  }
}

TEST(Heat, ThresholdsThatAreIgnoredMayBeAnyNumbers) {
  GuardStory story(2);
  story.config.policy = OCTET_GUARD_HEAT_IGNORED;
  story.config.enter_mc = INT32_MIN;
  story.config.leave_mc = INT32_MAX;
  story.config.throttle_mc = INT32_MIN;
  story.Start();
  EXPECT_EQ(story.At(60000, 1000).plan, 0u);
}

}  // namespace
}  // namespace octet
