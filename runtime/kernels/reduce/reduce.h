// Reductions over any axes, FP16 to FP16 and int8 to int8 (integers.h has those of int32 and those
// that give places). The output is dense and does not overlap the input.
#ifndef OCTET_KERNELS_REDUCE_REDUCE_H_
#define OCTET_KERNELS_REDUCE_REDUCE_H_

#include "runtime/format/axes_params.h"
#include "runtime/kernels/share.h"

namespace octet {

struct ReduceF16Args {
  const blob::ReduceParams* params;
  const uint16_t* input;
  uint16_t* output;
};
typedef void (*ReduceF16Fn)(const ReduceF16Args& args, Share share);

// Sum, mean, max and min; rules at ReduceParams.
struct ReduceS8Args {
  const blob::ReduceParams* params;
  const uint8_t* input;
  uint8_t* output;
  int32_t zero_point, out_zero_point;
  uint8_t sign;
};
typedef void (*ReduceS8Fn)(const ReduceS8Args& args, Share share);

}  // namespace octet

#endif  // OCTET_KERNELS_REDUCE_REDUCE_H_
