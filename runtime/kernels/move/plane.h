// A plane of two dimensions, dense in the output and strided in the input: what Transpose and Move
// come down to.
#ifndef OCTET_KERNELS_MOVE_PLANE_H_
#define OCTET_KERNELS_MOVE_PLANE_H_

#include <stdint.h>

#include "runtime/kernels/copy.h"

namespace octet {

// `rows` rows of `count` elements: dense in the output, row_step and step apart in the input.
template <typename T>
static inline void CopyPlane(T* to, const T* from, uint64_t rows, int64_t row_step, uint64_t count,
                             int64_t step) {
  if (step == 1) {
    if (row_step >= 0) {
      CopyRuns(reinterpret_cast<uint8_t*>(to), count * sizeof(T),
               reinterpret_cast<const uint8_t*>(from), (uint64_t)row_step * sizeof(T), rows,
               (size_t)count * sizeof(T));
      return;
    }
    for (uint64_t r = 0; r < rows; ++r) {
      CopyRun(reinterpret_cast<uint8_t*>(to + r * count),
              reinterpret_cast<const uint8_t*>(from + (int64_t)r * row_step),
              (size_t)(count * sizeof(T)));
    }
    return;
  }
  // Blocks that use all of a cache line before it goes: a row of the output takes one element of
  // each of its lines.
  constexpr uint64_t kBlockRows = 16, kBlockColumns = 64;
  for (uint64_t row = 0; row < rows; row += kBlockRows) {
    const uint64_t row_end = row + kBlockRows < rows ? row + kBlockRows : rows;
    for (uint64_t column = 0; column < count; column += kBlockColumns) {
      const uint64_t end = column + kBlockColumns < count ? column + kBlockColumns : count;
      for (uint64_t r = row; r < row_end; ++r) {
        const T* source = from + ((int64_t)r * row_step + (int64_t)column * step);
        T* target = to + r * count;
        for (uint64_t c = column; c < end; ++c) target[c] = source[(int64_t)(c - column) * step];
      }
    }
  }
}

}  // namespace octet

#endif  // OCTET_KERNELS_MOVE_PLANE_H_
