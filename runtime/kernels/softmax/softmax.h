// Softmax of rows, and along any axis.
//
// FP16: exp(x - max) / sum in float. The maximum is that of all numbers (NaN is passed over), the
// sum goes from the first element to the last, every exponential is HalfExp's: every instruction
// set gives the bits of the reference. int8: in integers alone, probability.h.
#ifndef OCTET_KERNELS_SOFTMAX_SOFTMAX_H_
#define OCTET_KERNELS_SOFTMAX_SOFTMAX_H_

#include "runtime/format/axes_params.h"
#include "runtime/kernels/share.h"

namespace octet {

// `rows` dense rows of `count` elements; the output overlaps no input.
struct SoftmaxF16Args {
  const uint16_t* input;
  uint16_t* output;
  uint64_t rows;
  uint32_t count;
};
typedef void (*SoftmaxF16Fn)(const SoftmaxF16Args& args, Share share);

// Output codes of probabilities: N = one / 2^16 of them are 1, above the zero point.
struct ProbabilityCodes {
  uint32_t one;  // 2^16 / scale, in [2^16, 2^28]
  int32_t zero_point;
};

// `count` <= 2^16.
struct SoftmaxS8Args {
  const uint8_t* input;
  uint8_t* output;
  uint64_t rows;
  uint32_t count;
  const uint32_t* table;  // [256] exponentials, table[0] = 2^23 the largest
  ProbabilityCodes codes;
  uint8_t sign;
};
typedef void (*SoftmaxS8Fn)(const SoftmaxS8Args& args, Share share);

// Along the middle of [outer][count][inner]; the output overlaps no input.
struct AxisSoftmaxF16Args {
  const uint16_t* input;
  uint16_t* output;
  uint32_t outer, count, inner;
  blob::SoftmaxKind kind;
};
typedef void (*AxisSoftmaxF16Fn)(const AxisSoftmaxF16Args& args, Share share);

struct AxisSoftmaxS8Args {
  const uint8_t* input;
  uint8_t* output;
  uint32_t outer, count, inner;
  const uint32_t* table;
  ProbabilityCodes codes;
  uint8_t sign;
};
typedef void (*AxisSoftmaxS8Fn)(const AxisSoftmaxS8Args& args, Share share);

}  // namespace octet

#endif  // OCTET_KERNELS_SOFTMAX_SOFTMAX_H_
