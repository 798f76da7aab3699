#include "ports/linux/camera/program/tracks/metrics.h"

namespace octet::port {

void TrackNumbers::SetZones(const std::vector<NamedZone>& zones) {
  for (uint32_t i = 0; i < zones.size(); ++i) {
    SetName(zones[i].name, &zones_[i].name);
    zones_[i].is_line = zones[i].is_line();
  }
  zone_count_.store(static_cast<uint32_t>(zones.size()), std::memory_order_release);
  is_on_.store(true, std::memory_order_release);
}

void TrackNumbers::Set(const CameraTracks& tracks) {
  const octet_tracks_info info = tracks.info();
  alive_.store(info.seen + info.lost, std::memory_order_relaxed);
  begun_.store(info.begun, std::memory_order_relaxed);
  refused_.store(info.refused + info.left_out, std::memory_order_relaxed);
  for (uint32_t i = 0; i < tracks.zones().size(); ++i) {
    const octet_zone_counts counts = tracks.CountsOf(i);
    zones_[i].in.store(counts.in, std::memory_order_relaxed);
    zones_[i].out.store(counts.out, std::memory_order_relaxed);
    zones_[i].inside.store(counts.inside, std::memory_order_relaxed);
  }
}

void TrackNumbers::WriteZones(Exposition* out) const {
  const uint32_t count = zone_count_.load(std::memory_order_acquire);
  const auto family = [&](const char* name, const char* type, const char* help, auto samples) {
    bool begun = false;
    for (uint32_t i = 0; i < count; ++i) {
      if (zones_[i].is_line) continue;
      if (!begun) out->Family(name, type, help);
      begun = true;
      samples(zones_[i]);
    }
  };
  family("octet_zone_tracks", "gauge", "Tracks in a zone.", [&](const Zone& zone) {
    out->Sample("", {{"zone", zone.name.data()}}, zone.inside.load(std::memory_order_relaxed));
  });
  family("octet_zone_events_total", "counter", "Tracks that entered and left a zone.",
         [&](const Zone& zone) {
           out->Sample("", {{"zone", zone.name.data()}, {"event", "entered"}},
                       zone.in.load(std::memory_order_relaxed));
           out->Sample("", {{"zone", zone.name.data()}, {"event", "left"}},
                       zone.out.load(std::memory_order_relaxed));
         });
}

void TrackNumbers::WriteLines(Exposition* out) const {
  const uint32_t count = zone_count_.load(std::memory_order_acquire);
  bool begun = false;
  for (uint32_t i = 0; i < count; ++i) {
    const Zone& line = zones_[i];
    if (!line.is_line) continue;
    if (!begun) out->Family("octet_line_crossings_total", "counter", "Tracks that crossed a line.");
    begun = true;
    out->Sample("", {{"line", line.name.data()}, {"direction", "in"}},
                line.in.load(std::memory_order_relaxed));
    out->Sample("", {{"line", line.name.data()}, {"direction", "out"}},
                line.out.load(std::memory_order_relaxed));
  }
}

void TrackNumbers::Write(MetricPlace place, Exposition* out) const {
  if (place != MetricPlace::kEvents || !is_on_.load(std::memory_order_acquire)) return;
  WriteGauge("octet_tracks", "Tracks that are seen, or lost for less than the buffer.",
             alive_.load(std::memory_order_relaxed), out);
  WriteCounter("octet_tracks_total", "Tracks begun.", begun_.load(std::memory_order_relaxed), out);
  WriteCounter("octet_tracks_refused_total", "Boxes that were not used: more than the capacity.",
               refused_.load(std::memory_order_relaxed), out);
  WriteZones(out);
  WriteLines(out);
}

}  // namespace octet::port
