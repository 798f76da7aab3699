// Where the parts of a thread's scratch lie in a recurrent layer, by every level.
#ifndef OCTET_KERNELS_RECURRENT_SCRATCH_H_
#define OCTET_KERNELS_RECURRENT_SCRATCH_H_

#include "runtime/core/round_up.h"
#include "runtime/format/recurrent.h"

namespace octet {

constexpr uint32_t kRecurrentTile = 4;  // steps whose W x are computed at a time

// Offsets in bytes. x: the tile's inputs; h: two vectors of what R is multiplied with; both
// unpacked: int8 in at most 16 bits, FP16 in floats. sums: W x of the tile. The others are floats
// of the hidden channels.
struct RecurrentScratch {
  uint64_t x_step, h_step;  // elements
  uint64_t h, sums, state, cell, gate, bytes;
};
static inline RecurrentScratch RecurrentScratchOf(const blob::RecurrentParams& p, bool int8) {
  const blob::RecurrentLayout layout = blob::LayoutOf(p, int8);
  const uint64_t value = int8 ? sizeof(int16_t) : sizeof(float);
  RecurrentScratch parts{};
  // Rows are unpacked in whole vectors.
  parts.x_step = CeilDiv(p.input, kChannelBlock) * kChannelBlock;
  parts.h_step = (uint64_t)layout.blocks * kChannelBlock;
  parts.h = RoundUp64(parts.x_step * kRecurrentTile * value);
  parts.sums = parts.h + RoundUp64(parts.h_step * 2 * value);
  parts.state =
      parts.sums + (uint64_t)layout.units * kChannelBlock * kRecurrentTile * sizeof(float);
  parts.cell = parts.state + parts.h_step * sizeof(float);
  parts.gate = parts.cell + parts.h_step * sizeof(float);
  parts.bytes = parts.gate + parts.h_step * sizeof(float);
  return parts;
}

}  // namespace octet

#endif  // OCTET_KERNELS_RECURRENT_SCRATCH_H_
