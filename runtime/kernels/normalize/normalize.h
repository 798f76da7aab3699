// Normalizations: statistics of groups of elements, every element scaled by them, then a scale and
// a bias along chosen dimensions (blob::NormalizeParams).
//
// FP16: two passes for the statistics (the mean, then squares of the distances from it), sums in
// the order of reduce/walk.inl.h, everything in float; then ((x - mean) * (1 / deviation)) * scale
// + bias, rounded once. int8: ratio.h. The output is dense like the input and does not overlap it.
#ifndef OCTET_KERNELS_NORMALIZE_NORMALIZE_H_
#define OCTET_KERNELS_NORMALIZE_NORMALIZE_H_

#include "runtime/format/axes_params.h"
#include "runtime/kernels/share.h"

namespace octet {

struct NormalizeF16Args {
  const blob::NormalizeParams* params;
  const uint16_t* input;
  uint16_t* output;
  const float *scale, *bias;  // both or neither
};
typedef void (*NormalizeF16Fn)(const NormalizeF16Args& args, Share share);

struct NormalizeS8Args {
  const blob::NormalizeParams* params;
  const uint8_t* input;
  uint8_t* output;
  const blob::NormalizeChannelS8* channels;
  // By index of `channels`, low and high half: epsilon_q of the groups that have this one set of
  // parameters; null: that of `params` for all.
  const uint32_t (*epsilons)[2];
  int32_t in_zero_point, out_zero_point;
  uint8_t sign;
};
typedef void (*NormalizeS8Fn)(const NormalizeS8Args& args, Share share);

}  // namespace octet

#endif  // OCTET_KERNELS_NORMALIZE_NORMALIZE_H_
