// The filter in fixed point against the published one in double, and numbers that stay in bounds.
#include "runtime/track/filter.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/runtime/track/random.h"

namespace octet::track {
namespace {

using test::Random;

// Kalman filter of one coordinate with its velocity, as published: one step at a time.
struct Axis {
  double x, v, pp, pv, vv;

  void Predict(double qp, double qv) {
    x += v;
    pp += 2 * pv + vv + qp;
    pv += vv;
    vv += qv;
  }
  void Measure(double measured, double r) {
    const double s = pp + r, k = pp / s, l = pv / s, d = measured - x;
    x += k * d;
    v += l * d;
    vv -= l * pv;
    pv -= k * pv;
    pp -= k * pp;
  }
};

struct Published {
  std::array<Axis, 4> axes;

  static std::array<double, 4> Measured(const Corners& b) {
    const double w = (b.x1 - b.x0) / 256.0, h = (b.y1 - b.y0) / 256.0;
    return {(b.x0 + b.x1) / 512.0, (b.y0 + b.y1) / 512.0, w / h, h};
  }
  explicit Published(const Corners& box) {
    const auto z = Measured(box);
    const double h = z[3];
    for (int i = 0; i < 4; ++i) {
      const double sp = i == 2 ? 1e-2 : 2 * h / 20, sv = i == 2 ? 1e-5 : 10 * h / 160;
      axes[i] = {z[i], 0, sp * sp, 0, sv * sv};
    }
  }
  void Predict(bool lost) {
    if (lost) axes[3].v = 0;
    const double h = axes[3].x;
    for (int i = 0; i < 4; ++i) {
      const double sp = i == 2 ? 1e-2 : h / 20, sv = i == 2 ? 1e-5 : h / 160;
      axes[i].Predict(sp * sp, sv * sv);
    }
  }
  void Measure(const Corners& box) {
    const auto z = Measured(box);
    const double h = axes[3].x;
    for (int i = 0; i < 4; ++i) {
      const double r = i == 2 ? 1e-1 : h / 20;
      axes[i].Measure(z[i], r * r);
    }
  }
  std::array<double, 4> Box() const {
    const double w = axes[2].x * axes[3].x, h = axes[3].x;
    return {axes[0].x - w / 2, axes[1].x - h / 2, axes[0].x + w / 2, axes[1].x + h / 2};
  }
};

Corners BoxAt(double x, double y, double w, double h) {
  const auto fixed = [](double v) { return static_cast<int32_t>(std::lround(v * 256)); };
  return {fixed(x - w / 2), fixed(y - h / 2), fixed(x + w / 2), fixed(y + h / 2)};
}

void ExpectNear(const Motion& motion, const Published& published, double share) {
  const Corners box = BoxOf(motion);
  const auto expected = published.Box();
  const double near = share * published.axes[3].x + 0.02;
  EXPECT_NEAR(box.x0 / 256.0, expected[0], near);
  EXPECT_NEAR(box.y0 / 256.0, expected[1], near);
  EXPECT_NEAR(box.x1 / 256.0, expected[2], near);
  EXPECT_NEAR(box.y1 / 256.0, expected[3], near);
}

constexpr int64_t kStep = 1 << 16;

TEST(TrackFilter, EqualsThePublishedOneAtThirtyFramesASecond) {
  Random random(3);
  for (const double height : {2.0, 7.9, 8.0, 60.0, 700.0, 3000.0}) {
    double x = 500, y = 300, h = height;
    Motion motion;
    Begin(BoxAt(x, y, h / 2, h), &motion);
    Published published(BoxAt(x, y, h / 2, h));
    for (int frame = 0; frame < 400; ++frame) {
      const bool lost = frame % 50 > 42;
      Predict(kStep, lost, &motion);
      published.Predict(lost);
      ExpectNear(motion, published, 0.002);
      x += h * 0.03;
      h *= 1 + random.Between(-20, 20) / 1000.0;
      const double noise = random.Between(-100, 100) / 100.0 * h / 30;
      const Corners box = BoxAt(x + noise, y - noise, h / 2 + noise / 2, h + noise);
      if (lost) continue;
      Measure(box, &motion);
      published.Measure(box);
      ExpectNear(motion, published, 0.002);
      ASSERT_TRUE(IsSound(motion));
    }
  }
}

// A gap of n frames is n predictions of the published filter.
TEST(TrackFilter, AStepOfSeveralFramesEqualsAsManyPredictions) {
  for (const int steps : {2, 3, 6, 30, 60}) {
    const Corners first = BoxAt(400, 300, 50, 120);
    Motion motion;
    Begin(first, &motion);
    Published published(first);
    for (int frame = 1; frame < 40; ++frame) {
      const bool lost = frame % 7 == 6;  // the height stays: its noise is the same in each step
      for (int i = 0; i < steps; ++i) published.Predict(true);
      motion.velocity[3] = 0;
      Predict(steps * kStep, lost, &motion);
      const Corners box = BoxAt(400 + 4.0 * frame, 300, 50, 120);
      Measure(box, &motion);
      published.Measure(box);
      ExpectNear(motion, published, 0.002);
    }
  }
}

TEST(TrackFilter, StepsAreThirtyASecond) {
  EXPECT_EQ(StepsOf(0), 0);
  EXPECT_EQ(StepsOf(1000000), 30 * kStep);
  EXPECT_EQ(StepsOf(200000), 6 * kStep);
  EXPECT_EQ(StepsOf(UINT64_MAX), kMostSteps);
}

// Every box and every time, also those that no camera has.
TEST(TrackFilter, StaysWithinItsBounds) {
  Random random(4);
  for (int n = 0; n < 2000; ++n) {
    const auto box = [&] {
      const int32_t size = 1 << random.Below(26);
      Corners b;
      b.x0 = random.Between(-kMostCorner, kMostCorner - 1);
      b.y0 = random.Between(-kMostCorner, kMostCorner - 1);
      b.x1 = std::min(kMostCorner, b.x0 + 1 + random.Between(0, size));
      b.y1 = std::min(kMostCorner, b.y0 + 1 + random.Between(0, 1 << random.Below(26)));
      return b;
    };
    Motion motion;
    Begin(box(), &motion);
    for (int frame = 0; frame < 20; ++frame) {
      const int64_t steps = random.OneIn(3) ? kMostSteps : random.Between(0, 1 << random.Below(27));
      Predict(steps, random.OneIn(3), &motion);
      ASSERT_TRUE(IsSound(motion));
      if (random.OneIn(3)) continue;
      Measure(box(), &motion);
      ASSERT_TRUE(IsSound(motion));
      const Corners b = BoxOf(motion);
      ASSERT_LT(b.x0, b.x1);
      ASSERT_LT(b.y0, b.y1);
      ASSERT_LE(std::max(std::abs(b.x0), std::abs(b.x1)), kMostCorner);
    }
  }
}

}  // namespace
}  // namespace octet::track
