// Convolution kernels (dense and grouped; fully connected is a 1x1 convolution over h = rows, w =
// 1).
//
// int8: for every output pixel p and channel o
//   acc[o] = bias[o] + sum over taps t, input channels c of q_in[pixel(p, t), c] * w[o, t, c]
//   q_out  = clamp(Requantize(PreShift(acc), multiplier[o], shift[o]) + out_zero_point, lo, hi)
//   then, where `table` is given, q_out = table[q_out + 128].
// bias already holds -in_zero_point * weight_sum, so padding reads the zero point.
// The validator proves |acc| <= 2^30 (quant/requantize.h); kernels may wrap in between.
// Arena bytes are q ^ sign (core/isa.h): kernels taking unsigned bytes start at bias - 128 *
// weight_sum.
//
// Layouts: activations [h][w][c] dense, no bytes past the end are read or written. Weights: see
// ConvParams in format/blob.h (padded to 16 outputs and groups of 4, readable to the end of the
// block). Output may not overlap the input. No alignment of activations is assumed; weights and
// channel blocks are 64-byte aligned.
//
// Where `winograd` is not 0 the layer has transformed weights as well (FORMAT.md, "Other
// layouts of weights"); a kernel uses whichever it is faster with, to the same bytes.
#ifndef OCTET_KERNELS_CONVOLUTION_H_
#define OCTET_KERNELS_CONVOLUTION_H_

#include <stdint.h>

#include "runtime/format/blob.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/window.h"

namespace octet {

// Whether other kernels than the reference take these groups: a block of 16 outputs that spans two
// of them would need another row for some of its lanes, and int8 takes 4 inputs at a time. The
// converter merges groups until they do.
static inline bool GroupsFitKernels(uint32_t groups, uint64_t in_c, uint64_t out_c, bool fp16) {
  return groups <= 1 || (out_c / groups % 16 == 0 && (fp16 || in_c / groups % 4 == 0));
}

struct ConvS8Args {
  ConvGeometry g;
  const uint8_t* input;
  uint8_t* output;
  const int8_t* weights;
  const blob::ChannelBlockS8* channels;
  const int8_t* table;  // 256 entries indexed by q + 128, or null
  uint8_t* scratch;     // this thread's, of conv/scratch.h, 64-byte aligned
  int32_t in_zero_point, out_zero_point;
  int32_t clamp_lo, clamp_hi;
  int32_t pre_shift;
  uint8_t sign;
  uint8_t winograd;            // 2 or 4: output tile of `transformed`; 0: none
  const int16_t* transformed;  // 64-byte aligned, or null
  const uint8_t* kept;         // what the level keeps of the layer (conv/scratch.inc), or null
};
typedef void (*ConvS8Fn)(const ConvS8Args& args, Share share);

// From a layer's weights to what a kernel keeps of it. scratch: a thread's, of the layer.
struct ConvKeepArgs {
  ConvGeometry g;
  const int8_t* weights;
  uint8_t* scratch;
  uint8_t* kept;
};
typedef void (*ConvKeepFn)(const ConvKeepArgs& args);

// FP16 storage, float arithmetic: out = f(bias[o] + sum(x * w)), rounded to nearest even FP16.
// Weights [ceil(o / 16)][K][16] (K = taps x channels of the group); bias float[round_up(o, 16)].
// With `half_sums` partial sums may be FP16, and levels differ. With `winograd` weights are U
// [16][ceil(o / 16)][c][16] of windows of 3x3 (FORMAT.md, "FP16 arithmetic").
struct ConvF16Args {
  ConvGeometry g;
  const uint16_t* input;
  uint16_t* output;
  const uint16_t* weights;
  const float* bias;
  blob::Function function;
  float alpha, beta;
  uint8_t* scratch;
  bool half_sums, winograd;  // by blob::Arithmetic
};
typedef void (*ConvF16Fn)(const ConvF16Args& args, Share share);

}  // namespace octet

#endif  // OCTET_KERNELS_CONVOLUTION_H_
