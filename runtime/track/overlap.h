// Intersection over union of two boxes.
#ifndef OCTET_TRACK_OVERLAP_H_
#define OCTET_TRACK_OVERLAP_H_

#include <stdint.h>

#include "runtime/track/filter.h"

namespace octet {
namespace track {

// 65536 is 1, rounded down. Boxes: x0 < x1, y0 < y1. Sides are at most 2^25, so areas are at most
// 2^50 and the union is below 2^51. The quotient needs 16 bits more: a union of more than 47 bits
// is shifted, with the intersection.
static inline uint32_t Overlap(const Corners& a, const Corners& b) {
  const int32_t x0 = a.x0 > b.x0 ? a.x0 : b.x0, x1 = a.x1 < b.x1 ? a.x1 : b.x1;
  if (x0 >= x1) return 0;
  const int32_t y0 = a.y0 > b.y0 ? a.y0 : b.y0, y1 = a.y1 < b.y1 ? a.y1 : b.y1;
  if (y0 >= y1) return 0;
  const auto area = [](int32_t left, int32_t top, int32_t right, int32_t bottom) {
    return static_cast<uint64_t>(right - left) * static_cast<uint64_t>(bottom - top);
  };
  const uint64_t both = area(x0, y0, x1, y1);
  const uint64_t either = area(a.x0, a.y0, a.x1, a.y1) + area(b.x0, b.y0, b.x1, b.y1) - both;
  const int bits = 64 - __builtin_clzll(either);
  const int shift = bits > 47 ? bits - 47 : 0;
  return static_cast<uint32_t>(((both >> shift) << 16) / (either >> shift));
}

}  // namespace track
}  // namespace octet

#endif  // OCTET_TRACK_OVERLAP_H_
