#include "runtime/track/filter.h"

namespace octet {
namespace track {
namespace {

enum { kX = 0, kY = 1, kAspect = 2, kHeight = 3 };

constexpr int64_t kMostPp = int64_t{1} << 43, kMostPv = int64_t{1} << 35,
                  kMostVv = int64_t{1} << 26;
constexpr int64_t kMostR = int64_t{1} << 34, kMostQv = int64_t{1} << 16, kMostL = int64_t{1} << 26;
// Every product of the equations, in bits: factors' bounds added.
static_assert(26 + 26 <= 62, "n vv, and n^2 after a shift by 16: 36 bits");
static_assert(35 + 27 <= 62, "2 n pv");
static_assert(36 + 26 <= 62, "n (n vv)");
static_assert(34 + 26 <= 62, "n qp");
static_assert(16 + 45 <= 62,
              "qv n (n - 1) (2 n - 1) / 6: 3 * 10 + 16 bits after the shifts, less 2.5 of 1/3");
static_assert(36 + 27 <= 63, "n (n - 1) (2 n - 1), before its shift");
static_assert(34 + 28 <= 62, "r K");
static_assert(34 + 26 <= 62, "r L");
static_assert(26 + 35 <= 62, "L pv");
static_assert(28 + 31 <= 62, "K d");
static_assert(35 + 24 <= 62, "pv before the division for L");

// The least height in prediction and noise: 1/16 pixel. Below it the unit would vanish.
constexpr int64_t kLeastHeight = 1 << 8;
constexpr int64_t kLeastAspect = 1 << 10;  // 1/1024

struct Noise {
  int64_t r, qp, qv;
};

// u = 1/64: 1e-1, 1e-2 and 1e-5, squared, times 4096 * 2^28.
constexpr Noise kAspectNoise = {10995116278, 109951163, 110};
static_assert(kAspectNoise.r < kMostR && kAspectNoise.qv < kMostQv, "bounds of r and qv");

int64_t Clamp(int64_t value, int64_t least, int64_t most) {
  return value < least ? least : value > most ? most : value;
}

int64_t Round(int64_t value, int bits) {
  return (value + (int64_t{1} << (bits - 1))) >> bits;
}

int BitsOf(uint64_t value) {  // value: not 0
  return 64 - __builtin_clzll(value);
}

int32_t UnitOf(int64_t height) {
  return BitsOf(static_cast<uint64_t>(height)) - 1;
}

// (h / 20)^2 and (h / 160)^2 in units of u^2. h / u is in [1, 2), its square below 4: r < 2^22,
// qv < 2^16.
Noise PlaceNoise(int64_t height, int32_t unit_log2) {
  const int64_t ratio = (height << 16) >> unit_log2;
  const int64_t square = (ratio * ratio) >> 16;  // 16 bits after the point
  const int64_t r = (square << 12) / 400;
  return {r, r, (square << 12) / 25600};
}

void BeginCovariance(const Noise& noise, int64_t position, int64_t velocity, Covariance* c) {
  *c = {position * noise.qp, 0, velocity * noise.qv};
}

void PredictCovariance(int64_t n, const Noise& noise, Covariance* c) {
  const int64_t pairs = (n * (n - (1 << 16))) >> 16;  // n (n - 1)
  const int64_t pyramid = ((pairs * (2 * n - (1 << 16))) >> 16) / 6;
  const int64_t from_vv = Round(c->vv * n, 16);
  const int64_t pp = c->pp + Round(c->pv * 2 * n, 16) + Round(from_vv * n, 16) +
                     Round(noise.qp * n, 16) + Round(noise.qv * pyramid, 16);
  const int64_t pv = c->pv + from_vv + Round(noise.qv * (pairs / 2), 16);
  const int64_t vv = c->vv + Round(noise.qv * n, 16);
  c->pp = Clamp(pp, 0, kMostPp);
  c->pv = Clamp(pv, -kMostPv, kMostPv);
  c->vv = Clamp(vv, 0, kMostVv);
}

struct Gains {
  int64_t k, l;
};

Gains MeasureCovariance(const Noise& noise, Covariance* c) {
  const int64_t s = c->pp + noise.r;
  // The quotient needs 28 bits: with a divisor of more than 34 the rest is below rounding.
  const int bits = BitsOf(static_cast<uint64_t>(s));
  const int shift = bits > 34 ? bits - 34 : 0;
  const int64_t k = ((c->pp >> shift) << 28) / (s >> shift);
  const int64_t l = Clamp((c->pv * (1 << 24)) / s, -kMostL, kMostL);
  const Gains gains = {Clamp(k, 0, int64_t{1} << 28), l};
  const int64_t vv = c->vv - Round(l * c->pv, 24);
  c->pp = Round(noise.r * gains.k, 28);
  c->pv = Clamp(Round(noise.r * l, 24), -kMostPv, kMostPv);
  c->vv = Clamp(vv, 0, kMostVv);
  return gains;
}

void SetUnit(Motion* motion) {
  const int32_t unit = UnitOf(motion->value[kHeight]);
  const int32_t change = unit - motion->unit_log2;
  motion->unit_log2 = unit;
  Covariance* c = &motion->place;
  if (change > 3 || change < -3) {
    // The height changed by a factor of eight in a frame: what was known of it says nothing now.
    const Noise noise = PlaceNoise(motion->value[kHeight], unit);
    BeginCovariance(noise, 4, 100, c);
  } else if (change > 0) {
    *c = {Round(c->pp, 2 * change), Round(c->pv, 2 * change), Round(c->vv, 2 * change)};
  } else if (change < 0) {
    const int64_t factor = int64_t{1} << (-2 * change);
    *c = {Clamp(c->pp * factor, 0, kMostPp), Clamp(c->pv * factor, -kMostPv, kMostPv),
          Clamp(c->vv * factor, 0, kMostVv)};
  }
}

void ClampValues(Motion* motion) {
  int32_t* value = motion->value;
  value[kAspect] = static_cast<int32_t>(Clamp(value[kAspect], kLeastAspect, kMostValue));
  value[kHeight] = static_cast<int32_t>(Clamp(value[kHeight], kLeastHeight, kMostValue - 1));
}

struct Measured {
  int64_t value[4];
};

// Width and height are 1 to 2^25 of 1/256 pixel.
Measured MeasuredOf(const Corners& box) {
  const int64_t width = int64_t{box.x1} - box.x0, height = int64_t{box.y1} - box.y0;
  return {{(int64_t{box.x0} + box.x1) * 8, (int64_t{box.y0} + box.y1) * 8,
           Clamp((width << 20) / height, kLeastAspect, kMostValue),
           Clamp(height * 16, kLeastHeight, kMostValue - 1)}};
}

}  // namespace

int64_t StepsOf(uint64_t time_us) {
  // 30 * 2^16 / 10^6 = 2^13 * 30 / 125000.
  const uint64_t steps = time_us > 40000000 ? UINT64_MAX : time_us * 245760 / 125000;
  return steps > static_cast<uint64_t>(kMostSteps) ? kMostSteps : static_cast<int64_t>(steps);
}

void Begin(const Corners& box, Motion* motion) {
  *motion = {};
  const Measured measured = MeasuredOf(box);
  for (int i = 0; i < 4; ++i) motion->value[i] = static_cast<int32_t>(measured.value[i]);
  motion->unit_log2 = UnitOf(motion->value[kHeight]);
  // Twice the noise of a position, ten times that of a velocity; of the aspect once.
  BeginCovariance(PlaceNoise(motion->value[kHeight], motion->unit_log2), 4, 100, &motion->place);
  BeginCovariance(kAspectNoise, 1, 1, &motion->aspect);
}

void Predict(int64_t steps, bool lost, Motion* motion) {
  if (lost) motion->velocity[kHeight] = 0;
  const Noise noise = PlaceNoise(motion->value[kHeight], motion->unit_log2);
  for (int i = 0; i < 4; ++i) {
    const int64_t moved = motion->value[i] + Round(motion->velocity[i] * steps, 20);
    motion->value[i] = static_cast<int32_t>(Clamp(moved, -kMostValue, kMostValue));
  }
  ClampValues(motion);
  PredictCovariance(steps, noise, &motion->place);
  PredictCovariance(steps, kAspectNoise, &motion->aspect);
  SetUnit(motion);
}

void Measure(const Corners& box, Motion* motion) {
  const Measured measured = MeasuredOf(box);
  const Noise noise = PlaceNoise(motion->value[kHeight], motion->unit_log2);
  const Gains place = MeasureCovariance(noise, &motion->place);
  const Gains aspect = MeasureCovariance(kAspectNoise, &motion->aspect);
  for (int i = 0; i < 4; ++i) {
    const Gains& gains = i == kAspect ? aspect : place;
    const int64_t d = measured.value[i] - motion->value[i];
    const int64_t value = motion->value[i] + Round(gains.k * d, 28);
    const int64_t velocity = motion->velocity[i] + Round(gains.l * d, 20);
    motion->value[i] = static_cast<int32_t>(Clamp(value, -kMostValue, kMostValue));
    motion->velocity[i] = static_cast<int32_t>(Clamp(velocity, -kMostValue, kMostValue));
  }
  ClampValues(motion);
  SetUnit(motion);
}

Corners BoxOf(const Motion& motion) {
  const int64_t height = motion.value[kHeight];
  const int64_t width = Round(height * motion.value[kAspect], 20);  // at most 2^38
  const auto corner = [](int64_t middle, int64_t side) {
    return static_cast<int32_t>(Clamp(Round(2 * middle + side, 5), -kMostCorner, kMostCorner));
  };
  Corners box = {corner(motion.value[kX], -width), corner(motion.value[kY], -height),
                 corner(motion.value[kX], width), corner(motion.value[kY], height)};
  // A box below 1/256 pixel, or one that lies outside of what can be written down.
  if (box.x1 <= box.x0) box.x0 == kMostCorner ? box.x0 = box.x1 - 1 : box.x1 = box.x0 + 1;
  if (box.y1 <= box.y0) box.y0 == kMostCorner ? box.y0 = box.y1 - 1 : box.y1 = box.y0 + 1;
  return box;
}

bool IsSound(const Motion& motion) {
  for (int i = 0; i < 4; ++i) {
    if (motion.value[i] < -kMostValue || motion.value[i] > kMostValue ||
        motion.velocity[i] < -kMostValue || motion.velocity[i] > kMostValue) {
      return false;
    }
  }
  const auto within = [](const Covariance& c) {
    return c.pp >= 0 && c.pp <= kMostPp && c.pv >= -kMostPv && c.pv <= kMostPv && c.vv >= 0 &&
           c.vv <= kMostVv;
  };
  return motion.value[kHeight] >= kLeastHeight && motion.value[kHeight] < kMostValue &&
         motion.value[kAspect] >= kLeastAspect &&
         motion.unit_log2 == UnitOf(motion.value[kHeight]) && motion.zero == 0 &&
         within(motion.place) && within(motion.aspect);
}

}  // namespace track
}  // namespace octet
