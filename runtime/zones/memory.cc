#include "runtime/zones/memory.h"

namespace octet {
namespace zones {
namespace {

// The next `count` elements, each a multiple of 8 bytes.
template <typename T>
T* TakePart(uint8_t* memory, size_t count, size_t* bytes) {
  static_assert(sizeof(T) % 8 == 0, "the next part is 8-byte aligned");
  T* part = memory == nullptr ? nullptr : static_cast<T*>(static_cast<void*>(memory + *bytes));
  *bytes += count * sizeof(T);
  return part;
}

}  // namespace

Parts::Parts(octet_zones* of)
    : Parts(of, *static_cast<const State*>(static_cast<const void*>(of))) {}

Parts::Parts(void* memory, const State& sizes) {
  auto* from = static_cast<uint8_t*>(memory);
  bytes = 0;
  state = TakePart<State>(from, 1, &bytes);
  zones = TakePart<Zone>(from, sizes.zone_count, &bytes);
  points = TakePart<octet_zone_point>(from, sizes.point_count, &bytes);
  counts = TakePart<Count>(from, size_t{sizes.zone_count} * sizes.label_count, &bytes);
  slots = TakePart<Slot>(from, sizes.capacity, &bytes);
  watches = TakePart<Watch>(from, size_t{sizes.capacity} * sizes.zone_count, &bytes);
}

}  // namespace zones
}  // namespace octet
