// Where the parts of a thread's scratch lie in a batched product, by every level: a panel of
// columns of B and a tile of rows of A, packed; int8 as 16 bits (the zero point taken off), FP16 as
// floats; the depth rounded up to pairs.
#ifndef OCTET_KERNELS_MATMUL_SCRATCH_H_
#define OCTET_KERNELS_MATMUL_SCRATCH_H_

#include "runtime/core/round_up.h"

namespace octet {

constexpr uint32_t kMatMulPanel = 32;
constexpr uint32_t kMatMulTile = 4;

static inline uint64_t MatMulDeep(uint64_t depth) {
  return (depth + 1) & ~(uint64_t)1;
}

// Of a packed element, by those of a stored one. SDOT packs int8 as it is, and its sums beside it.
static inline uint64_t MatMulValueBytes(uint64_t stored_bytes) {
  return 2 * stored_bytes;
}

// Offsets; the panel is the first part.
struct MatMulParts {
  uint64_t tile, bytes;
};
// value_bytes: of a packed element.
static inline MatMulParts MatMulPartsOf(uint64_t depth, uint64_t value_bytes) {
  const uint64_t row = MatMulDeep(depth) * value_bytes;
  return MatMulParts{row * kMatMulPanel, RoundUp64(row * (kMatMulPanel + kMatMulTile))};
}

}  // namespace octet

#endif  // OCTET_KERNELS_MATMUL_SCRATCH_H_
