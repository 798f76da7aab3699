// Scratch one thread needs for one layer: part of the format, because the blob carries the sums per
// level and the validator recomputes them. One formula for every level: 16 KiB of pointers plus one
// tile of rows.
#ifndef OCTET_FORMAT_SCRATCH_H_
#define OCTET_FORMAT_SCRATCH_H_

#include "runtime/format/blob.h"

namespace octet {

constexpr uint32_t kTileRows = 32;     // most output pixels an int8 kernel handles at once
constexpr uint32_t kTileRowsF16 = 16;  // FP16 kernels widen their rows to float

static inline uint64_t RoundUp64(uint64_t bytes) {
  return (bytes + 63) & ~(uint64_t)63;
}

// taps = kernel_h * kernel_w; depth = taps * input channels of a group (bounded by the validator).
// Parts, in this order, each 64-byte aligned: row pointers [kTileRows][taps] of 8 bytes; a row of
// padding (in_c elements); a packed tile of rows (int8: kTileRows x round_up(depth, 16) bytes;
// FP16: kTileRowsF16 x round_up(depth, 16) floats).
static inline uint64_t ScratchConv(uint64_t taps, uint64_t in_c, uint64_t depth, bool fp16) {
  const uint64_t deep = (depth + 15) & ~(uint64_t)15;
  return RoundUp64(taps * kTileRows * 8) + RoundUp64((in_c + 64) * (fp16 ? 4 : 1)) +
         (fp16 ? kTileRowsF16 * deep * 4 : kTileRows * deep);
}

// Depthwise: row pointers, a row of padding, one float/int32 accumulator row.
static inline uint64_t ScratchDepthwise(uint64_t taps, uint64_t channels, bool fp16) {
  return RoundUp64(taps * kTileRows * 8) + RoundUp64((channels + 64) * (fp16 ? 4 : 1)) +
         RoundUp64(channels * 4);
}

// Pooling: row pointers, a row of padding, one accumulator row.
static inline uint64_t ScratchPool(uint64_t taps, uint64_t channels) {
  return RoundUp64((taps < 1024 ? taps : 1024) * 8) + RoundUp64(channels * 2) +
         RoundUp64(channels * 4);
}

}  // namespace octet

#endif  // OCTET_FORMAT_SCRATCH_H_
