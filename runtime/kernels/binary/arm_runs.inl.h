// How ARM kernels of two operands walk: in runs within which the second operand is contiguous or
// one element. Included by binary/arm_*.cc files only; internal linkage.
#ifndef OCTET_KERNELS_BINARY_ARM_RUNS_INL_H_
#define OCTET_KERNELS_BINARY_ARM_RUNS_INL_H_

#include <type_traits>

#include "runtime/kernels/binary/binary.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

// Elements [begin, begin + count) of the first operand and what meets them: the same number of
// elements of the second, or one for all.
template <typename Element>
struct Run {
  uint64_t begin, count;
  const Element* b;
  bool one;
};

template <typename Args, typename Body>
static inline void ForEachRun(const Args& args, Share share, Body body) {
  typedef Run<
      typename std::remove_const<typename std::remove_pointer<decltype(args.b)>::type>::type>
      RunOf;
  const Range range = RangeOf((uint64_t)args.pixels * args.channels, share);
  if (range.begin == range.end) return;
  if (args.broadcast == blob::Broadcast::kNone || args.broadcast == blob::Broadcast::kScalar) {
    const bool one = args.broadcast == blob::Broadcast::kScalar;
    body(
        RunOf{range.begin, range.end - range.begin, args.b + (one ? 0 : (size_t)range.begin), one});
    return;
  }
  uint64_t pixel = range.begin / args.channels;
  uint64_t c = range.begin % args.channels;
  for (uint64_t i = range.begin; i < range.end; ++pixel, c = 0) {
    const uint64_t left_in_pixel = args.channels - c;
    const uint64_t left = range.end - i;
    const uint64_t count = left < left_in_pixel ? left : left_in_pixel;
    const bool one = args.broadcast == blob::Broadcast::kSpatial;
    body(RunOf{i, count, args.b + (size_t)(one ? pixel : c), one});
    i += count;
  }
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_BINARY_ARM_RUNS_INL_H_
