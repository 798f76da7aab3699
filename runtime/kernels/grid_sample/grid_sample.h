// GridSample of FP16; equations at GridSampleParams in format/resample.h. Input [batch][in_h][in_w]
// [channels], grid [batch][out_pixels][2], output [batch][out_pixels][channels], which overlaps
// neither. Places may be anything, NaN included: only those that were compared with the picture's
// size become indices.
//
// Products and sums are rounded one by one, in float, and the result once more. None is below the
// normal floats: weights are 0 or at least 2^-26 an axis, halves multiples of 2^-24. NaN is stored
// as 0x7E00: which NaN an operation returns differs between machines.
#ifndef OCTET_KERNELS_GRID_SAMPLE_GRID_SAMPLE_H_
#define OCTET_KERNELS_GRID_SAMPLE_GRID_SAMPLE_H_

#include "runtime/format/resample.h"
#include "runtime/kernels/share.h"

namespace octet {

struct GridSampleF16Args {
  const uint16_t *input, *grid;
  uint16_t* output;
  blob::GridSampleParams params;
  uint32_t batch, in_h, in_w, channels;
  uint64_t out_pixels;  // of one picture
};
typedef void (*GridSampleF16Fn)(const GridSampleF16Args& args, Share share);

}  // namespace octet

#endif  // OCTET_KERNELS_GRID_SAMPLE_GRID_SAMPLE_H_
