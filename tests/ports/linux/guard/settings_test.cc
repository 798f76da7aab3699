#include "ports/linux/guard/settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/facts.h"

namespace octet::port {
namespace {

using test::ExpectFacts;

octet_guard_config Defaults() {
  octet_guard_config config;
  octet_guard_defaults(&config, 2);
  return config;
}

TEST(GuardSettings, EveryNameSetsItsOwnFieldInItsUnit) {
  octet_guard_config c = Defaults();
  EXPECT_EQ(
      SetGuards("home_plan=1,trip_score=0.85,trip_frames=7,return_score=0.875,return_frames=8,"
                "dwell_s=1.5,dwell_max_s=2,reference_score=0.77,shadow_every=9,enter_c=61.5,"
                "leave_c=-5,throttle_c=81,heat_dwell_s=3,sensor_lost_s=4,sensor_stuck_s=5,"
                "weight_application=6,weight_agreement=7,weight_saturation=0,policy=lower_rate",
                &c),
      "");
  EXPECT_EQ(c.home_plan, 1u);
  EXPECT_EQ(c.trip_score, 850u);
  EXPECT_EQ(c.trip_frames, 7u);
  EXPECT_EQ(c.return_score, 875u);
  EXPECT_EQ(c.return_frames, 8u);
  EXPECT_EQ(c.dwell_ms, 1500u);
  EXPECT_EQ(c.dwell_max_ms, 2000u);
  EXPECT_EQ(c.reference_score, 770u);
  EXPECT_EQ(c.shadow_every, 9u);
  EXPECT_EQ(c.enter_mc, 61500);
  EXPECT_EQ(c.leave_mc, -5000);
  EXPECT_EQ(c.throttle_mc, 81000);
  EXPECT_EQ(c.heat_dwell_ms, 3000u);
  EXPECT_EQ(c.sensor_lost_ms, 4000u);
  EXPECT_EQ(c.sensor_stuck_ms, 5000u);
  EXPECT_EQ(c.weights[OCTET_GUARD_APPLICATION], 6u);
  EXPECT_EQ(c.weights[OCTET_GUARD_AGREEMENT], 7u);
  EXPECT_EQ(c.weights[OCTET_GUARD_SATURATION], 0u);
  EXPECT_EQ(c.policy, OCTET_GUARD_LOWER_RATE);
  // What is listed can be set, and is the same again.
  octet_guard_config again = Defaults();
  for (const auto& [name, value] : ListGuard(c)) EXPECT_TRUE(SetGuard(name, value, &again)) << name;
  EXPECT_EQ(ListGuard(again), ListGuard(c));
  EXPECT_EQ(ListGuard(c).size(), 19u);
}

TEST(GuardSettings, RefusesWhatIsNone) {
  octet_guard_config c = Defaults();
  for (const char* bad : {"trip", "frames=1", "=1", " trip_frames=5"}) {
    const std::string problem = SetGuards(bad, &c);
    EXPECT_EQ(
        problem.find(std::string("'") + bad + "' is not a setting; the settings of this blob are "),
        0u)
        << bad << ": " << problem;
    EXPECT_NE(problem.find(" trip_frames=5 "), std::string::npos) << problem;
  }
  const std::vector<std::string> whole = {"trip_frames", "5", "whole number"};
  const std::pair<const char*, std::vector<std::string>> values[] = {
      {"trip_frames", whole},
      {"trip_frames=", whole},
      {"trip_frames=1e10", whole},
      {"trip_frames=5s", whole},
      {"trip_score=nan", {"trip_score", "0.9", "0 to 1"}},
      {"dwell_s=-1", {"dwell_s", "30", "seconds"}},
      {"enter_c=1e9", {"enter_c", "60", "Celsius"}},
      {"policy=hot", {"policy", "raise_precision", "ignore", "lower_precision", "lower_rate"}}};
  for (const auto& [bad, facts] : values) {
    const std::string problem = SetGuards(bad, &c), place = std::string("'") + bad + "': ";
    EXPECT_EQ(problem.find(place), 0u) << problem;
    ExpectFacts(problem.substr(std::min(place.size(), problem.size())), facts);
  }
  EXPECT_EQ(SetGuards("", &c), "");
}

// Which rule, and both values.
TEST(GuardSettings, Contradictions) {
  const std::pair<const char*, const char*> cases[] = {
      {"home_plan=2", "home_plan 2 is not a plan of this blob: expected 0 to 1"},
      {"return_score=0.85", "return_score 0.85 is below trip_score 0.9"},
      {"trip_score=0.96,dwell_s=9999", "return_score 0.95 is below trip_score 0.96"},
      {"return_score=1.001", "return_score 1.001 is above 1"},
      {"trip_frames=0", "trip_frames 0: must be above 0"},
      {"return_frames=0", "return_frames 0: must be above 0"},
      {"reference_score=0", "reference_score 0: must be above 0"},
      {"sensor_lost_s=0", "sensor_lost_s 0: must be above 0"},
      {"dwell_s=31,dwell_max_s=30.5", "dwell_s 31 is above dwell_max_s 30.5"},
      {"leave_c=60", "leave_c 60 is not below enter_c 60"},
      {"enter_c=80", "enter_c 80 is not below throttle_c 80"},
      {"leave_c=-300", "leave_c -300: must be above -300"},
      {"throttle_c=1000", "throttle_c 1000: must be below 1000"}};
  for (const auto& [settings, line] : cases) {
    octet_guard_config c;
    octet_guard_defaults(&c, 2);
    test::ExpectFacts(SetGuards(settings, &c), {std::string("'") + settings + "': " + line});
  }
  // Heat that is ignored contradicts nothing.
  octet_guard_config c;
  octet_guard_defaults(&c, 2);
  EXPECT_EQ(SetGuards("policy=ignore,leave_c=90,sensor_lost_s=0", &c), "");
  test::ExpectFacts(SetGuards("dwell_s=999", &c),
                    {"'dwell_s=999'", "dwell_s 999", "dwell_max_s 960"});
}

}  // namespace
}  // namespace octet::port
