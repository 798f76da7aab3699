// octet/zones.h: tracks that flicker, are lost, end; dwell times; counts by label; refusals.
#include <algorithm>
#include <climits>
#include <cstring>

#include "runtime/zones/memory.h"
#include "tests/runtime/zones/zones_fixture.h"
#include "tests/support/copies.h"

namespace octet::test {
namespace {

// From left to right of the picture at half of its height. Its right is below.
const std::vector<Point> kLine = {{0, 32768}, {65536, 32768}};
const std::vector<Point> kSquare = {{16384, 16384}, {49152, 16384}, {49152, 49152}, {16384, 49152}};

octet_zone Default(const std::vector<Point>& points) {
  octet_zone zone;
  octet_zone_defaults(&zone);
  zone.points = points.data();
  zone.point_count = static_cast<uint32_t>(points.size());
  return zone;
}

uint64_t Crossings(const Zones& zones) {
  return zones.Counts(0).in + zones.Counts(0).out;
}

TEST(Zones, ATrackThatFlickersOnALineCrossesItOnce) {
  Random random(21);
  for (uint32_t n = 0; n < 500; ++n) {
    Zones zones({Default(kLine)});
    int32_t y = 24576;
    for (; y < 32768; y += 512) zones.Frame({TrackAt(1, {32768, y})});
    // Noise of a pixel for as long as it stands there.
    for (uint32_t f = 0; f < 50; ++f)
      zones.Frame({TrackAt(1, {32768, 32768 + random.Between(-255, 255)})});
    ASSERT_EQ(Crossings(zones), 0u);
    for (; y < 40960; y += 512) zones.Frame({TrackAt(1, {32768, y})});
    ASSERT_EQ(zones.Counts(0).in, 1u);
    ASSERT_EQ(Crossings(zones), 1u);
  }
}

TEST(Zones, OneWrongBoxIsNoCrossing) {
  Zones zones({Default(kLine)});
  for (uint32_t f = 0; f < 20; ++f) {
    EXPECT_TRUE(zones.Frame({TrackAt(1, {32768, f % 5 == 4 ? 50000 : 10000})}).empty());
  }
}

TEST(Zones, ATrackLostOnOneSideAndFoundOnTheOtherCrossesOnce) {
  Zones zones({Default(kLine)});
  for (uint32_t f = 0; f < 5; ++f) zones.Frame({TrackAt(1, {32768, 20000})});
  for (uint32_t f = 0; f < 9; ++f) zones.Frame({TrackAt(1, {32768, 60000}, OCTET_TRACK_LOST)});
  EXPECT_EQ(Crossings(zones), 0u);
  for (uint32_t f = 0; f < 5; ++f) zones.Frame({TrackAt(1, {32768, 45000})});
  EXPECT_EQ(zones.Counts(0).in, 1u);
  EXPECT_EQ(Crossings(zones), 1u);
}

TEST(Zones, ATrackThatEndsOnTheOtherSideHasCrossed) {
  Zones zones({Default(kLine)});
  for (uint32_t f = 0; f < 5; ++f) zones.Frame({TrackAt(1, {32768, 20000})});
  EXPECT_TRUE(zones.Frame({TrackAt(1, {32768, 45000})}).empty());
  const uint64_t seen_us = zones.time_us();
  const auto events = zones.Frame({});
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, OCTET_ZONE_IN);
  EXPECT_EQ(events[0].ended, 1u);
  EXPECT_EQ(events[0].time_us, seen_us);
}

// After a change the window begins anew: older decisions do not change the side back.
TEST(Zones, ASideStaysAfterAChangeByOneOfSeveralFrames) {
  octet_zone zone = Default(kLine);
  zone.frames = 1;
  zone.window = 4;
  Zones zones({zone});
  for (uint32_t f = 0; f < 4; ++f) zones.Frame({TrackAt(1, {32768, 20000})});
  for (uint32_t f = 0; f < 6; ++f) zones.Frame({TrackAt(1, {32768, 45000})});
  EXPECT_EQ(zones.Counts(0).in, 1u);
  EXPECT_EQ(zones.Counts(0).out, 0u);
  const std::vector<Point> square = kSquare;
  octet_zone inside = Default(square);
  inside.frames = 1;
  inside.window = 4;
  Zones others({inside});
  for (uint32_t f = 0; f < 4; ++f) others.Frame({TrackAt(1, {32768, 8000})});
  for (uint32_t f = 0; f < 6; ++f) others.Frame({TrackAt(1, {32768, 32768})});
  EXPECT_EQ(others.Counts(0).in, 1u);
  EXPECT_EQ(others.Counts(0).out, 0u);
}

TEST(Zones, AWayAroundTheEndIsNoCrossing) {
  const std::vector<Point> half = {{0, 32768}, {32768, 32768}};
  Zones zones({Default(half)});
  for (const Point p :
       {Point{10000, 20000}, {50000, 20000}, {50000, 45000}, {10000, 45000}, {10000, 45000}}) {
    zones.Frame({TrackAt(1, p)});
    zones.Frame({TrackAt(1, p)});
  }
  EXPECT_EQ(Crossings(zones), 0u);
  for (uint32_t f = 0; f < 3; ++f) zones.Frame({TrackAt(1, {10000, 20000})});
  EXPECT_EQ(zones.Counts(0).out, 1u);
  EXPECT_EQ(zones.Counts(0).in, 0u);
}

TEST(Zones, DwellIsTheTimeFromTheFirstBoxInsideToTheLast) {
  Zones zones({Default(kSquare)});
  const octet_track outside = TrackAt(1, {32768, 8000}), inside = TrackAt(1, {32768, 32768});
  zones.Frame({outside});
  zones.Frame({inside});  // 0.2 s
  auto events = zones.Frame({inside});
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, OCTET_ZONE_ENTERED);
  EXPECT_EQ(events[0].begun_us, 200000u);
  EXPECT_EQ(events[0].dwell_us, 100000u);
  uint32_t updates = 0;
  for (uint32_t f = 0; f < 25; ++f) {
    for (const octet_zone_event& event : zones.Frame({inside})) {
      EXPECT_EQ(event.kind, OCTET_ZONE_INSIDE);
      EXPECT_EQ(event.dwell_us, zones.time_us() - 200000);
      ++updates;
    }
  }
  EXPECT_EQ(updates, 2u);
  EXPECT_EQ(zones.Counts(0).inside, 1u);
  zones.Frame({outside});
  events = zones.Frame({outside});
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, OCTET_ZONE_LEFT);
  EXPECT_EQ(events[0].begun_us, 200000u);
  EXPECT_EQ(events[0].dwell_us, 2700000u);
  EXPECT_EQ(zones.Counts(0).inside, 0u);
}

