// octet-camera --tracks, --zones, --lines: ids of boxes, events of zones, and what a picture shows
// of them.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_TRACKS_TRACKS_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_TRACKS_TRACKS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "octet/zones.h"
#include "ports/linux/results/results.h"
#include "ports/linux/tracks/tracker.h"
#include "ports/linux/tracks/zone_words.h"

namespace octet::port {

// All memory is taken by the constructor.
class CameraTracks {
 public:
  static constexpr uint32_t kCapacity = 128;

  CameraTracks(const octet_tracks_config& config, const std::vector<NamedZone>& zones);

  // A frame: ids of its boxes and lines to draw into `results`.
  void Frame(uint64_t time_us, uint32_t width, uint32_t height, Results* results);
  // Tracks end without events: another model names other classes.
  void Reset();

  // Of the last frame.
  const std::vector<octet_zone_event>& events() const { return events_; }
  octet_tracks_info info() const { return tracker_.Info(); }
  const std::vector<NamedZone>& zones() const { return zones_; }
  octet_zone_counts CountsOf(uint32_t zone) const;

 private:
  // Where a track was, the newest last.
  struct Trail {
    static constexpr uint32_t kPoints = 32;
    uint64_t id = 0;
    uint32_t count = 0;
    std::array<DrawnPoint, kPoints> points;
  };
  void StartZones();
  void Follow(const std::vector<octet_track>& tracks);
  Trail& TrailOf(uint64_t id);
  void DrawInto(uint32_t width, uint32_t height, Results* results) const;

  Tracker tracker_;
  std::vector<NamedZone> zones_;
  std::vector<uint64_t> zone_memory_;
  octet_zones* made_ = nullptr;
  std::vector<octet_zone_event> events_;
  std::vector<Trail> trails_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_TRACKS_TRACKS_H_
