// octet-run --tracks: tracks of the boxes in a file, or of what a model finds in pictures.
#ifndef OCTET_PORTS_LINUX_RUN_TRACKS_H_
#define OCTET_PORTS_LINUX_RUN_TRACKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ports/linux/tracks/mot.h"
#include "ports/linux/tracks/tracker.h"

namespace octet::port {

struct TracksOptions {
  std::string tracks, boxes, times;
  std::vector<std::string> settings;
};

// Frames one after another, with their times, into a file of tracks.
class TrackWriter {
 public:
  // Throws InputError.
  explicit TrackWriter(const TracksOptions& options);
  // frame_count: of all frames. InputError: there is no time for each.
  void CheckTimes(uint64_t frame_count) const;
  void Add(const octet_detection* detections, uint32_t count);
  void Add(const std::vector<octet_box>& boxes);
  // Also warns of boxes that were not used.
  void Commit();

 private:
  uint64_t TimeUs(uint64_t frame) const;

  TracksOptions options_;
  Tracker tracker_;
  std::vector<uint64_t> times_us_;
  MotFile file_;
  uint64_t frames_ = 0;
};

// Of boxes that tracks use.
float LeastScore(const TracksOptions& options);

// octet-run --boxes.
void TrackBoxes(const TracksOptions& options);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_RUN_TRACKS_H_
