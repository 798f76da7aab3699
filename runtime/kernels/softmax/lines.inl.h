// Lines along the middle of [outer][count][inner], neighbours of the innermost dimension side by
// side. Internal linkage.
#ifndef OCTET_KERNELS_SOFTMAX_LINES_INL_H_
#define OCTET_KERNELS_SOFTMAX_LINES_INL_H_

#include "runtime/kernels/share.h"
#include "runtime/kernels/softmax/softmax.h"

namespace octet {
namespace {

constexpr uint32_t kSide = 32;

// `lines` lines of `count` elements, `step` apart; the lines begin one behind the other.
struct Lines {
  uint64_t first;
  uint32_t width, count;
  uint64_t step;
};

// Calls body(lines) for the share's part, up to kSide lines at a time.
template <typename Args, typename Body>
static inline void ForEachLines(const Args& args, Share share, Body body) {
  const uint64_t blocks = ((uint64_t)args.inner + kSide - 1) / kSide;
  const Range units = RangeOf(args.outer * blocks, share);
  for (uint64_t unit = units.begin; unit < units.end; ++unit) {
    const uint64_t column = unit % blocks * kSide, left = args.inner - column;
    body(Lines{unit / blocks * args.count * args.inner + column,
               (uint32_t)(left < kSide ? left : kSide), args.count, args.inner});
  }
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_SOFTMAX_LINES_INL_H_
