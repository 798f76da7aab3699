// A plane of two dimensions, dense in the output and strided in the input: what Transpose and Move
// come down to.
//
//   to[r * count + c] = from[r * row_step + (c / inner) * step + (c % inner) * inner_step]
//
// for r < rows, c < count, in elements; `inner` divides count, and is 1 where columns stand evenly.
// Elements of 1, 2 or 4 bytes, both places aligned to them. Input and output do not overlap.
// Nothing outside of the plane's output is written; what is read lies between the first and the
// last element of the plane's input.
#ifndef OCTET_KERNELS_MOVE_COPY_PLANE_H_
#define OCTET_KERNELS_MOVE_COPY_PLANE_H_

#include "runtime/kernels/share.h"

namespace octet {

struct CopyPlaneArgs {
  uint8_t* to;
  const uint8_t* from;
  uint64_t rows, count;    // at least 1
  int64_t row_step, step;  // any sign
  uint64_t inner;
  int64_t inner_step;
  uint32_t element_bytes;
};
// A plane is part of one thread's share already: kernels take it whole, whatever `share` says.
typedef void (*CopyPlaneFn)(const CopyPlaneArgs& args, Share share);

}  // namespace octet

#endif  // OCTET_KERNELS_MOVE_COPY_PLANE_H_
