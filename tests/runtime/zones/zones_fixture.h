// Zones whose tracks are given directly. The picture has 256 x 256 pixels, so that coordinates of
// boxes (256 a pixel) are those of zones (65536 a picture).
#ifndef OCTET_TESTS_RUNTIME_ZONES_ZONES_FIXTURE_H_
#define OCTET_TESTS_RUNTIME_ZONES_ZONES_FIXTURE_H_

#include <gtest/gtest.h>

#include <vector>

#include "octet/zones.h"
#include "tests/support/copies.h"

namespace octet::test {

using Point = octet_zone_point;

// A zone that decides in each observation, without a band.
inline octet_zone ZoneOf(const std::vector<Point>& points) {
  octet_zone zone;
  octet_zone_defaults(&zone);
  zone.points = points.data();
  zone.point_count = static_cast<uint32_t>(points.size());
  zone.frames = zone.window = 1;
  zone.band = 0;
  zone.update_ms = 0;
  return zone;
}

// Its anchor is the middle of its lower side; 20 pixels high.
inline octet_track TrackAt(uint64_t id, Point anchor, octet_track_state state = OCTET_TRACK_SEEN) {
  octet_track track = {};
  track.id = id;
  track.x0 = anchor.x - 1280;
  track.x1 = anchor.x + 1280;
  track.y0 = anchor.y - 5120;
  track.y1 = anchor.y;
  track.state = state;
  return track;
}

class Zones {
 public:
  explicit Zones(const std::vector<octet_zone>& zones, uint32_t capacity = 8) {
    octet_zones_config config;
    config.zones = zones.data();
    config.zone_count = static_cast<uint32_t>(zones.size());
    config.label_count = 4;
    config.capacity = capacity;
    memory_.resize(octet_zones_bytes(&config) / 8);
    EXPECT_FALSE(memory_.empty());
    EXPECT_EQ(octet_zones_init(memory_.data(), memory_.size() * 8, &config, &zones_).code,
              OCTET_OK);
  }
  // Events of this frame.
  std::vector<octet_zone_event> Frame(const std::vector<octet_track>& tracks,
                                      uint64_t step_us = 100000) {
    events_.clear();
    time_us_ += step_us;
    const auto keep = [](void* context, const octet_zone_event* event) {
      static_cast<Zones*>(context)->events_.push_back(*event);
    };
    EXPECT_EQ(octet_zones_frame(zones_, time_us_, 256, 256, tracks.data(),
                                static_cast<uint32_t>(tracks.size()), keep, this)
                  .code,
              OCTET_OK);
    return events_;
  }
  octet_zone_counts Counts(uint32_t zone, uint32_t label = UINT32_MAX) const {
    octet_zone_counts counts;
    EXPECT_EQ(octet_zones_counts(zones_, zone, label, &counts).code, OCTET_OK);
    return counts;
  }
  octet_zones* get() { return zones_; }
  Copies<octet_zones> Copied() const {
    return {zones_, memory_.size() * 8, octet_zones_get, octet_zones_set};
  }
  uint64_t time_us() const { return time_us_; }
  const std::vector<uint64_t>& memory() const { return memory_; }

 private:
  std::vector<uint64_t> memory_;
  octet_zones* zones_ = nullptr;
  std::vector<octet_zone_event> events_;
  uint64_t time_us_ = 0;
};

}  // namespace octet::test

#endif  // OCTET_TESTS_RUNTIME_ZONES_ZONES_FIXTURE_H_
