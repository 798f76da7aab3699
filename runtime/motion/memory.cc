#include "runtime/motion/memory.h"

namespace octet {
namespace motion {
namespace {

// The next `count` elements. Each part begins at a multiple of 8 bytes.
template <typename T>
T* TakeCells(uint8_t* memory, size_t count, size_t* bytes) {
  T* part = memory == nullptr ? nullptr : static_cast<T*>(static_cast<void*>(memory + *bytes));
  *bytes += (count * sizeof(T) + 7) / 8 * 8;
  return part;
}

}  // namespace

Parts::Parts(octet_motion* of)
    : Parts(of, *static_cast<const State*>(static_cast<const void*>(of))) {}

Parts::Parts(void* memory, const State& sizes) {
  auto* from = static_cast<uint8_t*>(memory);
  const size_t cells = size_t{sizes.columns} * sizes.rows;
  bytes = 0;
  state = TakeCells<State>(from, 1, &bytes);
  is_seen = TakeCells<uint8_t>(from, cells, &bytes);
  background = TakeCells<uint32_t>(from, cells, &bytes);
  change = TakeCells<int32_t>(from, cells, &bytes);
  variance = TakeCells<uint32_t>(from, cells, &bytes);
  weight = TakeCells<uint32_t>(from, cells, &bytes);
  mean = TakeCells<uint16_t>(from, cells, &bytes);
  is_changed = TakeCells<uint8_t>(from, cells, &bytes);
  was_cut = TakeCells<uint8_t>(from, cells, &bytes);
  snapshot_bytes = bytes;
  fresh = TakeCells<uint16_t>(from, cells, &bytes);
  cut = TakeCells<uint8_t>(from, cells, &bytes);
  energy = TakeCells<uint16_t>(from, cells, &bytes);
  tiles = TakeCells<Tile>(from, size_t{TilesOf(sizes, sizes.columns)} * TilesOf(sizes, sizes.rows),
                          &bytes);
  is_used = TakeCells<uint8_t>(from, cells, &bytes);
  between = TakeCells<Between>(from, sizes.columns, &bytes);
  gains = TakeCells<int32_t>(from, TilesOf(sizes, sizes.columns), &bytes);
  difference = TakeCells<int32_t>(from, sizes.columns, &bytes);
  sums = TakeCells<uint32_t>(from, sizes.columns, &bytes);
}

}  // namespace motion
}  // namespace octet
