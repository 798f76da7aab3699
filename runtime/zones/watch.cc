#include "runtime/zones/watch.h"

#include "runtime/core/bytes.h"

namespace octet {
namespace zones {
namespace {

int32_t ClampCoordinate(int64_t value) {
  return static_cast<int32_t>(value < -kMostCoordinate  ? -kMostCoordinate
                              : value > kMostCoordinate ? kMostCoordinate
                                                        : value);
}

// `pixels` has 9 bits after the point: a sum of two corners. Rounded down.
int32_t ShareOf(int64_t pixels, uint32_t side) {
  const int64_t divisor = int64_t{side} * 512;
  const int64_t scaled = pixels * OCTET_ZONES_PICTURE;
  return ClampCoordinate(scaled >= 0 ? scaled / divisor : -((-scaled + divisor - 1) / divisor));
}

octet_zone_point AnchorOf(const octet_track& t, octet_zone_anchor anchor, const Picture& picture) {
  const int64_t y = anchor == OCTET_ZONE_BOTTOM ? int64_t{t.y1} * 2
                    : anchor == OCTET_ZONE_TOP  ? int64_t{t.y0} * 2
                                                : int64_t{t.y0} + t.y1;
  return {ShareOf(int64_t{t.x0} + t.x1, picture.width), ShareOf(y, picture.height)};
}

int32_t SideOf(const Zone& zone, const octet_zone_point* points, const octet_zone_point& p) {
  if (zone.point_count == 2) return Sign(Cross(points[0], points[1], p));
  return IsInside(points, zone.point_count, p) ? 1 : -1;
}

// 0: the square around the anchor is not on one side.
int32_t Decide(const Zone& zone, const octet_zone_point* points, const Picture& picture,
               const octet_track& track, const octet_zone_point& anchor) {
  const int32_t side = SideOf(zone, points, anchor);
  if (zone.band == 0 || side == 0) return side;
  const int64_t band = (int64_t{track.y1} - track.y0) * zone.band / 65536 * 2;
  const int32_t x = ShareOf(band, picture.width), y = ShareOf(band, picture.height);
  for (uint32_t corner = 0; corner < 4; ++corner) {
    const octet_zone_point p = {ClampCoordinate(anchor.x + ((corner & 1) != 0 ? x : -x)),
                                ClampCoordinate(anchor.y + ((corner & 2) != 0 ? y : -y))};
    if (SideOf(zone, points, p) != side) return 0;
  }
  return side;
}

// How many of the decisions in the window are for the other side than the one that counts.
uint32_t CountOthers(const Zone& zone, const Watch& watch) {
  const uint32_t count = watch.decision_count < zone.window ? watch.decision_count : zone.window;
  uint32_t others = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const int32_t side = (watch.decisions >> i & 1) != 0 ? 1 : -1;
    others += side != watch.side ? 1 : 0;
  }
  return others;
}

void FollowWay(const octet_zone_point* points, const octet_zone_point& anchor, Watch* watch) {
  const int32_t side = Sign(Cross(points[0], points[1], anchor));
  if (side != 0) {
    if (watch->way_side == -side && watch->is_seen != 0 &&
        Passes(points[0], points[1], watch->last, anchor) && watch->passes * side < kMostPasses) {
      watch->passes += side;
    }
    watch->way_side = side;
  }
}

bool IsLine(const Zone& zone) {
  return zone.point_count == 2;
}

// From now on `side` counts. kind 0: a line's end was passed around.
octet_zone_event ChangeOf(const Zone& zone, int32_t side, const Watch& watch, uint64_t time_us) {
  octet_zone_event event = {};
  event.time_us = time_us;
  event.begun_us = watch.disputed_us;
  if (IsLine(zone)) {
    if (watch.passes * side > 0) event.kind = side > 0 ? OCTET_ZONE_IN : OCTET_ZONE_OUT;
  } else if (side > 0) {
    event.kind = OCTET_ZONE_ENTERED;
    event.dwell_us = time_us - event.begun_us;
  } else {
    event.kind = OCTET_ZONE_LEFT;
    event.begun_us = watch.begun_us;
    event.dwell_us = watch.disputed_us - watch.begun_us;
  }
  return event;
}

// A polygon is entered from outside, also by a track that begins inside. Of a line the first side
// is that of the first anchor that is not on it.
void BeginSide(const Zone& zone, uint64_t time_us, Watch* watch) {
  if (watch->side != 0) return;
  watch->side = IsLine(zone) ? watch->way_side : -1;
  watch->begun_us = time_us;
}

bool IsSoundSide(const Zone& zone, const octet_zone_point* points, const Watch& watch) {
  if (!IsLine(zone)) {
    return (watch.side == -1 || watch.side == 1) && watch.way_side == 0 && watch.passes == 0;
  }
  const int32_t last = Sign(Cross(points[0], points[1], watch.last));
  if (watch.side == 0) {  // no anchor was beside the line
    return last == 0 && watch.way_side == 0 && watch.passes == 0 && watch.decision_count == 0;
  }
  return (watch.side == -1 || watch.side == 1) && (watch.way_side == -1 || watch.way_side == 1) &&
         (last == 0 || last == watch.way_side) && watch.passes >= -kMostPasses &&
         watch.passes <= kMostPasses;
}

}  // namespace

octet_zone_event Observe(const Zone& zone, const octet_zone_point* points, const Picture& picture,
                         const octet_track& track, uint64_t time_us, Watch* watch) {
  const octet_zone_point anchor = AnchorOf(track, zone.anchor, picture);
  if (IsLine(zone)) FollowWay(points, anchor, watch);
  watch->last = anchor;
  watch->is_seen = 1;
  BeginSide(zone, time_us, watch);
  const int32_t decision = Decide(zone, points, picture, track, anchor);
  if (decision != 0) {
    watch->decisions = watch->decisions << 1 | (decision > 0 ? 1u : 0u);
    if (watch->decision_count < 32) ++watch->decision_count;
  }
  const uint32_t others = CountOthers(zone, *watch);
  if (others == 0) {
    watch->is_disputed = 0;
    // What it passed, it passed back, or it went around an end.
    if (watch->way_side == watch->side) watch->passes = 0;
  } else if (watch->is_disputed == 0) {
    watch->is_disputed = 1;
    watch->disputed_us = time_us;
  }
  octet_zone_event event = {};
  if (others >= zone.frames) {
    event = ChangeOf(zone, -watch->side, *watch, time_us);
    watch->side = -watch->side;
    watch->begun_us = watch->disputed_us;
    watch->updated_us = time_us;
    watch->is_disputed = 0;
    watch->decision_count = 0;
    watch->passes = 0;
  } else if (!IsLine(zone) && watch->side > 0 && zone.update_us != 0 &&
             time_us - watch->updated_us >= zone.update_us) {
    event.kind = OCTET_ZONE_INSIDE;
    event.time_us = time_us;
    event.begun_us = watch->begun_us;
    event.dwell_us = time_us - watch->begun_us;
    watch->updated_us = time_us;
  }
  return event;
}

octet_zone_event End(const Zone& zone, uint64_t seen_us, const Watch& watch) {
  Watch last = watch;
  if (last.is_disputed == 0) last.disputed_us = seen_us;
  octet_zone_event event = {};
  if (IsLine(zone)) {
    if (watch.way_side == -watch.side) event = ChangeOf(zone, watch.way_side, last, seen_us);
  } else if (watch.side > 0) {
    event = ChangeOf(zone, -1, last, seen_us);
  }
  event.ended = 1;
  return event;
}

bool IsSound(const Zone& zone, const octet_zone_point* points, uint64_t seen_us,
             const Watch& watch) {
  if (watch.is_seen == 0) {
    const Watch none = {};
    return SameBytes(reinterpret_cast<const uint8_t*>(&watch),
                     reinterpret_cast<const uint8_t*>(&none), sizeof(none));
  }
  if (watch.is_seen > 1 || watch.is_disputed > 1 || watch.zero != 0 || watch.decision_count > 32 ||
      watch.last.x < -kMostCoordinate || watch.last.x > kMostCoordinate ||
      watch.last.y < -kMostCoordinate || watch.last.y > kMostCoordinate ||
      !IsSoundSide(zone, points, watch)) {
    return false;
  }
  const uint32_t others = CountOthers(zone, watch);
  return others < zone.frames && (others != 0) == (watch.is_disputed != 0) &&
         watch.begun_us <= seen_us && watch.disputed_us <= seen_us && watch.updated_us <= seen_us &&
         (watch.is_disputed == 0 || watch.disputed_us >= watch.begun_us);
}

}  // namespace zones
}  // namespace octet
