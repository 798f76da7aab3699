// RNN, GRU and LSTM over whole sequences; equations at RecurrentParams in format/recurrent.h.
//
// Every sum in FP16 is one sum in float that starts at its bias and takes the depth in ascending
// order, each product rounded before it is added (a product of two FP16 numbers needs none, so
// levels fuse those). int8: acc = sum (q - zero point) w in 32 bits,
// |acc| <= 255 * 127 * 32768 < 2^31; real = float(acc) * scale + bias, each step rounded. W x and
// R h are two such sums, added once. Gates: one order of float operations (recurrent.inl.h).
//
// A sequence of one direction is the work of one thread: each step needs the one before. The output
// overlaps no operand. No alignment is assumed. `scratch` is this thread's, RecurrentScratch bytes
// (recurrent/scratch.h), 64-byte aligned.
#ifndef OCTET_KERNELS_RECURRENT_RECURRENT_H_
#define OCTET_KERNELS_RECURRENT_RECURRENT_H_

#include "runtime/format/recurrent.h"
#include "runtime/kernels/share.h"

namespace octet {

struct RecurrentArgs {
  const blob::RecurrentParams* params;
  const blob::RecurrentFunction* functions;
  const uint8_t* weights;
  const uint8_t* channels;
  const uint8_t* input;                   // int8: codes ^ sign; FP16: halves
  const uint16_t *initial_h, *initial_c;  // null: zeros
  const int32_t* lengths;                 // null: every sequence has all steps
  uint16_t* output;
  uint8_t* scratch;
  int32_t zero_point;  // int8: of the input
  uint8_t sign;
};
typedef void (*RecurrentFn)(const RecurrentArgs& args, Share share);

}  // namespace octet

#endif  // OCTET_KERNELS_RECURRENT_RECURRENT_H_
