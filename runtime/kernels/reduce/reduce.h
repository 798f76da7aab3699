// Reductions of FP16 tensors over any axes, to FP16 (integers.h has those that integers take part
// in). The output is dense and does not overlap the input.
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

}  // namespace octet

#endif  // OCTET_KERNELS_REDUCE_REDUCE_H_
