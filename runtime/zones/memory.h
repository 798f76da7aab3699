// The memory of octet_zones. Offsets follow from the state at its begin, so it may be moved.
#ifndef OCTET_ZONES_MEMORY_H_
#define OCTET_ZONES_MEMORY_H_

#include <stddef.h>
#include <stdint.h>

#include "octet/zones.h"
#include "runtime/zones/geometry.h"

namespace octet {
namespace zones {

struct Zone {
  uint32_t first_point, point_count;
  octet_zone_anchor anchor;
  uint32_t frames, window, band;
  uint64_t update_us;
};

// What is known of a track in a zone. Sides are -1 and 1: of a line left and right, of a polygon
// outside and inside. 0: not decided yet.
struct Watch {
  octet_zone_point last;  // anchor of the last observation
  int32_t side;           // that counts
  int32_t way_side;       // of the last anchor that was not on the line
  int32_t passes;  // of the line since the side was last undisputed, to the right less to the left
  uint32_t is_seen;      // 1: `last` is an anchor
  uint32_t is_disputed;  // 1: a decision in the window is for the other side
  uint32_t zero;         // so that no byte is undefined
  uint32_t decisions;    // bit i: the decision i before the last one; 1: right or inside
  uint32_t decision_count;
  uint64_t disputed_us;  // first decision for the other side
  uint64_t begun_us;     // of this side
  uint64_t updated_us;
};

// Of Watch.passes either way. Only the sign counts.
constexpr int32_t kMostPasses = 1 << 20;

struct Slot {
  uint64_t id, seen_us;
  uint32_t label, zero;
};

struct Count {
  uint64_t in, out;
};

struct State {
  uint32_t zone_count, point_count, label_count, capacity;
  uint32_t slot_count, zero;
  uint64_t last_us;
};

struct Parts {
  explicit Parts(octet_zones* zones);
  // memory: null to learn `bytes`.
  Parts(void* memory, const State& sizes);

  State* state;
  Zone* zones;               // [zone_count]
  octet_zone_point* points;  // [point_count]
  Count* counts;             // [zone_count][label_count]
  Slot* slots;               // [capacity], in the order of ids
  Watch* watches;            // [capacity][zone_count]
  size_t bytes;
};

}  // namespace zones
}  // namespace octet

#endif  // OCTET_ZONES_MEMORY_H_
