// The float inputs that vector kernels take, in runs. Included by input/*.cc of one instruction
// set; internal linkage.
#ifndef OCTET_KERNELS_INPUT_RUNS_INL_H_
#define OCTET_KERNELS_INPUT_RUNS_INL_H_

#include <stddef.h>

#include "runtime/kernels/input/input.h"

namespace octet {
namespace {

// `pixels` pixels side by side: three planes strides[3] apart, or as in the tensor.
struct InputRun {
  const float* values;
  size_t pixels;
  size_t at;  // the first element in the tensor
  bool planes;
};

// take(InputRun) of this share's rows; rows one behind the other are one run, which has one rest.
// False: values that lie in another way, which the reference takes.
template <typename Args, typename Take>
static inline bool ForEachRun(const Args& args, Share share, Take take) {
  const uint32_t* strides = args.strides;
  const uint64_t height = args.dims[1];
  const size_t width = args.dims[2], channels = args.dims[3];
  const uint32_t layout = RowsOfInput(args.dims, strides);
  if (layout == 0) return false;
  const Range rows = RangeOf(args.dims[0] * height, share);
  for (uint64_t i = rows.begin, next; i < rows.end; i = next) {
    const uint64_t y = i % height;
    next = (layout & kInputDense) != 0 ? i - y + height : i + 1;
    if (next > rows.end) next = rows.end;
    take(InputRun{args.values + i / height * strides[0] + y * strides[1],
                  (size_t)(next - i) * width, (size_t)i * width * channels,
                  (layout & kInputPlanes) != 0});
  }
  return true;
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_INPUT_RUNS_INL_H_
