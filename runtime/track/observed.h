// What OC-SORT (Cao et al., 2023) adds to a filter: the observations of a track. They say where it
// went, and the filter is updated along a straight line over frames in which the track was not
// seen.
#ifndef OCTET_TRACK_OBSERVED_H_
#define OCTET_TRACK_OBSERVED_H_

#include <stdint.h>

#include "runtime/track/filter.h"

namespace octet {
namespace track {

// Directions are taken over three frames at 30 a second, with 5 ms for uneven times.
constexpr uint32_t kDirectionUs = 105000;
// Observations that are kept: above 40 frames a second they are less than kDirectionUs.
constexpr uint32_t kPlaces = 4;
// Most updates over frames in which the track was not seen. Their gains hardly change after so
// many.
constexpr uint32_t kMostBetween = 8;

// x and y: twice the centre, 512 a pixel, within +-2^25; of a difference, within +-2^26.
struct Vector {
  int32_t x, y;
};

struct Observations {
  Corners last;
  Vector places[kPlaces];      // `count` of them, the oldest first
  uint32_t times_us[kPlaces];  // low bits: differences are below a minute
  Vector direction;            // to the last observation, as Short makes it; 0, 0: none
  uint32_t count;
  uint32_t missed;     // frames since the last observation
  uint64_t missed_us;  // time of the first of them
};

// A vector of this direction within +-2^15.
Vector Short(Vector vector);

// a: within +-2^15. (pi / 2 - angle) / pi, 65536 is 1: 32768 where directions are equal, -32768
// where they are opposite, 0 if either is 0, 0. The error is below 0.0006.
int32_t Agreement(const Vector& a, const Vector& b);

// Where the track was: its oldest observation of the last kDirectionUs, or else its last one.
Vector PlaceBefore(const Observations& observed, uint64_t time_us);

Vector DirectionTo(const Vector& from, const Corners& box);

// Of a new track.
void BeginObserved(const Corners& box, uint64_t time_us, Observations* observed);

// motion: as at the last observation, at seen_us. It is predicted and measured up to `box`: by way
// of min(missed, kMostBetween) boxes between both, on a straight line, at equal times.
void Observe(const Corners& box, uint64_t seen_us, uint64_t time_us, Observations* observed,
             Motion* motion);

// Whether every number is within its bound.
bool IsSound(const Observations& observed);

}  // namespace track
}  // namespace octet

#endif  // OCTET_TRACK_OBSERVED_H_