TEST(Zones, CountsAreByLabel) {
  Zones zones({Default(kSquare)});
  std::vector<octet_track> inside;
  for (uint64_t id = 1; id <= 6; ++id) {
    inside.push_back(TrackAt(id, {32768, 32768}));
    inside.back().label = static_cast<uint32_t>(id);
  }
  zones.Frame(inside);
  zones.Frame(inside);
  for (uint32_t label = 0; label < 4; ++label) {
    // Labels 4 to 6 count as 3, the last one.
    EXPECT_EQ(zones.Counts(0, label).in, label == 0 ? 0u : label == 3 ? 4u : 1u);
    EXPECT_EQ(zones.Counts(0, label).inside, label == 0 ? 0u : label == 3 ? 4u : 1u);
  }
  octet_zones_reset(zones.get());
  EXPECT_TRUE(zones.Frame({}).empty());
  EXPECT_EQ(zones.Counts(0).in, 6u);
  EXPECT_EQ(zones.Counts(0).inside, 0u);
}

TEST(Zones, AnyListAndAnyClockAreBounded) {
  Random random(22);
  octet_zone line = Default(kLine), square = Default(kSquare);
  square.anchor = OCTET_ZONE_CENTRE;
  Zones zones({line, square}, 6);
  uint64_t entered = 0, left = 0;
  for (uint32_t n = 0; n < 20000; ++n) {
    std::vector<octet_track> tracks;
    for (uint64_t id = 1 + random.Below(20); id < 30 && tracks.size() < 6;
         id += 1 + random.Below(9)) {
      octet_track track = TrackAt(id, {0, 0}, 1 + random.Below(2));
      for (int32_t* corner : {&track.x0, &track.y0, &track.x1, &track.y1}) {
        *corner =
            random.OneIn(4) ? (random.OneIn(2) ? INT_MAX : INT_MIN) : random.Between(-9999, 70000);
      }
      track.label = static_cast<uint32_t>(random.Bits());
      tracks.push_back(track);
    }
    for (const octet_zone_event& event :
         zones.Frame(tracks, random.OneIn(9) ? 0 - uint64_t{50000} : 30000)) {
      entered += event.zone == 1 && event.kind == OCTET_ZONE_ENTERED ? 1 : 0;
      left += event.zone == 1 && event.kind == OCTET_ZONE_LEFT ? 1 : 0;
      ASSERT_LE(event.begun_us, event.time_us);
    }
    ASSERT_EQ(entered - left, zones.Counts(1).inside);
  }
  EXPECT_GT(entered, 30u);
}

