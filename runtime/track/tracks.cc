// The calls of octet/track.h.
#include "octet/track.h"

#include <string.h>

#include "runtime/core/checked.h"
#include "runtime/core/sized.h"
#include "runtime/track/frame.h"
#include "runtime/track/memory.h"

namespace octet {
namespace track {
namespace {

bool IsValid(const octet_tracks_config& c) {
  const uint32_t shares[] = {c.high,   c.low,         c.new_score, c.match,
                             c.second, c.unconfirmed, c.iou,       c.inertia};
  for (const uint32_t share : shares) {
    if (share > OCTET_TRACKS_ONE) return false;
  }
  return c.low <= c.high && c.buffer_ms >= 1 && c.buffer_ms <= 10000 &&
         c.classes <= OCTET_TRACKS_TOGETHER && c.method <= OCTET_TRACKS_OC_SORT;
}

// A const pointer to the same memory: nothing is written through it.
Parts PartsOf(const octet_tracks* tracks) {
  return Parts(const_cast<octet_tracks*>(tracks));
}

// 256 times the value, rounded, as two exact steps and one rounding: the same on every machine.
int32_t FixedOf(float value) {
  constexpr float kMost = 65536.0f;
  if (!IsFiniteFloat(value)) return 0;
  if (value >= kMost) return kMostCorner;
  if (value <= -kMost) return -kMostCorner;
  const float scaled = value * 256.0f;
  return static_cast<int32_t>(scaled < 0 ? scaled - 0.5f : scaled + 0.5f);
}

uint32_t ShareOf(float value) {
  if (!IsFiniteFloat(value) || value <= 0.0f) return 0;
  if (value >= 1.0f) return OCTET_TRACKS_ONE;
  return static_cast<uint32_t>(value * 65536.0f + 0.5f);
}

bool IsSoundObserved(const Track& track, const State& state) {
  const Observations& observed = track.observed;
  return IsSound(observed) && (observed.missed == 0 || (observed.missed_us >= track.seen_us &&
                                                        observed.missed_us <= state.last_us));
}

bool IsSoundTrack(const Track& track, const State& state, uint64_t id_before) {
  return track.id > id_before && track.id <= state.last_id && track.begun_us <= track.seen_us &&
         track.seen_us <= state.last_us && track.state <= OCTET_TRACK_LOST &&
         track.score <= OCTET_TRACKS_ONE && IsSound(track.motion) &&
         (state.config.method != OCTET_TRACKS_OC_SORT || IsSoundObserved(track, state));
}

// Of a copy, whose tracks stand behind its state.
bool IsSoundSnapshot(const State& state, const void* tracks) {
  if (state.track_count > state.capacity || state.begins > 1 || state.zero != 0 ||
      !IsValid(state.config)) {
    return false;
  }
  uint64_t id_before = 0;
  for (uint32_t i = 0; i < state.track_count; ++i) {
    Track track;
    memcpy(&track, static_cast<const uint8_t*>(tracks) + i * sizeof(Track), sizeof(track));
    if (!IsSoundTrack(track, state, id_before)) return false;
    id_before = track.id;
  }
  return true;
}

octet_track Shown(const Track& track, const State& state) {
  const Corners box = PlaceOf(track, state);
  return {track.id, track.begun_us, track.seen_us, box.x0,      box.y0,   box.x1,
          box.y1,   track.score,    track.label,   track.state, track.box};
}

}  // namespace
}  // namespace track
}  // namespace octet

using octet::track::Parts;
using octet::track::PartsOf;
using octet::track::State;
using octet::track::Track;

size_t octet_tracks_bytes(uint32_t capacity) {
  return capacity == 0 || capacity > OCTET_TRACKS_MOST ? 0 : Parts(nullptr, capacity).bytes;
}

void octet_tracks_defaults(octet_tracks_config* config) {
  if (!octet::IsSized(config)) return;
  octet_tracks_config c = {};
  c.high = 39322;         // 0.6
  c.low = 6554;           // 0.1
  c.new_score = 45875;    // 0.7
  c.match = 52429;        // 0.8
  c.second = 32768;       // 0.5
  c.unconfirmed = 45875;  // 0.7
  c.buffer_ms = 1000;
  c.classes = OCTET_TRACKS_APART;
  c.method = OCTET_TRACKS_BYTE_TRACK;
  c.iou = 19661;      // 0.3
  c.inertia = 13107;  // 0.2
  octet::WriteSized(c, config);
}

