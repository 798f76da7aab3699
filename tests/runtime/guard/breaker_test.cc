#include "tests/runtime/guard/guard_fixture.h"

namespace octet {
namespace {

constexpr uint32_t kNone = OCTET_GUARD_NO_SCORE;

// Without shadow runs: the application's score alone decides.
GuardStory Alone(uint32_t plans, uint32_t start_ms = 1000) {
  GuardStory story(plans, start_ms);
  story.config.shadow_every = 0;
  story.config.dwell_ms = 1000;
  story.config.dwell_max_ms = 4000;
  return story;
}

TEST(Breaker, FiveBadFramesInARowAndNotFour) {
  GuardStory story = Alone(2);
  story.Start();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(story.Frame(899).plan, 0u);
  EXPECT_EQ(story.Frame(900).plan, 0u);  // not below: the row is broken
  for (int i = 0; i < 4; ++i) EXPECT_EQ(story.Frame(899).plan, 0u);
  const octet_guard_decision decision = story.Frame(899);
  EXPECT_EQ(decision.plan, 1u);
  EXPECT_EQ(decision.reason, OCTET_GUARD_ACCURACY);
  EXPECT_EQ(decision.events, OCTET_GUARD_TRIPPED);
  EXPECT_EQ(decision.score, 899u);
}

TEST(Breaker, FramesWithoutScoreDoNotCount) {
  GuardStory story = Alone(2);
  story.Start();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(story.Frame(0).plan, 0u);
    for (int k = 0; k < 20; ++k) EXPECT_EQ(story.Frame(kNone).score, kNone);
  }
  EXPECT_EQ(story.Frame(0).plan, 1u);
}

TEST(Breaker, TheReferenceIsAHundredPercent) {
  GuardStory story = Alone(2);
  story.config.reference_score = 600;
  story.Start();
  EXPECT_EQ(story.Frame(540).score, 900u);
  EXPECT_EQ(story.Frame(539).score, 898u);
  EXPECT_EQ(story.Frame(900).score, 1000u);  // no more than full
}

TEST(Breaker, ReturnsAfterTheDwellAndGoodScores) {
  GuardStory story = Alone(2);
  story.Start();
  story.Trip();
  uint32_t frames = 0;  // of 100 ms
  octet_guard_decision decision;
  do {
    decision = story.Frame(frames < 3 ? 940 : 950, 100);  // above the trip, below the return
    ++frames;
  } while (decision.plan == 1 && frames < 100);
  EXPECT_EQ(frames, 10u);  // the dwell: five good ones came before
  EXPECT_EQ(decision.events, OCTET_GUARD_RETURNED);
  EXPECT_EQ(decision.reason, OCTET_GUARD_HOME);
}

TEST(Breaker, WaitsForGoodScoresBehindTheDwell) {
  GuardStory story = Alone(2);
  story.Start();
  story.Trip();
  for (int i = 0; i < 15; ++i) EXPECT_EQ(story.Frame(949, 100).plan, 1u);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(story.Frame(950, 100).plan, 1u);
  EXPECT_EQ(story.Frame(950, 100).plan, 0u);
}

TEST(Breaker, DwellGrowsWhileItFlapsAndShrinksAfterwards) {
  GuardStory story = Alone(2);
  story.Start();
  const auto back = [&] {
    uint32_t ms = 0;
    while (story.Frame(1000, 10).plan == 1 && ms < 100000) ms += 10;
    return ms + 10;
  };
  story.Trip();
  EXPECT_EQ(back(), 1000u);
  story.Trip();  // at once
  EXPECT_EQ(back(), 2000u);
  story.Trip();
  EXPECT_EQ(back(), 4000u);
  story.Trip();
  EXPECT_EQ(back(), 4000u);                             // no more than dwell_max_ms
  for (int i = 0; i < 500; ++i) story.Frame(1000, 10);  // 5 s without a trip
  story.Trip();
  EXPECT_EQ(back(), 2000u);
  for (int i = 0; i < 500; ++i) story.Frame(1000, 10);
  story.Trip();
  EXPECT_EQ(back(), 1000u);
}

TEST(Breaker, ClimbsALadderStepByStepAndSaysWhereItEnds) {
  GuardStory story = Alone(3);
  story.Start();
  story.Trip();
  story.Trip();
  EXPECT_EQ(story.Frame(1000).plan, 2u);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(story.Frame(0).events, 0u);
  const octet_guard_decision last = story.Frame(0);
  EXPECT_EQ(last.events, OCTET_GUARD_EXHAUSTED);
  EXPECT_EQ(last.plan, 2u);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(story.Frame(0).events, 0u);  // once is enough
}

TEST(Breaker, ShadowRunsComeEveryNthFrameAndWhileThereIsTime) {
  GuardStory story(2);
  story.config.shadow_every = 10;
  story.Start();
  for (int i = 1; i <= 40; ++i) {
    const uint32_t plan = octet_guard_shadow(&story.guard, 1);
    EXPECT_EQ(plan, i % 10 == 0 ? 1u : OCTET_GUARD_NO_PLAN) << i;
    if (plan == 1) octet_guard_agreement(&story.guard, 1000);
    EXPECT_EQ(story.End().score, plan == 1 ? 1000u : kNone);
  }
  for (int i = 1; i <= 15; ++i) {
    EXPECT_EQ(octet_guard_shadow(&story.guard, 0), OCTET_GUARD_NO_PLAN);
    story.End();
  }
  EXPECT_EQ(octet_guard_shadow(&story.guard, 1), 1u);  // overdue
}

TEST(Breaker, DisagreementIsLookedIntoAtOnce) {
  GuardStory story(2);
  story.config.shadow_every = 10;
  story.Start();
  for (int i = 1; i < 10; ++i) {
    EXPECT_EQ(octet_guard_shadow(&story.guard, 1), OCTET_GUARD_NO_PLAN);
    story.End();
  }
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(octet_guard_shadow(&story.guard, 1), 1u) << i;
    octet_guard_agreement(&story.guard, 500);
    EXPECT_EQ(story.End().plan, i == 4 ? 1u : 0u);
  }
}

