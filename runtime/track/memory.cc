#include "runtime/track/memory.h"

namespace octet {
namespace track {
namespace {

// The next `count` elements, 8-byte aligned.
template <typename T>
T* Take(uint8_t* memory, size_t count, size_t* bytes) {
  T* part = memory == nullptr ? nullptr : static_cast<T*>(static_cast<void*>(memory + *bytes));
  *bytes += (count * sizeof(T) + 7) / 8 * 8;
  return part;
}

}  // namespace

Parts::Parts(octet_tracks* of)
    : Parts(of, static_cast<const State*>(static_cast<const void*>(of))->capacity) {}

Parts::Parts(void* memory, uint32_t capacity) {
  auto* from = static_cast<uint8_t*>(memory);
  const size_t count = capacity;
  bytes = 0;
  state = Take<State>(from, 1, &bytes);
  tracks = Take<Track>(from, count, &bytes);
  boxes = Take<Corners>(from, count, &bytes);
  seen = Take<Seen>(from, count, &bytes);
  row_potential = Take<int32_t>(from, count, &bytes);
  column_potential = Take<int32_t>(from, count, &bytes);
  distance = Take<int32_t>(from, count, &bytes);
  rank = Take<int32_t>(from, count, &bytes);
  reached_from = Take<int32_t>(from, count, &bytes);
  rows = Take<uint16_t>(from, count, &bytes);
  columns = Take<uint16_t>(from, count, &bytes);
  column_of = Take<uint16_t>(from, count, &bytes);
  row_of = Take<uint16_t>(from, count, &bytes);
  gains = Take<uint16_t>(from, count * count, &bytes);
  removed = Take<uint8_t>(from, count, &bytes);
}

size_t SnapshotBytes(uint32_t capacity) {
  return sizeof(State) + capacity * sizeof(Track);
}

}  // namespace track
}  // namespace octet
