// 10,000 random paths against exact geometry with fractions: crossings of lines, and what is
// inside.
#include "runtime/zones/geometry.h"

#include <string>

#include "tests/runtime/track/random.h"
#include "tests/runtime/zones/zones_fixture.h"

namespace octet::test {
namespace {

using Wide = __int128;

Wide CrossOf(Point a, Point b, Point p) {
  return Wide(b.x - a.x) * (p.y - a.y) - Wide(b.y - a.y) * (p.x - a.x);
}

// A path as it is drawn: where it is on the line, it keeps to the side it came from. So it crosses
// where it leaves the line, at X = from + (to - from) * s / (s - t) with the sides s and t of its
// ends, if X = a + u (b - a) with 0 <= u < 1.
struct ExactLine {
  Point a, b;
  int side = 0;
  Point last = {};

  // 1: to the right, -1: to the left.
  int Move(Point to) {
    const Wide t = CrossOf(a, b, to), s = CrossOf(a, b, last);
    const int now = t > 0 ? 1 : t < 0 ? -1 : 0;
    int crossed = 0;
    if (now != 0 && side == -now) {
      const Wide dx = b.x - a.x, dy = b.y - a.y;
      // u = ((from - a) . d * (s - t) + (to - from) . d * s) / ((s - t) * d . d)
      Wide up = ((last.x - a.x) * dx + (last.y - a.y) * dy) * (s - t) +
                ((to.x - last.x) * dx + (to.y - last.y) * dy) * s;
      Wide down = (s - t) * (dx * dx + dy * dy);
      if (down < 0) up = -up, down = -down;
      if (up >= 0 && up < down) crossed = now;
    }
    if (now != 0) side = now;
    last = to;
    return crossed;
  }
};

// On a small grid, paths meet ends of lines and run along them.
Point RandomPoint(Random& random, int32_t grid) {
  return {random.Between(0, grid) * (65536 / grid), random.Between(0, grid) * (65536 / grid)};
}

Point Walk(Random& random, Point from, int32_t grid) {
  const int32_t step = 65536 / grid;
  return {from.x + random.Between(-2, 2) * step, from.y + random.Between(-2, 2) * step};
}

// Paths of up to 30 points. drop: one in `drop` observations is absent.
void CompareLines(uint64_t seed, uint32_t paths, uint32_t drop, uint64_t* crossings) {
  Random random(seed);
  for (uint32_t n = 0; n < paths; ++n) {
    const int32_t grid = random.OneIn(2) ? 8 : 4096;
    std::vector<Point> line = {RandomPoint(random, grid), RandomPoint(random, grid)};
    if (line[0].x == line[1].x && line[0].y == line[1].y) line[1].x += 65536 / grid;
    Zones zones({ZoneOf(line)});
    ExactLine exact = {line[0], line[1]};
    Point at = RandomPoint(random, grid);
    uint64_t in = 0, out = 0;
    for (uint32_t f = 0; f < 30; ++f) {
      at = random.OneIn(3) ? RandomPoint(random, grid) : Walk(random, at, grid);
      if (drop != 0 && random.OneIn(drop)) {
        // Lost: a box is predicted, which says nothing.
        EXPECT_TRUE(zones.Frame({TrackAt(1, RandomPoint(random, grid), OCTET_TRACK_LOST)}).empty());
        continue;
      }
      const int crossed = exact.Move(at);
      const auto events = zones.Frame({TrackAt(1, at)});
      in += crossed > 0 ? 1 : 0;
      out += crossed < 0 ? 1 : 0;
      ASSERT_EQ(events.size(), crossed != 0 ? 1u : 0u)
          << "seed " << seed << " path " << n << " frame " << f;
      if (crossed == 0) continue;
      ASSERT_EQ(events[0].kind, crossed > 0 ? OCTET_ZONE_IN : OCTET_ZONE_OUT);
      ASSERT_EQ(events[0].track, 1u);
      ASSERT_EQ(events[0].time_us, zones.time_us());
    }
    EXPECT_TRUE(zones.Frame({}).empty());
    ASSERT_EQ(zones.Counts(0).in, in);
    ASSERT_EQ(zones.Counts(0).out, out);
    *crossings += in + out;
  }
}

TEST(ZonesGeometry, EveryCrossingIsCountedOnceAndNoneInvented) {
  uint64_t crossings = 0;
  CompareLines(11, 10000, 0, &crossings);
  EXPECT_GT(crossings, 20000u);
}

TEST(ZonesGeometry, TheSameWithDroppedFrames) {
  uint64_t crossings = 0;
  CompareLines(12, 10000, 3, &crossings);
  EXPECT_GT(crossings, 10000u);
}

// Whatever was dropped: of a line through the whole picture, the crossings tell on which side the
// path has ended.
TEST(ZonesGeometry, DroppedFramesLoseNoOneWhoStaysOnTheOtherSide) {
  Random random(13);
  for (uint32_t n = 0; n < 2000; ++n) {
    const std::vector<Point> line = {{-65536, 30001}, {131072, 36001}};
    Zones zones({ZoneOf(line)});
    Point first = {}, last = {};
    bool begun = false;
    for (uint32_t f = 0; f < 40; ++f) {
      const Point at = RandomPoint(random, 64);
      if (random.OneIn(2)) continue;
      if (!begun) first = at;
      begun = true;
      last = at;
      zones.Frame({TrackAt(1, at)});
    }
    if (!begun) continue;
    const auto side = [&](Point p) { return CrossOf(line[0], line[1], p) > 0 ? 1 : 0; };
    ASSERT_EQ(static_cast<int64_t>(zones.Counts(0).in - zones.Counts(0).out),
              side(last) - side(first));
  }
}

// A chain of lines that share their ends counts a path through an end once.
TEST(ZonesGeometry, LinesThatShareAnEndCountAPathThroughItOnce) {
  const std::vector<Point> first = {{0, 32768}, {32768, 32768}},
                           second = {{32768, 32768}, {65536, 32768}};
  Zones zones({ZoneOf(first), ZoneOf(second)});
  zones.Frame({TrackAt(1, {32768, 20000})});
  EXPECT_EQ(zones.Frame({TrackAt(1, {32768, 50000})}).size(), 1u);
  EXPECT_EQ(zones.Counts(0).in + zones.Counts(1).in, 1u);
}

// A ray downwards, in fractions; off the edges it tells the same as any other.
bool IsInsideExactly(const std::vector<Point>& polygon, Point p, bool* on_edge) {
  bool inside = false;
  *on_edge = false;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Point a = polygon[i], b = polygon[(i + 1) % polygon.size()];
    const bool between = std::min(a.x, b.x) <= p.x && p.x <= std::max(a.x, b.x) &&
                         std::min(a.y, b.y) <= p.y && p.y <= std::max(a.y, b.y);
    if (between && CrossOf(a, b, p) == 0) *on_edge = true;
    if ((a.x <= p.x) == (b.x <= p.x)) continue;
    // y of the edge at p.x is a.y + (b.y - a.y) (p.x - a.x) / (b.x - a.x)
    const Wide run = b.x - a.x, rise = Wide(b.y - a.y) * (p.x - a.x) - Wide(p.y - a.y) * run;
    if ((run > 0 ? rise : -rise) > 0) inside = !inside;
  }
  return inside;
}

TEST(ZonesGeometry, PathsInPolygonsEnterAndLeaveAsExactly) {
  Random random(14);
  uint64_t entered = 0;
  for (uint32_t n = 0; n < 10000; ++n) {
    const int32_t grid = random.OneIn(2) ? 16 : 4096;
    std::vector<Point> polygon(3 + random.Below(6));
    for (Point& p : polygon) p = RandomPoint(random, grid);
    Zones zones({ZoneOf(polygon)});
    bool inside = false;
    for (uint32_t f = 0; f < 12; ++f) {
      const Point at = RandomPoint(random, grid);
      bool on_edge = false;
      const bool now = IsInsideExactly(polygon, at, &on_edge);
      if (on_edge || random.OneIn(4)) continue;
      const auto events = zones.Frame({TrackAt(1, at)});
      ASSERT_EQ(events.size(), now != inside ? 1u : 0u) << "path " << n << " frame " << f;
      if (now != inside) {
        ASSERT_EQ(events[0].kind, now ? OCTET_ZONE_ENTERED : OCTET_ZONE_LEFT);
      }
      entered += now && !inside ? 1 : 0;
      inside = now;
      ASSERT_EQ(zones.Counts(0).inside, inside ? 1u : 0u);
    }
    ASSERT_EQ(zones.Frame({}).size(), inside ? 1u : 0u);
    ASSERT_EQ(zones.Counts(0).in, zones.Counts(0).out);
  }
  EXPECT_GT(entered, 5000u);
}

TEST(ZonesGeometry, OfTwoPolygonsThatShareAnEdgeOneHasIt) {
  Random random(15);
  for (uint32_t n = 0; n < 2000; ++n) {
    // A square in two parts along a random diagonal through whole points.
    const int32_t k = random.Between(0, 16), step = 4096;
    const Point top = {k * step, 0}, bottom = {(16 - k) * step, 65536};
    const std::vector<Point> left = {{0, 0}, top, bottom, {0, 65536}};
    const std::vector<Point> right = {top, {65536, 0}, {65536, 65536}, bottom};
    const int32_t y = random.Between(0, 15) * step;
    const Wide x = Wide(top.x) + Wide(bottom.x - top.x) * y / 65536;
    const Point p = {static_cast<int32_t>(x), y};
    const int inside = (zones::IsInside(left.data(), 4, p) ? 1 : 0) +
                       (zones::IsInside(right.data(), 4, p) ? 1 : 0);
    if (p.x < 65536) {
      ASSERT_EQ(inside, 1) << k << " " << y;
    }
  }
}

}  // namespace
}  // namespace octet::test
