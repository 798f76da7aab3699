// FP16 outputs of a model as floats:
//   values[i] = function(HalfToFloat(halves[i]) * scale),
// scale a power of two, function that of ApplyFunction() without parameters. Neither needs to be
// aligned, and they do not overlap.
#ifndef OCTET_KERNELS_OUTPUT_OUTPUT_H_
#define OCTET_KERNELS_OUTPUT_OUTPUT_H_

#include "runtime/core/half_block.h"
#include "runtime/format/blob.h"
#include "runtime/kernels/share.h"

namespace octet {

constexpr size_t kOutputBlock = kHalfBlock;

struct OutputF16Args {
  const uint16_t* halves;
  float* values;
  size_t count;  // a multiple of kOutputBlock
  float scale;
  blob::Function function;
};
// Not shared among threads.
typedef void (*OutputF16Fn)(const OutputF16Args& args, Share share);

}  // namespace octet

#endif  // OCTET_KERNELS_OUTPUT_OUTPUT_H_
