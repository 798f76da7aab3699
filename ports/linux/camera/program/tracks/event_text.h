// Lines of events of zones and lines. docs/events.schema.json describes those in JSON.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_TRACKS_EVENT_TEXT_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_TRACKS_EVENT_TEXT_H_

#include "ports/linux/camera/program/tracks/tracks.h"
#include "ports/linux/results/text.h"

namespace octet::port {

// `version` of the lines. A new key keeps it; another meaning of a key raises it.
constexpr unsigned kEventVersion = 1;

struct EventFrame {
  uint64_t number;          // of the frame in the stream
  double time_s;            // since 1970, of its capture
  uint64_t time_us;         // of its capture, by the clock of the events
  const char* camera = "";  // of a list; else ""
};

// A line with its end. counts: of the event's zone.
void FormatEvent(const octet_zone_event& event, const NamedZone& zone,
                 const octet_zone_counts& counts, const char* label, const EventFrame& frame,
                 bool json, Line* line);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_TRACKS_EVENT_TEXT_H_
