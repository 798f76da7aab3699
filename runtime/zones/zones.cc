// The calls of octet/zones.h.
#include "octet/zones.h"

#include <string.h>

#include "runtime/core/sized.h"
#include "runtime/zones/memory.h"
#include "runtime/zones/watch.h"

namespace octet {
namespace zones {
namespace {

bool IsValid(const octet_zone& zone) {
  if (zone.points == nullptr || zone.point_count < 2 ||
      zone.point_count > OCTET_ZONES_MOST_POINTS || zone.anchor > OCTET_ZONE_TOP ||
      zone.frames == 0 || zone.frames > zone.window || zone.window > 32 || zone.band > 65536) {
    return false;
  }
  for (uint32_t i = 0; i < zone.point_count; ++i) {
    const octet_zone_point& p = zone.points[i];
    if (p.x < -kMostCoordinate || p.x > kMostCoordinate || p.y < -kMostCoordinate ||
        p.y > kMostCoordinate) {
      return false;
    }
  }
  const octet_zone_point *a = zone.points, *b = zone.points + 1;
  return zone.point_count != 2 || a->x != b->x || a->y != b->y;
}

// The zones of a caller's array, whose elements may have another size than here.
bool ReadZone(const octet_zones_config& config, uint32_t index, octet_zone* zone) {
  const auto* first = reinterpret_cast<const uint8_t*>(config.zones);
  const size_t stride = config.zones[0].size;
  const void* at = first + index * stride;
  return ReadSized(static_cast<const octet_zone*>(at), zone) && IsValid(*zone);
}

// False: a rule is broken.
bool ReadSizes(const octet_zones_config* of_caller, octet_zones_config* config, State* sizes) {
  if (!ReadSized(of_caller, config) || config->zones == nullptr || config->zone_count == 0 ||
      config->zone_count > OCTET_ZONES_MOST || config->label_count == 0 ||
      config->label_count > 1024 || config->capacity == 0 || config->capacity > OCTET_TRACKS_MOST ||
      !IsSized(config->zones) || config->zones[0].size % alignof(octet_zone) != 0) {
    return false;
  }
  *sizes = {config->zone_count, 0, config->label_count, config->capacity, 0, 0, 0};
  for (uint32_t i = 0; i < config->zone_count; ++i) {
    octet_zone zone;
    if (!ReadZone(*config, i, &zone)) return false;
    sizes->point_count += zone.point_count;
  }
  return true;
}

// All events of a frame go through here.
struct Reporter {
  const Parts& parts;
  octet_zone_event_fn event;
  void* context;

  void Report(octet_zone_event found, uint32_t zone, const Slot& slot) const {
    if (found.kind == 0) return;
    found.zone = zone;
    found.track = slot.id;
    found.label = slot.label;
    const uint32_t labels = parts.state->label_count;
    const uint32_t label = slot.label < labels ? slot.label : labels - 1;
    Count* count = &parts.counts[size_t{zone} * labels + label];
    if (found.kind == OCTET_ZONE_ENTERED || found.kind == OCTET_ZONE_IN) ++count->in;
    if (found.kind == OCTET_ZONE_LEFT || found.kind == OCTET_ZONE_OUT) ++count->out;
    if (event != nullptr) event(context, &found);
  }
};

Watch* WatchesOf(const Parts& parts, uint32_t slot) {
  return parts.watches + size_t{slot} * parts.state->zone_count;
}

// Slots whose id is not in the list end; the others move together.
void EndSlots(const Parts& parts, const Reporter& reporter, const octet_track* tracks,
              uint32_t count) {
  State* state = parts.state;
  uint32_t kept = 0, at = 0;
  for (uint32_t s = 0; s < state->slot_count; ++s) {
    const Slot slot = parts.slots[s];
    while (at < count && tracks[at].id < slot.id) ++at;
    Watch* watches = WatchesOf(parts, s);
    if (at < count && tracks[at].id == slot.id) {
      parts.slots[kept] = slot;
      if (kept != s) memcpy(WatchesOf(parts, kept), watches, state->zone_count * sizeof(Watch));
      ++kept;
      continue;
    }
    for (uint32_t z = 0; z < state->zone_count; ++z) {
      reporter.Report(End(parts.zones[z], slot.seen_us, watches[z]), z, slot);
    }
  }
  state->slot_count = kept;
}

// The slot of `id`, at or behind `from`; a new one if there is none.
uint32_t SlotOf(const Parts& parts, uint32_t from, uint64_t id) {
  State* state = parts.state;
  uint32_t s = from;
  while (s < state->slot_count && parts.slots[s].id < id) ++s;
  if (s < state->slot_count && parts.slots[s].id == id) return s;
  const size_t behind = state->slot_count - s;
  memmove(parts.slots + s + 1, parts.slots + s, behind * sizeof(Slot));
  memmove(WatchesOf(parts, s + 1), WatchesOf(parts, s), behind * state->zone_count * sizeof(Watch));
  ++state->slot_count;
  parts.slots[s] = {id, 0, 0, 0};
  memset(WatchesOf(parts, s), 0, state->zone_count * sizeof(Watch));
  return s;
}

bool IsList(const octet_track* tracks, uint32_t count) {
  for (uint32_t i = 1; i < count; ++i) {
    if (tracks[i].id <= tracks[i - 1].id) return false;
  }
  return true;
}

}  // namespace
}  // namespace zones
}  // namespace octet

