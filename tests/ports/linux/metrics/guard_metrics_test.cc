// Decisions of the guard, as it makes them, and what is counted of them.
#include "ports/linux/camera/program/guard/metrics.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>

namespace octet::port {
namespace {

class GuardCounts : public testing::Test {
 protected:
  void SetUp() override {
    octet_guard_defaults(&config_, 2);
    config_.shadow_every = 0;
  }
  void Begin() {
    ASSERT_EQ(octet_guard_init(&guard_, &config_, now_ms_).code, OCTET_OK);
    counts_.emplace(&camera_, config_.home_plan);
  }
  // So many frames, a second apart.
  void Frames(int count, uint32_t score, int32_t millidegrees = 40000) {
    for (int i = 0; i < count; ++i) {
      now_ms_ += 1000;
      if (score != OCTET_GUARD_NO_SCORE) octet_guard_score(&guard_, OCTET_GUARD_APPLICATION, score);
      // Never the very same, which would be a sensor that is stuck.
      if (millidegrees != 0) octet_guard_temperature(&guard_, millidegrees + i % 2);
      octet_guard_decision decision;
      octet_guard_frame(&guard_, now_ms_, &decision);
      counts_->Add(decision);
    }
  }
  void ExpectLines(std::initializer_list<std::string> lines) const {
    Exposition out(Metrics::kTextBytes);
    metrics_.Write(0, &out);
    const std::string text(out.text());
    for (const std::string& line : lines) {
      EXPECT_NE(text.find("\n" + line + "\n"), std::string::npos) << line << " not in:\n" << text;
    }
  }

  octet_guard_config config_;
  octet_guard guard_;
  uint32_t now_ms_ = 0;
  Metrics metrics_{0};
  CameraMetrics& camera_ = metrics_.AddCamera("");
  std::optional<GuardMetrics> counts_;
};

TEST_F(GuardCounts, ATripAndAReturn) {
  Begin();
  Frames(4, 500);
  ExpectLines({"octet_breaker_events_total{event=\"trip\"} 0", "octet_score 0.5"});
  Frames(1, 500);
  ExpectLines({"octet_breaker_events_total{event=\"trip\"} 1",
               "octet_plan_switches_total{reason=\"accuracy\"} 1"});
  // In the last plan there is nowhere to go.
  Frames(5, 500);
  ExpectLines({"octet_breaker_events_total{event=\"stuck\"} 1",
               "octet_plan_switches_total{reason=\"accuracy\"} 1"});
  Frames(40, 990);
  ExpectLines({"octet_breaker_events_total{event=\"return\"} 1",
               "octet_plan_switches_total{reason=\"recovered\"} 1", "octet_score 0.99"});
  // Down again at once: the dwell grows.
  Frames(5, 500);
  ExpectLines({"octet_breaker_events_total{event=\"trip\"} 2",
               "octet_breaker_events_total{event=\"flap\"} 1",
               "octet_plan_switches_total{reason=\"accuracy\"} 2",
               "octet_plan_switches_total{reason=\"heat\"} 0",
               "octet_plan_switches_total{reason=\"cool\"} 0"});
}

TEST_F(GuardCounts, HeatAndCool) {
  Begin();
  Frames(30, OCTET_GUARD_NO_SCORE, 65000);
  ExpectLines({"octet_thermal_events_total{event=\"hot\"} 1",
               "octet_plan_switches_total{reason=\"heat\"} 1"});
  Frames(30, OCTET_GUARD_NO_SCORE, 40000);
  ExpectLines({"octet_thermal_events_total{event=\"cool\"} 1",
               "octet_plan_switches_total{reason=\"cool\"} 1",
               "octet_plan_switches_total{reason=\"heat\"} 1",
               "octet_plan_switches_total{reason=\"recovered\"} 0"});
}

// The finer plan makes the board hotter: it goes, and nothing has cooled.
TEST_F(GuardCounts, APolicyThatIsLeft) {
  Begin();
  for (int second = 0; second < 40; ++second) {
    Frames(1, OCTET_GUARD_NO_SCORE, 61000 + 200 * second);
  }
  ExpectLines({"octet_thermal_events_total{event=\"hot\"} 1",
               "octet_thermal_events_total{event=\"left\"} 1",
               "octet_thermal_events_total{event=\"cool\"} 0",
               "octet_plan_switches_total{reason=\"heat\"} 2",
               "octet_plan_switches_total{reason=\"cool\"} 0"});
}

TEST_F(GuardCounts, ALowerRate) {
  config_.policy = OCTET_GUARD_LOWER_RATE;
  Begin();
  Frames(2, OCTET_GUARD_NO_SCORE, 65000);
  ExpectLines({"octet_rate_divisor 2"});
  Frames(60, OCTET_GUARD_NO_SCORE, 40000);
  ExpectLines({"octet_rate_divisor 1", "octet_plan_switches_total{reason=\"heat\"} 0"});
}

TEST_F(GuardCounts, HeatBeforeAccuracy) {
  config_.policy = OCTET_GUARD_LOWER_PRECISION;
  Begin();
  Frames(5, 500);  // the breaker trips
  Frames(30, OCTET_GUARD_NO_SCORE, 85000);
  ExpectLines({"octet_plan_switches_total{reason=\"throttle\"} 1"});
  Frames(60, OCTET_GUARD_NO_SCORE, 40000);
  ExpectLines({"octet_plan_switches_total{reason=\"cool\"} 1",
               "octet_plan_switches_total{reason=\"accuracy\"} 1"});
}

TEST_F(GuardCounts, ASensorThatGoes) {
  Begin();
  Frames(5, OCTET_GUARD_NO_SCORE, 50000);
  Frames(15, OCTET_GUARD_NO_SCORE, 0);
  ExpectLines({"octet_thermal_events_total{event=\"lost\"} 1",
               "octet_thermal_events_total{event=\"back\"} 0"});
  Frames(5, OCTET_GUARD_NO_SCORE, 50000);
  ExpectLines({"octet_thermal_events_total{event=\"back\"} 1"});
}

TEST_F(GuardCounts, ByHand) {
  Begin();
  Frames(1, 990);
  ASSERT_EQ(octet_guard_hold(&guard_, 1).code, OCTET_OK);
  Frames(3, 990);
  ExpectLines({"octet_plan_switches_total{reason=\"manual\"} 1"});
  ASSERT_EQ(octet_guard_hold(&guard_, OCTET_GUARD_NO_PLAN).code, OCTET_OK);
  Frames(3, 990);
  ExpectLines({"octet_plan_switches_total{reason=\"manual\"} 2",
               "octet_plan_switches_total{reason=\"cool\"} 0"});
}

}  // namespace
}  // namespace octet::port
