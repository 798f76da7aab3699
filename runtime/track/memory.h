// The memory of octet_tracks: what lives from frame to frame, then scratch. Offsets follow from the
// capacity, so the memory may be moved.
#ifndef OCTET_TRACK_MEMORY_H_
#define OCTET_TRACK_MEMORY_H_

#include <stddef.h>
#include <stdint.h>

#include "octet/track.h"
#include "runtime/track/assign.h"
#include "runtime/track/observed.h"

namespace octet {
namespace track {

// Only octet_track_state's values are shown to the caller.
constexpr uint32_t kUnconfirmed = 0;

struct Track {
  uint64_t id, begun_us, seen_us;
  Motion motion;          // of ByteTrack at the last frame, of OC-SORT at seen_us
  Observations observed;  // of OC-SORT; else 0
  uint32_t score, label;
  uint32_t state;  // octet_track_state, or kUnconfirmed
  uint32_t box;    // of this frame
};

struct State {
  uint32_t capacity, track_count;
  octet_tracks_config config;
  uint32_t begins;  // 1: the next frame is the first one
  uint32_t zero;    // so that no byte of a snapshot is undefined
  uint64_t last_us, last_id;
  uint64_t frames, refused, left_out;
};
static_assert(sizeof(State) % 8 == 0, "tracks are 8-byte aligned");
static_assert(sizeof(Track) % 8 == 0 && sizeof(octet_tracks_config) == 48, "no padding");

// A box of this frame that counts.
struct Seen {
  Corners corners;
  uint32_t score, label;
  uint32_t index;  // in the caller's array
  uint32_t taken;  // by a track
};

// The parts of the memory of tracks. Arrays have `capacity` elements.
struct Parts {
  explicit Parts(octet_tracks* tracks);
  // memory: null to learn `bytes`.
  Parts(void* memory, uint32_t capacity);

  State* state;
  Track* tracks;  // state->track_count of them in use, in the order of ids
  // What follows is scratch.
  Corners* boxes;  // of the tracks
  Seen* seen;
  int32_t *row_potential, *column_potential, *distance, *rank, *reached_from;
  uint16_t *rows, *columns;  // tracks and boxes that are associated
  uint16_t *column_of, *row_of;
  uint16_t* gains;  // [capacity][capacity]
  uint8_t* removed;
  size_t bytes;
};

size_t SnapshotBytes(uint32_t capacity);

}  // namespace track
}  // namespace octet

#endif  // OCTET_TRACK_MEMORY_H_