// Tracks that walk, are lost and end. Ids rise from `first`.
std::vector<octet_track> RandomTracks(Random& random, uint64_t first) {
  std::vector<octet_track> tracks;
  for (uint64_t id = first + random.Below(3); tracks.size() < 6 && id < first + 9;
       id += 1 + random.Below(3)) {
    // One draw a statement: the order of arguments is the compiler's.
    const Point anchor = {random.Between(0, 65536), random.Between(20000, 50000)};
    const bool is_lost = random.OneIn(4);
    tracks.push_back(TrackAt(id, anchor, is_lost ? OCTET_TRACK_LOST : OCTET_TRACK_SEEN));
    tracks.back().label = random.Below(4);
  }
  return tracks;
}

class ZonesCopies : public testing::Test {
 protected:
  std::vector<uint8_t> Copy() const { return copies_.Copy(); }
  octet_code Set(const std::vector<uint8_t>& copy) const { return copies_.Set(copy); }
  // Whether a copy with another `value` at an offset is refused, and nothing has changed.
  template <typename T>
  bool IsCorrupt(size_t offset, T value) {
    const std::vector<uint8_t> before = Copy();
    std::vector<uint8_t> damaged = before;
    memcpy(damaged.data() + offset, &value, sizeof(value));
    return Set(damaged) == OCTET_CORRUPT && Copy() == before;
  }

  Random random_{23};
  Zones zones_{{Default(kLine), Default(kSquare)}, 6};
  const Copies<octet_zones> copies_ = zones_.Copied();
};

TEST_F(ZonesCopies, GoOnAsTheOriginal) {
  for (uint64_t f = 0; f < 60; ++f) zones_.Frame(RandomTracks(random_, 1 + f / 8));
  const std::vector<uint8_t> copy = Copy();
  std::vector<std::vector<octet_track>> film;
  for (uint64_t f = 60; f < 120; ++f) film.push_back(RandomTracks(random_, 1 + f / 8));
  Zones others({Default(kLine), Default(kSquare)}, 6);
  others.Frame(film.front());  // what is there before counts for nothing
  ASSERT_EQ(others.Copied().Set(copy), OCTET_OK);
  uint64_t events = 0;
  uint64_t step_us = zones_.time_us() - others.time_us() + 100000;
  for (const auto& tracks : film) {
    const auto original = zones_.Frame(tracks), again = others.Frame(tracks, step_us);
    step_us = 100000;
    ASSERT_EQ(original.size(), again.size());
    for (size_t i = 0; i < original.size(); ++i) {
      ASSERT_EQ(memcmp(&original[i], &again[i], sizeof(again[i])), 0);
    }
    events += original.size();
  }
  EXPECT_GT(events, 50u);
  const std::vector<uint8_t> end = others.Copied().Copy();
  EXPECT_EQ(Copy(), end);
  EXPECT_NE(copy, end);
}

