// Whose frame runs next.
#include "ports/linux/camera/program/turns.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace octet::port {
namespace {

constexpr uint64_t kMs = 1'000'000;

// Cameras that always have a frame, but those that are away; each frame takes as long as its camera
// says. How many of each ran until the time is over.
std::vector<uint32_t> RunsOf(Turns& turns, const std::vector<uint64_t>& ms, uint64_t total_ms,
                             const std::vector<bool>& has_frame, uint64_t from_ms = 0) {
  std::vector<uint32_t> runs(ms.size());
  for (uint64_t now = from_ms * kMs; now < (from_ms + total_ms) * kMs;) {
    const Turns::Next next = turns.Choose(has_frame, now);
    if (!next.camera) {
      EXPECT_GT(next.again_ns, now);
      if (next.again_ns == UINT64_MAX) break;
      now = next.again_ns;
      continue;
    }
    turns.Ran(*next.camera, now, now + ms[*next.camera] * kMs);
    now += ms[*next.camera] * kMs;
    ++runs[*next.camera];
  }
  return runs;
}

TEST(Turns, EqualShares) {
  Turns turns({1, 1, 1, 1});
  EXPECT_EQ(RunsOf(turns, {20, 20, 20, 20}, 8000, {true, true, true, true}),
            (std::vector<uint32_t>{100, 100, 100, 100}));
}

// A camera on a finer plan takes longer, and has as many turns.
TEST(Turns, ASlowCameraTakesNoTurnsFromOthers) {
  Turns turns({1, 1});
  EXPECT_EQ(RunsOf(turns, {90, 10}, 1000, {true, true}), (std::vector<uint32_t>{10, 10}));
}

TEST(Turns, WhoComesBackIsOwedNothing) {
  Turns turns({1, 1, 1});
  EXPECT_EQ(RunsOf(turns, {10, 10, 10}, 1000, {true, true, false}),
            (std::vector<uint32_t>{50, 50, 0}));
  const std::vector<uint32_t> later = RunsOf(turns, {10, 10, 10}, 300, {true, true, true}, 1000);
  for (const uint32_t runs : later) EXPECT_EQ(runs, 10u);
}

// Frames come at random: nobody waits for more than one frame of each other camera.
TEST(Turns, NobodyWaitsForTwoOfAnother) {
  std::srand(7);
  Turns turns({1, 1, 1, 1, 1});
  std::vector<bool> has_frame(5);
  std::vector<std::vector<uint32_t>> others(5, std::vector<uint32_t>(5));
  for (uint64_t i = 0; i < 10000; ++i) {
    for (size_t c = 0; c < 5; ++c) has_frame[c] = has_frame[c] || std::rand() % 3 == 0;
    const Turns::Next next = turns.Choose(has_frame, i);
    if (!next.camera) continue;
    turns.Ran(*next.camera, i, i + 1);
    has_frame[*next.camera] = false;
    for (size_t c = 0; c < 5; ++c) {
      if (!has_frame[c]) continue;
      EXPECT_LE(++others[c][*next.camera], 1u);
    }
    others[*next.camera].assign(5, 0);
  }
}

TEST(Turns, ABudgetIsAShareOfTheTime) {
  Turns alone({0.25});
  EXPECT_EQ(RunsOf(alone, {20}, 8000, {true}), std::vector<uint32_t>{100});
  Turns both({0.1, 1});
  const std::vector<uint32_t> runs = RunsOf(both, {20, 20}, 20000, {true, true});
  EXPECT_NEAR(runs[0], 100, 10);  // its share, less what it waits for the other
  EXPECT_EQ(runs[0] + runs[1], 1000u) << "the other has the rest";
}

TEST(Turns, NobodyHasAFrame) {
  Turns turns({1, 1});
  const Turns::Next next = turns.Choose({false, false}, 5);
  EXPECT_FALSE(next.camera);
  EXPECT_EQ(next.again_ns, UINT64_MAX);
}

}  // namespace
}  // namespace octet::port
