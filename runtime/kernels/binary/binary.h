// Add, Mul, Div of two tensors (Sub is Add with a negative multiplier). The equations stand at
// BinaryParams in format/blob.h. Output may be the same memory as the first input (same bytes).
#ifndef OCTET_KERNELS_BINARY_BINARY_H_
#define OCTET_KERNELS_BINARY_BINARY_H_

#include "runtime/format/blob.h"
#include "runtime/kernels/share.h"

namespace octet {

struct BinaryS8Args {
  const uint8_t* a;
  const uint8_t* b;
  uint8_t* output;
  uint32_t pixels, channels;  // a and output: [pixels][channels]; b by `broadcast`
  blob::Broadcast broadcast;
  int32_t zero_point_a, zero_point_b, out_zero_point;
  int32_t multiplier_a, multiplier_b, shift;
  int32_t clamp_lo, clamp_hi, pre_shift;
  uint8_t swap;
  uint8_t sign;
};
typedef void (*BinaryS8Fn)(const BinaryS8Args& args, Share share);

struct BinaryF16Args {
  const uint16_t* a;
  const uint16_t* b;
  uint16_t* output;
  uint32_t pixels, channels;
  blob::Broadcast broadcast;
  blob::Function function;
  float alpha, beta;
  uint8_t swap;
  uint8_t negate_b;
};
typedef void (*BinaryF16Fn)(const BinaryF16Args& args, Share share);

}  // namespace octet

#endif  // OCTET_KERNELS_BINARY_BINARY_H_