using octet::zones::Parts;
using octet::zones::State;

void octet_zone_defaults(octet_zone* zone) {
  if (!octet::IsSized(zone)) return;
  octet_zone z = {};
  z.anchor = OCTET_ZONE_BOTTOM;
  z.frames = 2;
  z.window = 3;
  z.band = 65536 / 20;
  z.update_ms = 1000;
  octet::WriteSized(z, zone);
}

size_t octet_zones_bytes(const octet_zones_config* config) {
  octet_zones_config own;
  State sizes;
  return octet::zones::ReadSizes(config, &own, &sizes) ? Parts(nullptr, sizes).bytes : 0;
}

octet_status octet_zones_init(void* memory, size_t memory_bytes, const octet_zones_config* config,
                              octet_zones** zones) {
  octet_zones_config own;
  State sizes;
  if (memory == nullptr || zones == nullptr || !octet::zones::ReadSizes(config, &own, &sizes)) {
    return {OCTET_INVALID_ARGUMENT, 0};
  }
  const Parts parts(memory, sizes);
  if (reinterpret_cast<uintptr_t>(memory) % 8 != 0) return {OCTET_MISALIGNED, 0};
  if (memory_bytes < parts.bytes) return {OCTET_ARENA_TOO_SMALL, 0};
  memset(memory, 0, parts.bytes);
  *parts.state = sizes;
  uint32_t points = 0;
  for (uint32_t i = 0; i < sizes.zone_count; ++i) {
    octet_zone zone;
    octet::zones::ReadZone(own, i, &zone);
    parts.zones[i] = {points,
                      zone.point_count,
                      zone.anchor,
                      zone.frames,
                      zone.window,
                      zone.band,
                      uint64_t{zone.update_ms} * 1000};
    memcpy(parts.points + points, zone.points, zone.point_count * sizeof(octet_zone_point));
    points += zone.point_count;
  }
  *zones = static_cast<octet_zones*>(memory);
  return {OCTET_OK, 0};
}

octet_status octet_zones_frame(octet_zones* zones, uint64_t time_us, uint32_t width,
                               uint32_t height, const octet_track* tracks, uint32_t count,
                               octet_zone_event_fn event, void* context) {
  using namespace octet::zones;
  if (zones == nullptr || (tracks == nullptr && count != 0) || width == 0 || width > 65535 ||
      height == 0 || height > 65535) {
    return {OCTET_INVALID_ARGUMENT, 0};
  }
  const Parts parts(zones);
  if (count > parts.state->capacity || !IsList(tracks, count)) return {OCTET_INVALID_ARGUMENT, 0};
  if (time_us < parts.state->last_us) time_us = parts.state->last_us;
  parts.state->last_us = time_us;
  const Reporter reporter = {parts, event, context};
  EndSlots(parts, reporter, tracks, count);
  uint32_t s = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const octet_track& track = tracks[i];
    s = SlotOf(parts, s, track.id);
    if (track.state != OCTET_TRACK_SEEN) continue;
    Slot* slot = &parts.slots[s];
    slot->label = track.label;
    slot->seen_us = time_us;
    for (uint32_t z = 0; z < parts.state->zone_count; ++z) {
      const Zone& zone = parts.zones[z];
      reporter.Report(Observe(zone, parts.points + zone.first_point, {width, height}, track,
                              time_us, WatchesOf(parts, s) + z),
                      z, *slot);
    }
  }
  return {OCTET_OK, 0};
}

octet_status octet_zones_counts(const octet_zones* zones, uint32_t zone, uint32_t label,
                                octet_zone_counts* counts) {
  using namespace octet::zones;
  if (zones == nullptr || counts == nullptr) return {OCTET_INVALID_ARGUMENT, 0};
  const Parts parts(const_cast<octet_zones*>(zones));  // nothing is written through it
  const State& state = *parts.state;
  if (zone >= state.zone_count || (label != UINT32_MAX && label >= state.label_count)) {
    return {OCTET_INVALID_ARGUMENT, 0};
  }
  *counts = {};
  for (uint32_t l = 0; l < state.label_count; ++l) {
    if (label != UINT32_MAX && label != l) continue;
    counts->in += parts.counts[size_t{zone} * state.label_count + l].in;
    counts->out += parts.counts[size_t{zone} * state.label_count + l].out;
  }
  for (uint32_t s = 0; s < state.slot_count && parts.zones[zone].point_count != 2; ++s) {
    const uint32_t of = parts.slots[s].label;
    const uint32_t counted = of < state.label_count ? of : state.label_count - 1;
    if (WatchesOf(parts, s)[zone].side > 0 && (label == UINT32_MAX || label == counted)) {
      ++counts->inside;
    }
  }
  return {OCTET_OK, 0};
}

void octet_zones_reset(octet_zones* zones) {
  Parts(zones).state->slot_count = 0;
}
