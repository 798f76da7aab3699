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
  const bool planes = strides[2] == 1 && channels == 3;
  const bool run = (strides[2] == 1 && channels == 1) ||
                   (strides[3] == 1 && (strides[2] == channels || width == 1));
  if (!planes && !run) return false;
  const bool dense = strides[1] == (planes ? width : width * channels);
  const Range rows = RangeOf(args.dims[0] * height, share);
  for (uint64_t i = rows.begin, count; i < rows.end; i += count) {
    const uint64_t y = i % height, left = height - y;
    count = !dense ? 1 : left < rows.end - i ? left : rows.end - i;
    take(InputRun{args.values + i / height * strides[0] + y * strides[1], (size_t)count * width,
                  (size_t)i * width * channels, planes});
  }
  return true;
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_INPUT_RUNS_INL_H_
