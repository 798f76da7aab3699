#include "ports/linux/camera/program/tracks/event_text.h"

#include <iterator>

namespace octet::port {
namespace {

using Count = unsigned long long;

// By octet_zone_event_kind.
constexpr const char* kNames[] = {"", "begin", "update", "end", "crossing", "crossing"};
static_assert(std::size(kNames) == OCTET_ZONE_OUT + 1, "a name for each kind");

bool IsCrossing(const octet_zone_event& event) {
  return event.kind == OCTET_ZONE_IN || event.kind == OCTET_ZONE_OUT;
}

double Seconds(uint64_t us) {
  return static_cast<double>(us) / 1e6;
}

void FormatPlain(const octet_zone_event& event, const NamedZone& zone, const char* label,
                 Line* line) {
  line->Add("%s %s  ", IsCrossing(event) ? "line" : "zone", zone.name.c_str());
  if (*label != 0) {
    line->AddPlain(label);
  } else {
    line->Add("class %u", event.label);
  }
  line->Add(" #%llu  %s", static_cast<Count>(event.track), kNames[event.kind]);
  if (IsCrossing(event)) {
    line->Add(" %s\n", event.kind == OCTET_ZONE_IN ? "in" : "out");
  } else {
    line->Add(" %.1f s\n", Seconds(event.dwell_us));
  }
}

}  // namespace

void FormatEvent(const octet_zone_event& event, const NamedZone& zone,
                 const octet_zone_counts& counts, const char* label, const EventFrame& frame,
                 bool json, Line* line) {
  line->Clear();
  if (!json && *frame.camera != 0) line->Add("%s  ", frame.camera);
  if (!json) return FormatPlain(event, zone, label, line);
  // An event of a track that has ended is of its last box.
  const double ago_s = Seconds(frame.time_us - event.time_us);
  BeginJson(frame.camera, line);
  line->Add("\"event\":\"%s\",\"version\":%u,\"frame\":%llu,\"time\":%.3f,\"%s\":",
            kNames[event.kind], kEventVersion, static_cast<Count>(frame.number),
            frame.time_s - ago_s, IsCrossing(event) ? "line" : "zone");
  line->AddJsonString(zone.name.c_str());
  line->Add(",\"id\":%llu,\"label\":", static_cast<Count>(event.track));
  line->AddJsonString(label);
  line->Add(",\"class\":%u,\"ended\":%s", event.label, event.ended != 0 ? "true" : "false");
  if (IsCrossing(event)) {
    line->Add(",\"direction\":\"%s\"", event.kind == OCTET_ZONE_IN ? "in" : "out");
  } else {
    line->Add(",\"dwell_s\":%.3f,\"inside\":%llu", Seconds(event.dwell_us),
              static_cast<Count>(counts.inside));
  }
  line->Add(",\"in\":%llu,\"out\":%llu}\n", static_cast<Count>(counts.in),
            static_cast<Count>(counts.out));
}

}  // namespace octet::port
