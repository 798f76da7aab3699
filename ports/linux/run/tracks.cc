#include "ports/linux/run/tracks.h"

#include <algorithm>
#include <cstdio>

#include "ports/linux/output/error.h"

namespace octet::port {

TrackWriter::TrackWriter(const TracksOptions& options)
    : options_(options),
      tracker_(OCTET_TRACKS_MOST, ReadTracksConfig(options.settings, "--tracker")),
      file_(options.tracks) {
  if (!options.times.empty()) times_us_ = ReadTimesUs(options.times);
}

void TrackWriter::CheckTimes(uint64_t frame_count) const {
  if (options_.times.empty() || times_us_.size() >= frame_count) return;
  throw InputError("--times " + options_.times + ": " + std::to_string(times_us_.size()) +
                   " times for " + std::to_string(frame_count) +
                   " frames; write a time for each frame");
}

uint64_t TrackWriter::TimeUs(uint64_t frame) const {
  return options_.times.empty() ? frame * 1000000 / 30 : times_us_[frame];
}

void TrackWriter::Add(const octet_detection* detections, uint32_t count) {
  const auto& tracks = tracker_.Frame(TimeUs(frames_), detections, count);
  file_.Add(++frames_, tracks);
}

void TrackWriter::Add(const std::vector<octet_box>& boxes) {
  const auto& tracks = tracker_.Frame(TimeUs(frames_), boxes);
  file_.Add(++frames_, tracks);
}

void TrackWriter::Commit() {
  file_.Commit();
  const octet_tracks_info info = tracker_.Info();
  if (info.left_out + info.refused == 0) return;
  std::fprintf(stderr,
               "octet-run: warning: %llu boxes were not used: frames have more than %u boxes or "
               "tracks\n",
               static_cast<unsigned long long>(info.left_out + info.refused), info.capacity);
}

float LeastScore(const TracksOptions& options) {
  const octet_tracks_config config = ReadTracksConfig(options.settings, "--tracker");
  return static_cast<float>(config.low) / OCTET_TRACKS_ONE;
}

void TrackBoxes(const TracksOptions& options) {
  const std::vector<std::vector<octet_box>> frames = ReadMotBoxes(options.boxes);
  TrackWriter writer(options);
  writer.CheckTimes(frames.size());
  for (const auto& boxes : frames) writer.Add(boxes);
  writer.Commit();
}

}  // namespace octet::port
