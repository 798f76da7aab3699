// octet/track.h with its memory, for programs.
#ifndef OCTET_PORTS_LINUX_TRACKS_TRACKER_H_
#define OCTET_PORTS_LINUX_TRACKS_TRACKER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "octet/track.h"

namespace octet::port {

// `words`: NAME=VALUE of `method` (bytetrack, ocsort), `high low new match second unconfirmed iou
// inertia` (0 to 1), `buffer` (seconds), `classes` (apart, together). A setting that the method
// does not use is refused. Throws InputError that begins with `option`.
octet_tracks_config ReadTracksConfig(const std::vector<std::string>& words,
                                     const std::string& option);
inline constexpr const char* kTracksConfigHelp =
    "settings of tracks: method=bytetrack (or ocsort), high=0.6 low=0.1 new=0.7 match=0.8 "
    "second=0.5 unconfirmed=0.7 (scores and costs), of ocsort iou=0.3 inertia=0.2, buffer=1 "
    "(seconds), classes=apart (or together); see docs/tracks.md";

// All memory is taken by the constructor, but for more boxes a frame than ever before.
class Tracker {
 public:
  Tracker(uint32_t capacity, const octet_tracks_config& config);

  // The tracks that were seen in this frame or are lost, until the next call. Their `box` is an
  // index of the boxes given.
  const std::vector<octet_track>& Frame(uint64_t time_us, const std::vector<octet_box>& boxes);
  const std::vector<octet_track>& Frame(uint64_t time_us, const octet_detection* detections,
                                        uint32_t count);
  void Reset() { octet_tracks_reset(tracks_); }
  octet_tracks_info Info() const;

 private:
  std::vector<uint64_t> memory_;
  octet_tracks* tracks_ = nullptr;
  std::vector<octet_box> boxes_;
  std::vector<octet_track> all_, list_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_TRACKS_TRACKER_H_
