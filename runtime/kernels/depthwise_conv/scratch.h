// Where the parts of a thread's scratch lie in a depthwise convolution, level by level: kernels
// take them from here, and the layer's size is the end of the last one.
#ifndef OCTET_KERNELS_DEPTHWISE_CONV_SCRATCH_H_
#define OCTET_KERNELS_DEPTHWISE_CONV_SCRATCH_H_

#include "runtime/core/round_up.h"
#include "runtime/kernels/scratch.h"
#include "runtime/kernels/window.h"

namespace octet {

// The ARM levels with tiles, offsets: pointers to the taps of a pixel, which are the first part;
// int8: a pixel of padding.
struct DepthwiseParts {
  uint64_t padding, bytes;
};
static inline DepthwiseParts DepthwisePartsOf(uint64_t taps, uint64_t channels, bool fp16) {
  const uint64_t pointers = RoundUp64(taps * 8);
  return DepthwiseParts{pointers, pointers + (fp16 ? 0 : RoundUp64(channels))};
}

// Int8 of the level cm4: the weights of four channels as pairs of 16 bits (8 bytes a tap), and the
// rows under a window likewise, of as many output columns as fit a few KiB.
constexpr uint32_t kDepthwiseRingPixels = 512;
struct DepthwiseRingCm4 {
  uint32_t columns;  // most output pixels of a strip
  uint32_t pitch;    // pixels of a row, even
};
static inline DepthwiseRingCm4 DepthwiseRingOfCm4(const ConvGeometry& g) {
  const uint32_t extent = (g.kernel_w - 1) * g.dilation_w + 1;  // input columns under a window
  const uint32_t most = kDepthwiseRingPixels / g.kernel_h;
  uint32_t columns = most > extent ? (most - extent) / g.stride_w + 1 : 1;
  if (columns > g.out_w) columns = g.out_w;
  return DepthwiseRingCm4{columns, ((columns - 1) * g.stride_w + extent + 1) & ~1u};
}
static inline uint64_t DepthwiseBytesOfCm4(const ConvGeometry& g) {
  const DepthwiseRingCm4 ring = DepthwiseRingOfCm4(g);
  return RoundUp64(((uint64_t)g.kernel_w + ring.pitch) * g.kernel_h * 8);
}

// Int8 of the level helium, windows of nine taps: ten columns of weights, then the columns under
// bands of output rows (two of stride 1, one of stride 2), each of 16 channels of four rows; behind
// them a pixel of padding.
constexpr uint32_t kHeliumColumnBytes = 64;
constexpr uint32_t kHeliumColumns = 130;  // at a time
constexpr uint32_t kHeliumColumnsAt = 10 * kHeliumColumnBytes;
constexpr uint32_t kHeliumPaddingAt = kHeliumColumnsAt + kHeliumColumns * kHeliumColumnBytes;
static inline uint64_t DepthwiseBytesOfHelium(uint64_t taps) {
  return taps == 9 ? kHeliumPaddingAt + kHeliumColumnBytes : 0;
}

// Bytes of one thread for a layer, whose kernel at this level is in kernels.inc. The x86 levels
// keep on the stack what they need.
static inline uint64_t DepthwiseScratch(Isa level, const ConvGeometry& g, bool int8) {
  const uint64_t taps = (uint64_t)g.kernel_h * g.kernel_w;
  if (level == Isa::kCm4 && int8) return DepthwiseBytesOfCm4(g);
  if (TakesHeliumScratch(level, int8)) return DepthwiseBytesOfHelium(taps);
  const bool has_pointers = level == Isa::kNeon || level == Isa::kDotprod || level == Isa::kI8mm;
  return has_pointers ? DepthwisePartsOf(taps, g.in_c, !int8).bytes : 0;
}

}  // namespace octet

#endif  // OCTET_KERNELS_DEPTHWISE_CONV_SCRATCH_H_