// FP16 would see no better: a change would not help.
TEST(Breaker, ABadSceneIsNotThePlansFault) {
  GuardStory story(2);
  story.config.shadow_every = 10;
  story.Start();
  uint32_t shadows = 0;
  for (int i = 0; i < 300; ++i) {
    octet_guard_score(&story.guard, OCTET_GUARD_APPLICATION, 200);
    if (octet_guard_shadow(&story.guard, 1) != OCTET_GUARD_NO_PLAN) {
      octet_guard_agreement(&story.guard, 990);
      ++shadows;
    }
    EXPECT_EQ(story.End().plan, 0u);
  }
  EXPECT_GE(shadows, 30u);
  EXPECT_LE(shadows, 75u);  // asked again now and then, not every frame
  // and now it is
  uint32_t frames = 0;
  for (; frames < 20; ++frames) {
    octet_guard_score(&story.guard, OCTET_GUARD_APPLICATION, 200);
    if (octet_guard_shadow(&story.guard, 1) != OCTET_GUARD_NO_PLAN) {
      octet_guard_agreement(&story.guard, 300);
    }
    if (story.End().plan == 1) break;
  }
  EXPECT_LT(frames, 10u);
}

TEST(Breaker, ThePlanBelowIsTriedInTheShadowBeforeItRuns) {
  GuardStory story(2);
  story.config.shadow_every = 4;
  story.config.dwell_ms = story.config.dwell_max_ms = 1000;
  story.Start();
  for (int i = 0; i < 5; ++i) {
    octet_guard_score(&story.guard, OCTET_GUARD_APPLICATION, 100);
    if (octet_guard_shadow(&story.guard, 1) == 1) octet_guard_agreement(&story.guard, 100);
    story.End();
  }
  uint32_t agreement = 900;
  for (int i = 0; i < 400;
       ++i) {  // disagrees for ever: never goes back, whatever the application says
    octet_guard_score(&story.guard, OCTET_GUARD_APPLICATION, 1000);
    const uint32_t plan = octet_guard_shadow(&story.guard, 1);
    if (plan != OCTET_GUARD_NO_PLAN) {
      EXPECT_EQ(plan, 0u);
      octet_guard_agreement(&story.guard, agreement);
    }
    ASSERT_EQ(story.End(100).plan, 1u);
  }
  agreement = 950;
  uint32_t good = 0, frames = 0;
  octet_guard_decision decision;
  do {
    if (octet_guard_shadow(&story.guard, 1) == 0)
      octet_guard_agreement(&story.guard, agreement), ++good;
    decision = story.End(100);
  } while (decision.plan == 1 && ++frames < 100);
  EXPECT_EQ(good, 5u);
  EXPECT_EQ(decision.events, OCTET_GUARD_RETURNED);
}

