// The polygons of octet/mask.h.
#ifndef OCTET_MASK_POLYGON_H_
#define OCTET_MASK_POLYGON_H_

#include "octet/mask.h"
#include "runtime/zones/geometry.h"

namespace octet {
namespace mask {

static inline bool IsPolygon(const octet_polygon& polygon) {
  if (polygon.points == nullptr || polygon.point_count < 3 ||
      polygon.point_count > OCTET_ZONES_MOST_POINTS) {
    return false;
  }
  for (uint32_t i = 0; i < polygon.point_count; ++i) {
    const octet_zone_point& p = polygon.points[i];
    if (p.x < -zones::kMostCoordinate || p.x > zones::kMostCoordinate ||
        p.y < -zones::kMostCoordinate || p.y > zones::kMostCoordinate) {
      return false;
    }
  }
  return true;
}

static inline bool ArePolygons(const octet_polygon* polygons, uint32_t count) {
  if (count > OCTET_MOST_POLYGONS || (count != 0 && polygons == nullptr)) return false;
  for (uint32_t i = 0; i < count; ++i) {
    if (!IsPolygon(polygons[i])) return false;
  }
  return true;
}

}  // namespace mask
}  // namespace octet

#endif  // OCTET_MASK_POLYGON_H_
