// C++ over octet/track.h and octet/zones.h: the same calls as members, without cost at run time.
// C++17. It throws no exceptions and does not allocate.
#ifndef OCTET_TRACK_HPP_
#define OCTET_TRACK_HPP_

#include "octet/track.h"
#include "octet/zones.h"

namespace octet {

// It does not own its memory, which must outlive it.
class Tracks {
 public:
  static size_t Bytes(uint32_t capacity) { return octet_tracks_bytes(capacity); }
  static octet_tracks_config Defaults() {
    octet_tracks_config config;
    octet_tracks_defaults(&config);
    return config;
  }
  static void Boxes(const octet_detection* detections, uint32_t count, octet_box* boxes) {
    octet_tracks_boxes(detections, count, boxes);
  }

  octet_status Init(void* memory, size_t memory_bytes, uint32_t capacity,
                    const octet_tracks_config& config) {
    return octet_tracks_init(memory, memory_bytes, capacity, &config, &tracks_);
  }
  octet_status Frame(uint64_t time_us, const octet_box* boxes, uint32_t box_count,
                     octet_track* list, uint32_t capacity, uint32_t* count) {
    return octet_tracks_frame(tracks_, time_us, boxes, box_count, list, capacity, count);
  }
  void Reset() { octet_tracks_reset(tracks_); }
  octet_status Describe(octet_tracks_info* info) const {
    return octet_tracks_describe(tracks_, info);
  }
  octet_status Get(void* memory, size_t bytes) const {
    return octet_tracks_get(tracks_, memory, bytes);
  }
  octet_status Set(const void* memory, size_t bytes) {
    return octet_tracks_set(tracks_, memory, bytes);
  }

 private:
  octet_tracks* tracks_ = nullptr;
};

// As Tracks.
class Zones {
 public:
  static octet_zone Defaults() {
    octet_zone zone;
    octet_zone_defaults(&zone);
    return zone;
  }
  static size_t Bytes(const octet_zones_config& config) { return octet_zones_bytes(&config); }

  octet_status Init(void* memory, size_t memory_bytes, const octet_zones_config& config) {
    return octet_zones_init(memory, memory_bytes, &config, &zones_);
  }
  octet_status Frame(uint64_t time_us, uint32_t width, uint32_t height, const octet_track* tracks,
                     uint32_t count, octet_zone_event_fn event, void* context) {
    return octet_zones_frame(zones_, time_us, width, height, tracks, count, event, context);
  }
  octet_status Counts(uint32_t zone, uint32_t label, octet_zone_counts* counts) const {
    return octet_zones_counts(zones_, zone, label, counts);
  }
  void Reset() { octet_zones_reset(zones_); }
  octet_status Get(void* memory, size_t bytes) const {
    return octet_zones_get(zones_, memory, bytes);
  }
  octet_status Set(const void* memory, size_t bytes) {
    return octet_zones_set(zones_, memory, bytes);
  }

 private:
  octet_zones* zones_ = nullptr;
};

}  // namespace octet

#endif  // OCTET_TRACK_HPP_
