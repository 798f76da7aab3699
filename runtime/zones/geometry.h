// Exact geometry in integers. Coordinates are within +-2^20, so differences are within 2^21,
// products within 2^42 and cross products within 2^43.
#ifndef OCTET_ZONES_GEOMETRY_H_
#define OCTET_ZONES_GEOMETRY_H_

#include <stdint.h>

#include "octet/zones.h"

namespace octet {
namespace zones {

constexpr int32_t kMostCoordinate = 1 << 20;

// Of (b - a) and (p - a). Above 0: p is on the right, seen from a to b, as y goes down.
static inline int64_t Cross(const octet_zone_point& a, const octet_zone_point& b,
                            const octet_zone_point& p) {
  return (int64_t{b.x} - a.x) * (int64_t{p.y} - a.y) - (int64_t{b.y} - a.y) * (int64_t{p.x} - a.x);
}

static inline int32_t Sign(int64_t value) {
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}

// Whether the way from `from` to `to`, which is not on the line, passes the line of a and b between
// them: at a it does, at b it does not. from: on the line, or on the other side of it.
static inline bool Passes(const octet_zone_point& a, const octet_zone_point& b,
                          const octet_zone_point& from, const octet_zone_point& to) {
  const int32_t of_a = Sign(Cross(from, to, a)), of_b = Sign(Cross(from, to, b));
  return of_a == 0 || of_a == -of_b;
}

// Even-odd rule. A point on an edge is inside if the polygon is to its right, or below it: of two
// polygons that share an edge one has it.
static inline bool IsInside(const octet_zone_point* points, uint32_t count,
                            const octet_zone_point& p) {
  bool inside = false;
  for (uint32_t i = 0, before = count - 1; i < count; before = i++) {
    const octet_zone_point &a = points[before], &b = points[i];
    if ((a.y > p.y) == (b.y > p.y)) continue;
    const int64_t side = Cross(a, b, p);
    if (b.y > a.y ? side > 0 : side < 0) inside = !inside;  // the edge is to the right of p
  }
  return inside;
}

}  // namespace zones
}  // namespace octet

#endif  // OCTET_ZONES_GEOMETRY_H_
