// Int8 of the level helium: weights of four outputs; sums of four outputs of a tile of pixels;
// `rows` windows of `deep` bytes (the last copy may end in 16 bytes more). Few operations: boards
// link this for every level.
#ifndef OCTET_KERNELS_CONV_HELIUM_SCRATCH_H_
#define OCTET_KERNELS_CONV_HELIUM_SCRATCH_H_

#include "runtime/core/round_up.h"
#include "runtime/kernels/conv/needs.h"

namespace octet {

constexpr uint32_t kHeliumMostRows = 96;
constexpr uint32_t kHeliumPanelRows = 3;  // rows come in threes
constexpr uint32_t kHeliumRowsBytes = 8192;
static inline uint64_t RowsBytesOfHelium(uint64_t deep) {
  const uint64_t most = deep * kHeliumMostRows < kHeliumRowsBytes ? deep * kHeliumMostRows
                                                                  : (uint64_t)kHeliumRowsBytes;
  return most < deep * kHeliumPanelRows ? deep * kHeliumPanelRows : most;
}
struct ConvPartsHelium {
  uint64_t sums, rows, bytes;
};
static inline ConvPartsHelium HeliumPartsOf(uint64_t deep) {
  ConvPartsHelium parts;
  parts.sums = 4 * deep;
  parts.rows = parts.sums + kHeliumMostRows * 16;
  parts.bytes = parts.rows + RoundUp64(RowsBytesOfHelium(deep) + 16);
  return parts;
}

static inline uint64_t HeliumBytesS8(const ConvNeeds& n) {
#if OCTET_ARCH_CORTEX_M && !(__ARM_FEATURE_MVE & 1)
  (void)n;
  return 0;  // a core without MVE never runs it: its program has no room for the sizes
#else
  return HeliumPartsOf(DeepOf(n.depth)).bytes;
#endif
}

}  // namespace octet

#endif  // OCTET_KERNELS_CONV_HELIUM_SCRATCH_H_