// In the middle of a ladder both neighbours are of interest.
TEST(Breaker, ShadowsTakeTurnsInTheMiddle) {
  GuardStory story(3);
  story.config.shadow_every = 2;
  story.Start();
  for (int i = 0; i < 5; ++i) story.Frame(100);
  uint32_t below = 0, above = 0;
  for (int i = 0; i < 40; ++i) {
    const uint32_t plan = octet_guard_shadow(&story.guard, 1);
    below += plan == 0 ? 1 : 0;
    above += plan == 2 ? 1 : 0;
    if (plan != OCTET_GUARD_NO_PLAN) octet_guard_agreement(&story.guard, plan == 0 ? 0 : 1000);
    EXPECT_EQ(story.End().plan, 1u);
  }
  EXPECT_EQ(below, 10u);
  EXPECT_EQ(above, 10u);
}

TEST(Breaker, WeightsMixTheSignals) {
  GuardStory story(2);
  story.config.weights[OCTET_GUARD_APPLICATION] = 3;
  story.config.weights[OCTET_GUARD_AGREEMENT] = 1;
  story.config.weights[OCTET_GUARD_SATURATION] = 1;
  story.config.shadow_every = 1;
  story.config.trip_frames = 100;
  story.Start();
  octet_guard_score(&story.guard, OCTET_GUARD_APPLICATION, 1000);
  octet_guard_score(&story.guard, OCTET_GUARD_SATURATION, 600);
  EXPECT_EQ(story.End().score, 1000u) << "nobody has said that the plans differ";
  octet_guard_score(&story.guard, OCTET_GUARD_APPLICATION, 1000);
  octet_guard_score(&story.guard, OCTET_GUARD_SATURATION, 600);
  ASSERT_EQ(octet_guard_shadow(&story.guard, OCTET_GUARD_HAS_TIME), 1u);
  octet_guard_agreement(&story.guard, 500);
  EXPECT_EQ(story.End().score, (3 * 1000u + 500 + 600) / 5);
  octet_guard_score(&story.guard, OCTET_GUARD_SATURATION, 600);
  EXPECT_EQ(story.End().score, 600u);
  story.config.weights[OCTET_GUARD_APPLICATION] = 0;
  story.Start();
  EXPECT_EQ(story.Frame(0).score, kNone);
}

// A white wall: all values are cut, and all plans say the same of it, or nobody can ask them.
TEST(Breaker, CutValuesAloneDoNotTrip) {
  for (const bool has_time : {true, false}) {
    for (const uint32_t every : {0u, 1u, 30u}) {
      GuardStory story(2);
      story.config.shadow_every = every;
      story.Start();
      for (int frame = 0; frame < 300; ++frame) {
        octet_guard_score(&story.guard, OCTET_GUARD_SATURATION, 0);
        if (octet_guard_shadow(&story.guard, has_time ? 1 : 0) != OCTET_GUARD_NO_PLAN) {
          octet_guard_agreement(&story.guard, 1000);
        }
        ASSERT_EQ(story.End().plan, 0u) << has_time << ' ' << every << ' ' << frame;
      }
    }
  }
}

TEST(Breaker, AWayBackWithoutTimeForShadowRuns) {
  for (const uint32_t every : {0u, 30u}) {
    GuardStory story(2);
    story.config.shadow_every = every;
    story.config.dwell_ms = 2000;
    story.Start();
    for (int i = 0; i < 5; ++i) story.Frame(100);
    uint32_t ms = 0;
    while (ms < 60000) {
      EXPECT_EQ(octet_guard_shadow(&story.guard, OCTET_GUARD_NO_TIME), OCTET_GUARD_NO_PLAN);
      ms += kFrameMs;
      if (story.End().plan == 0) break;
    }
    EXPECT_GE(ms, 4000u - kFrameMs) << "twice the dwell";
    EXPECT_LE(ms, 4000u + kFrameMs);
  }
}

TEST(Breaker, RareTimeIsForThePlanBelowAndItsWordCounts) {
  GuardStory story(3);
  story.config.dwell_ms = 2000;
  story.config.shadow_every = 2;
  story.Start();
  EXPECT_EQ(octet_guard_shadow(&story.guard, OCTET_GUARD_RARE_TIME), OCTET_GUARD_NO_PLAN);
  for (int i = 0; i < 5; ++i) story.Frame(100);
  EXPECT_EQ(octet_guard_shadow(&story.guard, OCTET_GUARD_RARE_TIME), OCTET_GUARD_NO_PLAN)
      << "dwell";
  // Found bad again and again: no trial. Found good: back.
  for (int i = 0; i < 400; ++i) {
    const uint32_t plan = octet_guard_shadow(&story.guard, OCTET_GUARD_RARE_TIME);
    if (plan != OCTET_GUARD_NO_PLAN) {
      EXPECT_EQ(plan, 0u);
      octet_guard_agreement(&story.guard, 100);
    }
    ASSERT_EQ(story.End().plan, 1u);
  }
  uint32_t frames = 0;
  for (; frames < 100; ++frames) {
    if (octet_guard_shadow(&story.guard, OCTET_GUARD_RARE_TIME) != OCTET_GUARD_NO_PLAN) {
      octet_guard_agreement(&story.guard, 1000);
    }
    if (story.End().plan == 0) break;
  }
  EXPECT_LT(frames, 12u);
}

