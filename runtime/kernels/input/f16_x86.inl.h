// FP16 inputs on x86, row by row. A level brings V:
//   Factor(float)                                          what values are multiplied by
//   NarrowRun(Factor, values, count, halves)
//   NarrowPlanes3(Factor, values, plane, count, halves)    three planes are interleaved
// Internal linkage.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

// False: the values lie as only the reference takes them.
template <typename V>
static inline bool NarrowRows(const InputF16Args& args, Share share) {
  const size_t width = args.dims[2], channels = args.dims[3];
  const uint32_t* strides = args.strides;
  const InputRows layout = RowsOfInput(args.dims, strides);
  if (layout == InputRows::kOther) return false;
  const auto factor = V::Factor(args.factor);
  const Range rows = RangeOf((uint64_t)args.dims[0] * args.dims[1], share);
  for (uint64_t i = rows.begin; i < rows.end; ++i) {
    const float* row = args.values + i / args.dims[1] * strides[0] + i % args.dims[1] * strides[1];
    uint16_t* halves = args.halves + i * width * channels;
    if (layout == InputRows::kPlanes3) {
      V::NarrowPlanes3(factor, row, strides[3], width, halves);
    } else {
      V::NarrowRun(factor, row, width * channels, halves);
    }
  }
  return true;
}

}  // namespace
}  // namespace octet
