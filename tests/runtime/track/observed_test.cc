// Directions against the mathematics, and updates along a line.
#include "runtime/track/observed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "tests/runtime/track/random.h"

namespace octet::track {
namespace {

using test::Random;

Corners BoxAt(int32_t x, int32_t y) {
  return {x * 256, y * 256, (x + 40) * 256, (y + 100) * 256};
}

TEST(TrackDirections, AgreeAsTheirAngleSays) {
  Random random(1);
  constexpr double kPi = 3.14159265358979323846;
  for (int n = 0; n < 20000; ++n) {
    const auto draw = [&](uint32_t bits) {
      const int32_t most = 1 << random.Below(bits);
      const int32_t x = random.Between(-most, most);
      const int32_t y = random.Between(-most, most);
      return Vector{x, y};
    };
    const Vector a = draw(16), b = draw(27);
    if ((a.x == 0 && a.y == 0) || (b.x == 0 && b.y == 0)) {
      EXPECT_EQ(Agreement(a, b), 0);
      continue;
    }
    const double dot = double{1} * a.x * b.x + double{1} * a.y * b.y;
    const double cross = double{1} * a.x * b.y - double{1} * a.y * b.x;
    const double expected = 0.5 - std::atan2(std::abs(cross), dot) / kPi;
    ASSERT_NEAR(Agreement(a, b) / 65536.0, expected, 0.0006) << a.x << " " << a.y << " " << b.x;
  }
  EXPECT_EQ(Agreement({7, 7}, {900, 900}), 32768);
  EXPECT_EQ(Agreement({7, 7}, {-900, -900}), -32768);
}

TEST(TrackDirections, AreShortenedWithoutATurn) {
  const Vector v = Short({1 << 26, -(1 << 25)});
  EXPECT_EQ(v.x, -2 * v.y);
  EXPECT_LE(v.x, 1 << 15);
  EXPECT_EQ(Short({-5, 3}).x, -5);
}

TEST(TrackDirections, BeginAtTheOldestBoxOfATenthOfASecond) {
  Observations observed;
  Motion motion;
  Begin(BoxAt(0, 0), &motion);
  BeginObserved(BoxAt(0, 0), 0, &observed);
  uint64_t time_us = 0;
  for (int i = 1; i <= 6; ++i) {
    Observe(BoxAt(10 * i, 0), time_us, time_us + 33333, &observed, &motion);
    time_us += 33333;
  }
  // Three frames before the next one, which is at x = 70.
  EXPECT_EQ(PlaceBefore(observed, time_us + 33333).x, (2 * 40 + 40) * 256);
  EXPECT_EQ(PlaceBefore(observed, time_us + 5000000).x, (2 * 60 + 40) * 256);
}

// The published update: as if the track had been seen on a line between both boxes.
TEST(TrackUpdates, FollowALineOverMissedFrames) {
  for (const uint32_t missed : {0u, 3u, 8u, 25u}) {
    Observations observed;
    Motion motion;
    Begin(BoxAt(0, 0), &motion);
    BeginObserved(BoxAt(0, 0), 0, &observed);
    for (int i = 1; i <= 20; ++i) {
      Observe(BoxAt(5 * i, 0), 33333 * (i - 1), 33333 * i, &observed, &motion);
    }
    Motion expected = motion;
    const uint64_t seen_us = 33333 * 20, found_us = seen_us + 33333 * (missed + 1);
    const auto parts = static_cast<int32_t>(missed == 25 ? 9 : missed + 1);
    for (int32_t i = 1; i <= parts; ++i) {
      Predict(StepsOf(found_us - seen_us) / parts, false, &expected);
      Measure(BoxAt(100, 4 * i), &expected);
    }
    observed.missed = missed;
    Observe(BoxAt(100, 4 * parts), seen_us, found_us, &observed, &motion);
    EXPECT_EQ(std::memcmp(&motion, &expected, sizeof(motion)), 0) << missed;
    EXPECT_EQ(observed.missed, 0u);
    EXPECT_EQ(observed.last.y0, 4 * parts * 256);
    EXPECT_EQ(observed.direction.x, missed == 0 ? 10 * 512 : 0) << missed;
  }
}

TEST(TrackUpdates, StayWithinTheirBounds) {
  Random random(2);
  const auto draw = [&] {
    Corners b;
    b.x0 = random.Between(-kMostCorner, kMostCorner - 1);
    b.y0 = random.Between(-kMostCorner, kMostCorner - 1);
    b.x1 = std::min(kMostCorner, b.x0 + 1 + random.Between(0, 1 << random.Below(26)));
    b.y1 = std::min(kMostCorner, b.y0 + 1 + random.Between(0, 1 << random.Below(26)));
    return b;
  };
  for (int n = 0; n < 500; ++n) {
    Observations observed;
    Motion motion;
    const Corners first = draw();
    Begin(first, &motion);
    BeginObserved(first, 0, &observed);
    uint64_t time_us = 0;
    for (int frame = 0; frame < 20; ++frame) {
      observed.missed = random.OneIn(2) ? 0 : static_cast<uint32_t>(random.Bits());
      const uint64_t now_us = time_us + random.Below(1u << random.Below(31));
      Observe(draw(), time_us, now_us, &observed, &motion);
      time_us = now_us;
      ASSERT_TRUE(IsSound(motion));
      ASSERT_TRUE(IsSound(observed));
    }
  }
}

}  // namespace
}  // namespace octet::track
