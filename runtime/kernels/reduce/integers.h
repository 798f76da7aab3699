// Reductions that integers take part in: int32 to int32, and the place of the largest or smallest.
#ifndef OCTET_KERNELS_REDUCE_INTEGERS_H_
#define OCTET_KERNELS_REDUCE_INTEGERS_H_

#include "runtime/format/axes_params.h"
#include "runtime/kernels/share.h"

namespace octet {

static inline bool IsArg(blob::ReduceKind kind) {
  return kind == blob::ReduceKind::kArgMax || kind == blob::ReduceKind::kArgMin;
}

// Sum and product wrap modulo 2^32. Places: of equal values the first, or the last; NaN never wins,
// so all NaN gives 0. `is_int32`: the input, which is FP16 else.
void ReduceToIntegers(const blob::ReduceParams& params, bool is_int32, const uint8_t* input,
                      int32_t* output, Share share);

}  // namespace octet

#endif  // OCTET_KERNELS_REDUCE_INTEGERS_H_
