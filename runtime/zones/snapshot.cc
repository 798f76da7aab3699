// octet_zones_get and octet_zones_set. A copy has the order of the memory. Its zones and points say
// what it is a copy of.
#include <string.h>

#include "octet/zones.h"
#include "runtime/core/bytes.h"
#include "runtime/zones/memory.h"
#include "runtime/zones/watch.h"

namespace octet {
namespace zones {
namespace {

size_t OffsetOf(const Parts& parts, const void* part) {
  return static_cast<size_t>(static_cast<const uint8_t*>(part) -
                             static_cast<const uint8_t*>(static_cast<const void*>(parts.state)));
}

// A copy in memory of any alignment, of zones whose sizes are those of `own`.
struct Copy {
  const void* memory;
  const Parts& own;

  // What stands in the copy where `at` is in the own memory.
  template <typename T>
  T Read(const T* at) const {
    T value;
    memcpy(&value, static_cast<const uint8_t*>(memory) + OffsetOf(own, at), sizeof(value));
    return value;
  }
};

bool IsOfSameSizes(const State& a, const State& b) {
  return a.zone_count == b.zone_count && a.point_count == b.point_count &&
         a.label_count == b.label_count && a.capacity == b.capacity;
}

bool HasSameZones(const Copy& copy) {
  const size_t from = OffsetOf(copy.own, copy.own.zones), to = OffsetOf(copy.own, copy.own.counts);
  return SameBytes(static_cast<const uint8_t*>(copy.memory) + from,
                   reinterpret_cast<const uint8_t*>(copy.own.zones), to - from);
}

bool HasSoundSlots(const Copy& copy, const State& state) {
  const Parts& own = copy.own;
  uint64_t least_id = 0;
  for (uint32_t s = 0; s < state.slot_count; ++s) {
    const Slot slot = copy.Read(own.slots + s);
    if (slot.id < least_id || slot.seen_us > state.last_us || slot.zero != 0) return false;
    if (slot.id == UINT64_MAX && s + 1 < state.slot_count) return false;
    least_id = slot.id + 1;
    for (uint32_t z = 0; z < state.zone_count; ++z) {
      const Zone& zone = own.zones[z];
      const Watch watch = copy.Read(own.watches + size_t{s} * state.zone_count + z);
      if (!IsSound(zone, own.points + zone.first_point, slot.seen_us, watch)) return false;
    }
  }
  return true;
}

// A track that is inside has entered, and has not left.
bool HasSoundCounts(const Copy& copy, const State& state) {
  const Parts& own = copy.own;
  for (uint32_t z = 0; z < state.zone_count; ++z) {
    if (own.zones[z].point_count == 2) continue;
    uint64_t left_over = 0;  // entered less left
    for (uint32_t l = 0; l < state.label_count; ++l) {
      const Count count = copy.Read(own.counts + size_t{z} * state.label_count + l);
      left_over += count.in - count.out;
    }
    uint64_t inside = 0;
    for (uint32_t s = 0; s < state.slot_count; ++s) {
      inside += copy.Read(own.watches + size_t{s} * state.zone_count + z).side > 0 ? 1 : 0;
    }
    if (left_over < inside || left_over > INT64_MAX) return false;
  }
  return true;
}

}  // namespace
}  // namespace zones
}  // namespace octet

using octet::zones::Parts;
using octet::zones::State;

// Slots that are not in use are zero: the copy depends on the calls alone.
octet_status octet_zones_get(const octet_zones* zones, void* memory, size_t bytes) {
  using octet::zones::OffsetOf;
  if (zones == nullptr || memory == nullptr) return {OCTET_INVALID_ARGUMENT, 0};
  const Parts parts(const_cast<octet_zones*>(zones));  // nothing is written through it
  if (bytes != parts.bytes) return {OCTET_INVALID_ARGUMENT, 0};
  const State& state = *parts.state;
  auto* copy = static_cast<uint8_t*>(memory);
  memcpy(copy, zones, bytes);
  const size_t slots_end = OffsetOf(parts, parts.slots + state.slot_count);
  const size_t watches = OffsetOf(parts, parts.watches);
  memset(copy + slots_end, 0, watches - slots_end);
  const size_t watches_end =
      OffsetOf(parts, parts.watches + size_t{state.slot_count} * state.zone_count);
  memset(copy + watches_end, 0, bytes - watches_end);
  return {OCTET_OK, 0};
}

octet_status octet_zones_set(octet_zones* zones, const void* memory, size_t bytes) {
  using namespace octet::zones;
  if (zones == nullptr || memory == nullptr) return {OCTET_INVALID_ARGUMENT, 0};
  const Parts parts(zones);
  if (bytes != parts.bytes) return {OCTET_INVALID_ARGUMENT, 0};
  const Copy copy = {memory, parts};
  const State state = copy.Read(parts.state);
  if (!IsOfSameSizes(state, *parts.state) || !HasSameZones(copy)) {
    return {OCTET_INVALID_ARGUMENT, 0};
  }
  if (state.slot_count > state.capacity || state.zero != 0 || !HasSoundSlots(copy, state) ||
      !HasSoundCounts(copy, state)) {
    return {OCTET_CORRUPT, 0};
  }
  memcpy(static_cast<void*>(zones), memory, bytes);
  return {OCTET_OK, 0};
}
