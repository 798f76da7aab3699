// Softmax of rows in FP16: exp(x - max) / sum in float. The maximum is that of all numbers (NaN is
// passed over), the sum goes from the first element to the last, every exponential is FloatExp's:
// every instruction set gives the bits of the reference.
#ifndef OCTET_KERNELS_SOFTMAX_SOFTMAX_H_
#define OCTET_KERNELS_SOFTMAX_SOFTMAX_H_

#include "runtime/kernels/conv/conv.h"

namespace octet {

// `rows` dense rows of `count` elements; the output overlaps no input.
struct SoftmaxF16Args {
  const uint16_t* input;
  uint16_t* output;
  uint64_t rows;
  uint32_t count;
};
typedef void (*SoftmaxF16Fn)(const SoftmaxF16Args& args, Share share);

}  // namespace octet

#endif  // OCTET_KERNELS_SOFTMAX_SOFTMAX_H_
