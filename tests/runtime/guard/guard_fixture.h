// A guard and a clock for tests that tell a story frame by frame.
#ifndef OCTET_TESTS_RUNTIME_GUARD_GUARD_FIXTURE_H_
#define OCTET_TESTS_RUNTIME_GUARD_GUARD_FIXTURE_H_

#include <gtest/gtest.h>

#include "octet/guard.h"

namespace octet {

constexpr uint32_t kFrameMs = 33;

class GuardStory {
 public:
  explicit GuardStory(uint32_t plans, uint32_t start_ms = 1000) : now_ms_(start_ms) {
    octet_guard_defaults(&config, plans);
  }
  void Start() { ASSERT_EQ(octet_guard_init(&guard, &config, now_ms_).code, OCTET_OK); }

  // One frame with the application's score (OCTET_GUARD_NO_SCORE: none).
  octet_guard_decision Frame(uint32_t score, uint32_t ms = kFrameMs) {
    if (score != OCTET_GUARD_NO_SCORE) octet_guard_score(&guard, OCTET_GUARD_APPLICATION, score);
    return End(ms);
  }
  octet_guard_decision End(uint32_t ms = kFrameMs) {
    now_ms_ += ms;
    octet_guard_decision decision;
    octet_guard_frame(&guard, now_ms_, &decision);
    return decision;
  }
  // A frame at this temperature.
  octet_guard_decision At(int32_t millidegrees, uint32_t ms = kFrameMs) {
    octet_guard_temperature(&guard, millidegrees);
    return End(ms);
  }
  // Trips from plan 0 by scores of the application.
  void Trip() {
    for (uint32_t i = 0; i + 1 < config.trip_frames; ++i) {
      ASSERT_EQ(Frame(100).events, 0u);
    }
    ASSERT_EQ(Frame(100).events, OCTET_GUARD_TRIPPED);
  }

  octet_guard_config config;
  octet_guard guard;

 private:
  uint32_t now_ms_;
};

}  // namespace octet

#endif  // OCTET_TESTS_RUNTIME_GUARD_GUARD_FIXTURE_H_
