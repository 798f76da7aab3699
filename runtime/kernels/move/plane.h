// Planes of copy_plane.h whose rows are dense in the input as well, and the call of the kernel for
// the others.
#ifndef OCTET_KERNELS_MOVE_PLANE_H_
#define OCTET_KERNELS_MOVE_PLANE_H_

#include "runtime/kernels/copy.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {

// `rows` rows of `count` elements: dense in the output, row_step and step apart in the input.
template <typename T>
static inline void CopyPlane(const KernelTable& kernels, T* to, const T* from, uint64_t rows,
                             int64_t row_step, uint64_t count, int64_t step) {
  if (step != 1) {
    const CopyPlaneArgs args = {reinterpret_cast<uint8_t*>(to),
                                reinterpret_cast<const uint8_t*>(from),
                                rows,
                                count,
                                row_step,
                                step,
                                1,
                                0,
                                sizeof(T)};
    return kernels.copy_plane(args, Share{0, 1});
  }
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
}

}  // namespace octet

#endif  // OCTET_KERNELS_MOVE_PLANE_H_
