// FP16 inputs on x86, row by row. A level brings V:
//   Factor(float)                                          what values are multiplied by
//   NarrowRun(Factor, values, count, halves)
//   NarrowPlanes3(Factor, values, plane, count, halves)    three planes are interleaved
// Internal linkage.
#include "runtime/kernels/input/runs.inl.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

// False: the reference takes them.
template <typename V>
static inline bool NarrowRows(const InputF16Args& args, Share share) {
  const auto factor = V::Factor(args.factor);
  return ForEachRun(args, share, [&](const InputRun& run) {
    if (run.planes) {
      V::NarrowPlanes3(factor, run.values, args.strides[3], run.pixels, args.halves + run.at);
    } else {
      V::NarrowRun(factor, run.values, run.pixels * args.dims[3], args.halves + run.at);
    }
  });
}

}  // namespace
}  // namespace octet
