// What of a layer its scratch depends on.
#ifndef OCTET_KERNELS_CONV_NEEDS_H_
#define OCTET_KERNELS_CONV_NEEDS_H_

#include "runtime/kernels/window.h"

namespace octet {

static inline uint64_t DeepOf(uint64_t depth) {
  return (depth + 15) & ~(uint64_t)15;
}

// taps, depth: see scratch.h. winograd: output tiles of the transformed weights, or 0.
struct ConvNeeds {
  uint64_t taps, depth, in_c, out_c, out_h, out_w;
  uint32_t winograd;
};
static inline ConvNeeds NeedsOf(const ConvGeometry& g, uint32_t winograd) {
  const uint64_t taps = (uint64_t)g.kernel_h * g.kernel_w;
  return ConvNeeds{taps, taps * (g.in_c / g.groups), g.in_c, g.out_c, g.out_h, g.out_w, winograd};
}

}  // namespace octet

#endif  // OCTET_KERNELS_CONV_NEEDS_H_
