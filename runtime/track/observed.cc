#include "runtime/track/observed.h"

namespace octet {
namespace track {
namespace {

constexpr int32_t kMostPlace = 2 * kMostCorner;

constexpr int32_t kMostShort = 1 << 15;

static_assert(15 + 26 + 1 + 16 <= 62, "a sum of two products, as a dividend");
static_assert(25 + 4 <= 62, "a difference of corners times a number of boxes between");

void Push(const Corners& box, uint64_t time_us, Observations* observed) {
  if (observed->count == kPlaces) {
    for (uint32_t i = 1; i < kPlaces; ++i) {
      observed->places[i - 1] = observed->places[i];
      observed->times_us[i - 1] = observed->times_us[i];
    }
    --observed->count;
  }
  observed->places[observed->count] = {box.x0 + box.x1, box.y0 + box.y1};
  observed->times_us[observed->count++] = static_cast<uint32_t>(time_us);
  observed->last = box;
  observed->missed = 0;
}

// atan(low / high) / pi, 65536 is 1. 0 <= low <= high, 0 < high < 2^43. With t = low / high:
// pi/4 t + t (1 - t) (0.2447 + 0.0663 t) has an error below 0.0016 (Rajan et al., 2006).
int32_t ArcOf(uint64_t low, uint64_t high) {
  const auto t = static_cast<int64_t>((low << 16) / high);
  const int64_t bend = 5105 + ((1383 * t) >> 16);  // 0.2447 and 0.0663 over pi
  return static_cast<int32_t>((t >> 2) + (((t * (65536 - t)) >> 16) * bend >> 16));
}

uint64_t Magnitude(int64_t value) {
  return static_cast<uint64_t>(value < 0 ? -value : value);
}

int32_t Between(int32_t from, int32_t to, uint32_t at, uint32_t of) {
  return static_cast<int32_t>(from + (int64_t{to} - from) * at / of);
}

}  // namespace

Vector Short(Vector vector) {
  while (vector.x < -kMostShort || vector.x > kMostShort || vector.y < -kMostShort ||
         vector.y > kMostShort) {
    vector = {vector.x / 2, vector.y / 2};
  }
  return vector;
}

int32_t Agreement(const Vector& a, const Vector& b) {
  const int64_t dot = int64_t{a.x} * b.x + int64_t{a.y} * b.y;
  const uint64_t along = Magnitude(dot);
  const uint64_t across = Magnitude(int64_t{a.x} * b.y - int64_t{a.y} * b.x);
  if (along == 0 && across == 0) return 0;
  // Of the acute angle.
  const int32_t agreement = along >= across ? 32768 - ArcOf(across, along) : ArcOf(along, across);
  return dot < 0 ? -agreement : agreement;
}

Vector PlaceBefore(const Observations& observed, uint64_t time_us) {
  uint32_t from = 0;
  while (from + 1 < observed.count &&
         static_cast<uint32_t>(time_us) - observed.times_us[from] > kDirectionUs) {
    ++from;
  }
  return observed.places[from];
}

Vector DirectionTo(const Vector& from, const Corners& box) {
  return {box.x0 + box.x1 - from.x, box.y0 + box.y1 - from.y};
}

void BeginObserved(const Corners& box, uint64_t time_us, Observations* observed) {
  *observed = {};
  Push(box, time_us, observed);
}

void Observe(const Corners& box, uint64_t seen_us, uint64_t time_us, Observations* observed,
             Motion* motion) {
  const Corners from = observed->last;
  const uint32_t between = observed->missed < kMostBetween ? observed->missed : kMostBetween;
  const int64_t steps = StepsOf(time_us - seen_us) / (between + 1);
  for (uint32_t i = 1; i <= between; ++i) {
    const auto at = [&](int32_t a, int32_t b) { return Between(a, b, i, between + 1); };
    Corners middle = {at(from.x0, box.x0), at(from.y0, box.y0), at(from.x1, box.x1),
                      at(from.y1, box.y1)};
    // Rounding can leave nothing of two boxes of a side of 1/256 pixel.
    if (middle.x1 <= middle.x0) middle.x1 = middle.x0 + 1;
    if (middle.y1 <= middle.y0) middle.y1 = middle.y0 + 1;
    Predict(steps, false, motion);
    Measure(middle, motion);
  }
  Predict(steps, false, motion);
  Measure(box, motion);
  observed->direction = Short(DirectionTo(PlaceBefore(*observed, time_us), box));
  Push(box, time_us, observed);
}

bool IsSound(const Observations& observed) {
  const auto within = [](const Vector& v, int32_t most) {
    return v.x >= -most && v.x <= most && v.y >= -most && v.y <= most;
  };
  for (const Vector& place : observed.places) {
    if (!within(place, kMostPlace)) return false;
  }
  const Corners& last = observed.last;
  return observed.count >= 1 && observed.count <= kPlaces &&
         within(observed.direction, kMostShort) && last.x0 >= -kMostCorner && last.x0 < last.x1 &&
         last.x1 <= kMostCorner && last.y0 >= -kMostCorner && last.y0 < last.y1 &&
         last.y1 <= kMostCorner;
}

}  // namespace track
}  // namespace octet