TEST(Guard, OfZerosDoesNoHarm) {
  octet_guard guard = {};
  octet_guard_decision decision;
  for (uint32_t signal = 0; signal < OCTET_GUARD_SIGNALS; ++signal) {
    octet_guard_score(&guard, signal, 500);
  }
  EXPECT_EQ(octet_guard_shadow(&guard, 1), OCTET_GUARD_NO_PLAN);
  octet_guard_temperature(&guard, 90000);
  octet_guard_agreement(&guard, 10);
  octet_guard_frame(&guard, 5, &decision);
  EXPECT_EQ(decision.plan, 0u);
}

TEST(Breaker, AClockThatWrapsIsNoJumpAndOneThatGoesBackStandsStill) {
  GuardStory wraps = Alone(2, 0xFFFFFF00u);
  wraps.Start();
  wraps.Trip();
  uint32_t frames = 0;
  while (wraps.Frame(1000, 100).plan == 1 && frames < 100) ++frames;
  EXPECT_EQ(frames, 9u);
  GuardStory back = Alone(2);
  back.Start();
  back.Trip();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(back.Frame(1000, 0u - 1000u).plan, 1u);
}

TEST(Guard, HoldsThePlanThatItIsTold) {
  GuardStory story = Alone(3);
  story.Start();
  EXPECT_EQ(octet_guard_hold(&story.guard, 3).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_guard_hold(&story.guard, 2).code, OCTET_OK);
  EXPECT_EQ(octet_guard_shadow(&story.guard, 1), OCTET_GUARD_NO_PLAN);
  for (int i = 0; i < 20; ++i) {
    const octet_guard_decision decision = story.Frame(0);
    EXPECT_EQ(decision.plan, 2u);
    EXPECT_EQ(decision.reason, OCTET_GUARD_HELD);
    EXPECT_EQ(decision.events, 0u);
  }
  octet_guard_hold(&story.guard, OCTET_GUARD_NO_PLAN);
  EXPECT_EQ(story.Frame(0).plan, 0u);
  EXPECT_STREQ(octet_guard_reason_name(OCTET_GUARD_HELD), "held");
}

TEST(Guard, RefusesSettingsThatContradictThemselves) {
  const auto code = [](auto change) {
    GuardStory story(2);
    change(story.config);
    return octet_guard_init(&story.guard, &story.config, 0).code;
  };
  const auto fails = [&](auto change) { EXPECT_EQ(code(change), OCTET_INVALID_ARGUMENT); };
  using Config = octet_guard_config;
  EXPECT_EQ(code([](Config&) {}), OCTET_OK);
  fails([](Config& c) { c.plan_count = 0; });
  fails([](Config& c) { c.plan_count = 9; });
  fails([](Config& c) { c.home_plan = 2; });
  fails([](Config& c) { c.trip_score = 951; });
  fails([](Config& c) { c.return_score = 1001; });
  fails([](Config& c) { c.trip_frames = 0; });
  fails([](Config& c) { c.return_frames = 0; });
  fails([](Config& c) { c.dwell_max_ms = c.dwell_ms - 1; });
  fails([](Config& c) { c.reference_score = 0; });
  fails([](Config& c) { c.policy = 4; });
  fails([](Config& c) { c.leave_mc = c.enter_mc; });
  fails([](Config& c) { c.enter_mc = c.throttle_mc; });
  fails([](Config& c) { c.leave_mc = -300000; });
  fails([](Config& c) { c.throttle_mc = 1000000; });
  fails([](Config& c) { c.sensor_lost_ms = 0; });
  fails([](Config& c) { c.size = 4; });
  EXPECT_EQ(code([](Config& c) { c.policy = 0, c.leave_mc = c.enter_mc; }), OCTET_OK);
  GuardStory story(2);
  EXPECT_EQ(octet_guard_init(nullptr, &story.config, 0).code, OCTET_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace octet