TEST_F(ZonesCopies, OfOtherZonesAreRefused) {
  zones_.Frame({TrackAt(1, {32768, 32768})});
  const std::vector<uint8_t> copy = Copy();
  std::vector<uint8_t> shorter(copy.begin(), copy.end() - 1);
  EXPECT_EQ(Set(shorter), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_zones_get(zones_.get(), shorter.data(), shorter.size()).code,
            OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_zones_get(zones_.get(), nullptr, copy.size()).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_zones_set(zones_.get(), nullptr, copy.size()).code, OCTET_INVALID_ARGUMENT);
  octet_zone other = Default(kSquare);
  other.frames = 1;
  std::vector<Point> moved = kSquare;
  moved[3].x += 1;
  for (const octet_zone& zone : {other, Default(moved)}) {
    Zones others({Default(kLine), zone}, 6);
    EXPECT_EQ(others.Copied().Set(copy), OCTET_INVALID_ARGUMENT);
  }
  Zones fewer({Default(kLine), Default(kSquare)}, 5);
  EXPECT_EQ(octet_zones_set(fewer.get(), copy.data(), copy.size()).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(Set(copy), OCTET_OK);
}

TEST_F(ZonesCopies, WithValuesThatNoZonesHaveAreRefused) {
  for (uint32_t f = 0; f < 4; ++f) {
    zones_.Frame({TrackAt(1, {32768, 40000}), TrackAt(2, {32768, 20000})});
  }
  using namespace zones;
  const Parts parts(zones_.get());
  const auto at = [&](const void* part) {
    return static_cast<size_t>(static_cast<const uint8_t*>(part) -
                               reinterpret_cast<const uint8_t*>(parts.state));
  };
  EXPECT_TRUE(IsCorrupt(at(&parts.state->slot_count), uint32_t{7}));
  EXPECT_TRUE(IsCorrupt(at(&parts.state->last_us), uint64_t{0}));
  EXPECT_TRUE(IsCorrupt(at(&parts.slots[0].id), uint64_t{2}));
  EXPECT_TRUE(IsCorrupt(at(&parts.slots[0].id), UINT64_MAX));
  EXPECT_TRUE(IsCorrupt(at(&parts.slots[1].seen_us), zones_.time_us() + 1));
  EXPECT_TRUE(IsCorrupt(at(&parts.counts[4].out), uint64_t{5}));
  const Watch &line = parts.watches[0], &square = parts.watches[1];
  for (const Watch* watch : {&line, &square}) {
    EXPECT_TRUE(IsCorrupt(at(&watch->side), int32_t{2}));
    EXPECT_TRUE(IsCorrupt(at(&watch->is_seen), uint32_t{0}));
    EXPECT_TRUE(IsCorrupt(at(&watch->is_disputed), uint32_t{1}));
    EXPECT_TRUE(IsCorrupt(at(&watch->decisions), ~watch->decisions));
    EXPECT_TRUE(IsCorrupt(at(&watch->passes), INT32_MAX));
    EXPECT_TRUE(IsCorrupt(at(&watch->begun_us), UINT64_MAX));
    EXPECT_TRUE(IsCorrupt(at(&watch->updated_us), UINT64_MAX));
    EXPECT_TRUE(IsCorrupt(at(&watch->last.x), (1 << 20) + 1));
  }
  EXPECT_TRUE(IsCorrupt(at(&line.way_side), -line.way_side));
  EXPECT_TRUE(IsCorrupt(at(&square.way_side), int32_t{1}));
}

TEST_F(ZonesCopies, ThatAreDamagedAreRefusedOrRun) {
  const uint32_t refused = copies_.RefusedOfDamaged(
      4000, random_, [this](uint32_t n) { zones_.Frame(RandomTracks(random_, 1 + n / 8)); });
  EXPECT_GT(refused, 1000u);
}

TEST(ZonesCalls, RefuseWhatIsWrong) {
  Zones zones({Default(kLine)}, 2);
  octet_track tracks[3] = {TrackAt(2, {0, 0}), TrackAt(1, {0, 0}), TrackAt(3, {0, 0})};
  const auto frame = [&](uint32_t count, uint32_t width) {
    return octet_zones_frame(zones.get(), 0, width, 256, tracks, count, nullptr, nullptr).code;
  };
  EXPECT_EQ(frame(2, 256), OCTET_INVALID_ARGUMENT);  // ids that fall
  EXPECT_EQ(frame(3, 256), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(frame(1, 0), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(frame(1, 65536), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(frame(1, 65535), OCTET_OK);

  octet_zone zone = Default(kLine);
  octet_zones_config config;
  config.zones = &zone;
  config.zone_count = 1;
  config.label_count = 1;
  config.capacity = 1;
  const octet_zone good = zone;
  EXPECT_NE(octet_zones_bytes(&config), 0u);
  const auto refused = [&](uint32_t octet_zone::*field, uint32_t value) {
    zone = good;
    zone.*field = value;
    return octet_zones_bytes(&config) == 0;
  };
  EXPECT_TRUE(refused(&octet_zone::point_count, 1));
  EXPECT_TRUE(refused(&octet_zone::point_count, OCTET_ZONES_MOST_POINTS + 1));
  EXPECT_TRUE(refused(&octet_zone::anchor, 3));
  EXPECT_TRUE(refused(&octet_zone::frames, 0));
  EXPECT_TRUE(refused(&octet_zone::frames, 4));
  EXPECT_TRUE(refused(&octet_zone::window, 33));
  EXPECT_TRUE(refused(&octet_zone::band, 65537));
  const std::vector<Point> equal = {{5, 5}, {5, 5}}, far = {{0, 0}, {1 << 20 | 1, 0}};
  for (const auto* points : {&equal, &far}) {
    zone = good;
    zone.points = points->data();
    EXPECT_EQ(octet_zones_bytes(&config), 0u);
  }
  zone = good;
  for (uint32_t octet_zones_config::*field :
       {&octet_zones_config::zone_count, &octet_zones_config::label_count,
        &octet_zones_config::capacity}) {
    octet_zones_config wrong = config;
    wrong.*field = 0;
    EXPECT_EQ(octet_zones_bytes(&wrong), 0u);
  }
  std::vector<uint64_t> memory(octet_zones_bytes(&config) / 8 + 1);
  octet_zones* made = nullptr;
  const size_t bytes = octet_zones_bytes(&config);
  EXPECT_EQ(octet_zones_init(memory.data(), bytes - 1, &config, &made).code, OCTET_ARENA_TOO_SMALL);
  EXPECT_EQ(
      octet_zones_init(reinterpret_cast<uint8_t*>(memory.data()) + 4, bytes, &config, &made).code,
      OCTET_MISALIGNED);
  EXPECT_EQ(octet_zones_init(memory.data(), bytes, &config, &made).code, OCTET_OK);
}

}  // namespace
}  // namespace octet::test
