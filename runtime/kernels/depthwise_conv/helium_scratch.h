// Int8 of the level helium, windows of nine taps: ten columns of weights, then the columns under
// bands of output rows (two of stride 1, one of stride 2), each of 16 channels of four rows; behind
// them a pixel of padding.
#ifndef OCTET_KERNELS_DEPTHWISE_CONV_HELIUM_SCRATCH_H_
#define OCTET_KERNELS_DEPTHWISE_CONV_HELIUM_SCRATCH_H_

#include "runtime/kernels/window.h"

namespace octet {

constexpr uint32_t kHeliumColumnBytes = 64;
constexpr uint32_t kHeliumColumns = 130;  // at a time
constexpr uint32_t kHeliumColumnsAt = 10 * kHeliumColumnBytes;
constexpr uint32_t kHeliumPaddingAt = kHeliumColumnsAt + kHeliumColumns * kHeliumColumnBytes;
static inline uint64_t DepthwiseBytesOfHelium(const ConvGeometry& g) {
#if OCTET_ARCH_CORTEX_M && !(__ARM_FEATURE_MVE & 1)
  (void)g;
  return 0;  // a core without MVE never runs it
#else
  return (uint64_t)g.kernel_h * g.kernel_w == 9 ? kHeliumPaddingAt + kHeliumColumnBytes : 0;
#endif
}

}  // namespace octet

#endif  // OCTET_KERNELS_DEPTHWISE_CONV_HELIUM_SCRATCH_H_