octet_status octet_tracks_init(void* memory, size_t memory_bytes, uint32_t capacity,
                               const octet_tracks_config* config, octet_tracks** tracks) {
  octet_tracks_config own;
  const size_t bytes = octet_tracks_bytes(capacity);
  if (memory == nullptr || tracks == nullptr || bytes == 0 || !octet::ReadSized(config, &own) ||
      !octet::track::IsValid(own)) {
    return {OCTET_INVALID_ARGUMENT, 0};
  }
  if (reinterpret_cast<uintptr_t>(memory) % 8 != 0) return {OCTET_MISALIGNED, 0};
  if (memory_bytes < bytes) return {OCTET_ARENA_TOO_SMALL, 0};
  memset(memory, 0, bytes);
  State* state = Parts(memory, capacity).state;
  state->capacity = capacity;
  own.size = sizeof(own);
  state->config = own;
  state->begins = 1;
  *tracks = static_cast<octet_tracks*>(memory);
  return {OCTET_OK, 0};
}

void octet_tracks_boxes(const octet_detection* detections, uint32_t count, octet_box* boxes) {
  using octet::track::FixedOf;
  for (uint32_t i = 0; i < count; ++i) {
    const octet_detection& d = detections[i];
    boxes[i] = {
        FixedOf(d.x0), FixedOf(d.y0), FixedOf(d.x1), FixedOf(d.y1), octet::track::ShareOf(d.score),
        d.label};
  }
}

octet_status octet_tracks_frame(octet_tracks* tracks, uint64_t time_us, const octet_box* boxes,
                                uint32_t box_count, octet_track* list, uint32_t capacity,
                                uint32_t* count) {
  if (tracks == nullptr || list == nullptr || count == nullptr ||
      (boxes == nullptr && box_count != 0)) {
    return {OCTET_INVALID_ARGUMENT, 0};
  }
  const Parts parts(tracks);
  if (capacity < parts.state->capacity) return {OCTET_INVALID_ARGUMENT, 0};
  octet::track::Frame(parts, time_us, boxes, box_count);
  *count = 0;
  for (uint32_t i = 0; i < parts.state->track_count; ++i) {
    const Track& track = parts.tracks[i];
    if (track.state != octet::track::kUnconfirmed)
      list[(*count)++] = octet::track::Shown(track, *parts.state);
  }
  return {OCTET_OK, 0};
}

void octet_tracks_reset(octet_tracks* tracks) {
  State* state = Parts(tracks).state;
  state->track_count = 0;
  state->begins = 1;
}

octet_status octet_tracks_describe(const octet_tracks* tracks, octet_tracks_info* info) {
  if (tracks == nullptr || !octet::IsSized(info)) return {OCTET_INVALID_ARGUMENT, 0};
  const Parts parts = PartsOf(tracks);
  const State& state = *parts.state;
  octet_tracks_info i = {};
  i.capacity = state.capacity;
  for (uint32_t t = 0; t < state.track_count; ++t) {
    const uint32_t of = parts.tracks[t].state;
    ++(of == OCTET_TRACK_SEEN ? i.seen : of == OCTET_TRACK_LOST ? i.lost : i.unconfirmed);
  }
  i.frames = state.frames;
  i.begun = state.last_id;
  i.refused = state.refused;
  i.left_out = state.left_out;
  i.snapshot_bytes = octet::track::SnapshotBytes(state.capacity);
  octet::WriteSized(i, info);
  return {OCTET_OK, 0};
}

// Tracks that are not in use are zero: the copy depends on the calls alone.
octet_status octet_tracks_get(const octet_tracks* tracks, void* memory, size_t bytes) {
  if (tracks == nullptr || memory == nullptr) return {OCTET_INVALID_ARGUMENT, 0};
  const Parts parts = PartsOf(tracks);
  if (bytes != octet::track::SnapshotBytes(parts.state->capacity)) {
    return {OCTET_INVALID_ARGUMENT, 0};
  }
  const size_t used = octet::track::SnapshotBytes(parts.state->track_count);
  memcpy(memory, parts.state, sizeof(State));
  memcpy(static_cast<uint8_t*>(memory) + sizeof(State), parts.tracks, used - sizeof(State));
  memset(static_cast<uint8_t*>(memory) + used, 0, bytes - used);
  return {OCTET_OK, 0};
}

octet_status octet_tracks_set(octet_tracks* tracks, const void* memory, size_t bytes) {
  if (tracks == nullptr || memory == nullptr) return {OCTET_INVALID_ARGUMENT, 0};
  const Parts parts(tracks);
  if (bytes != octet::track::SnapshotBytes(parts.state->capacity)) {
    return {OCTET_INVALID_ARGUMENT, 0};
  }
  State state;
  memcpy(&state, memory, sizeof(state));
  if (state.capacity != parts.state->capacity) return {OCTET_INVALID_ARGUMENT, 0};
  const auto* copied = static_cast<const uint8_t*>(memory) + sizeof(State);
  if (!octet::track::IsSoundSnapshot(state, copied)) return {OCTET_CORRUPT, 0};
  *parts.state = state;
  memcpy(static_cast<void*>(parts.tracks), copied, bytes - sizeof(State));
  return {OCTET_OK, 0};
}
