#include "ports/linux/camera/program/tracks/tracks.h"

#include <algorithm>
#include <cstdio>

namespace octet::port {
namespace {

constexpr uint32_t kZoneColour = 3, kLineColour = 5;  // of draw.cc
constexpr uint32_t kLabels = 1024;                    // the most that zones count apart

// "door 3 in 1 out", "hall 2 inside", at the first point.
DrawnText TextOf(const NamedZone& zone, const octet_zone_counts& counts, DrawnPoint at) {
  DrawnText text = {at, zone.is_line() ? kLineColour : kZoneColour, ""};
  const auto number = [](uint64_t n) { return static_cast<unsigned long long>(n); };
  if (zone.is_line()) {
    std::snprintf(text.text, sizeof(text.text), "%.30s %llu in %llu out", zone.name.c_str(),
                  number(counts.in), number(counts.out));
  } else {
    std::snprintf(text.text, sizeof(text.text), "%.30s %llu inside", zone.name.c_str(),
                  number(counts.inside));
  }
  return text;
}

}  // namespace

CameraTracks::CameraTracks(const octet_tracks_config& config, const std::vector<NamedZone>& zones)
    : tracker_(kCapacity, config), zones_(zones), trails_(kCapacity) {
  // An event for each track and zone, of those that end and those that begin.
  events_.reserve(size_t{2} * kCapacity * zones.size());
  if (!zones_.empty()) StartZones();
}

void CameraTracks::StartZones() {
  std::vector<octet_zone> made;
  for (const NamedZone& zone : zones_) {
    made.push_back(zone.zone);
    made.back().points = zone.points.data();
  }
  octet_zones_config config;
  config.zones = made.data();
  config.zone_count = static_cast<uint32_t>(made.size());
  config.label_count = kLabels;
  config.capacity = kCapacity;
  zone_memory_.resize(octet_zones_bytes(&config) / sizeof(uint64_t));
  octet_zones_init(zone_memory_.data(), zone_memory_.size() * sizeof(uint64_t), &config, &made_);
}

void CameraTracks::Reset() {
  tracker_.Reset();
  if (made_ != nullptr) octet_zones_reset(made_);
}

octet_zone_counts CameraTracks::CountsOf(uint32_t zone) const {
  octet_zone_counts counts = {};
  octet_zones_counts(made_, zone, UINT32_MAX, &counts);
  return counts;
}

void CameraTracks::Frame(uint64_t time_us, uint32_t width, uint32_t height, Results* results) {
  const auto& tracks = tracker_.Frame(time_us, results->boxes.data(), results->BoxCount());
  std::fill(results->ids.begin(), results->ids.end(), 0);
  for (const octet_track& track : tracks) {
    if (track.state == OCTET_TRACK_SEEN) results->ids[track.box] = track.id;
  }
  events_.clear();
  if (made_ != nullptr) {
    const auto keep = [](void* context, const octet_zone_event* event) {
      static_cast<CameraTracks*>(context)->events_.push_back(*event);
    };
    octet_zones_frame(made_, time_us, width, height, tracks.data(),
                      static_cast<uint32_t>(tracks.size()), keep, this);
  }
  Follow(tracks);
  DrawInto(width, height, results);
}

void CameraTracks::Follow(const std::vector<octet_track>& tracks) {
  const auto lives = [&](uint64_t id) {
    octet_track wanted = {};
    wanted.id = id;
    return std::binary_search(
        tracks.begin(), tracks.end(), wanted,
        [](const octet_track& a, const octet_track& b) { return a.id < b.id; });
  };
  for (Trail& trail : trails_) {
    if (trail.id != 0 && !lives(trail.id)) trail = {};
  }
  for (const octet_track& track : tracks) {
    if (track.state != OCTET_TRACK_SEEN) continue;
    Trail& trail = TrailOf(track.id);
    if (trail.count == Trail::kPoints) {
      std::move(trail.points.begin() + 1, trail.points.end(), trail.points.begin());
      --trail.count;
    }
    trail.points[trail.count++] = {static_cast<float>(track.x0 + track.x1) / 512,
                                   static_cast<float>(track.y1) / 256};
  }
}

// There are as many as tracks, so one is free for a new track.
CameraTracks::Trail& CameraTracks::TrailOf(uint64_t id) {
  const auto of = [&](uint64_t wanted) {
    return std::find_if(trails_.begin(), trails_.end(),
                        [&](const Trail& trail) { return trail.id == wanted; });
  };
  auto found = of(id);
  if (found == trails_.end()) found = of(0);
  found->id = id;
  return *found;
}

void CameraTracks::DrawInto(uint32_t width, uint32_t height, Results* results) const {
  results->lines.clear();
  const auto at = [&](const octet_zone_point& p) {
    return DrawnPoint{static_cast<float>(p.x) * static_cast<float>(width) / OCTET_ZONES_PICTURE,
                      static_cast<float>(p.y) * static_cast<float>(height) / OCTET_ZONES_PICTURE};
  };
  results->texts.clear();
  for (uint32_t z = 0; z < zones_.size(); ++z) {
    const NamedZone& zone = zones_[z];
    const size_t count = zone.points.size();
    results->texts.push_back(TextOf(zone, CountsOf(z), at(zone.points[0])));
    for (size_t i = 0; i < (zone.is_line() ? 1 : count); ++i) {
      results->lines.push_back({at(zone.points[i]), at(zone.points[(i + 1) % count]),
                                zone.is_line() ? kLineColour : kZoneColour});
    }
  }
  for (const Trail& trail : trails_) {
    for (uint32_t i = 1; i < trail.count; ++i) {
      results->lines.push_back(
          {trail.points[i - 1], trail.points[i], static_cast<uint32_t>(trail.id)});
    }
  }
}

}  // namespace octet::port
