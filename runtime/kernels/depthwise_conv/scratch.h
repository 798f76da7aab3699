// Where the parts of a thread's scratch lie in a depthwise convolution, level by level: kernels
// take them from here, and the layer's size is the end of the last one.
#ifndef OCTET_KERNELS_DEPTHWISE_CONV_SCRATCH_H_
#define OCTET_KERNELS_DEPTHWISE_CONV_SCRATCH_H_

#include "runtime/core/isa.h"
#include "runtime/core/round_up.h"
#include "runtime/kernels/depthwise_conv/helium_scratch.h"
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

// What the functions of scratch.inc answer. The x86 levels keep on the stack what they need.
static inline uint64_t NoDepthwiseBytes(const ConvGeometry&) {
  return 0;
}
static inline uint64_t PointerBytesS8(const ConvGeometry& g) {
  return DepthwisePartsOf((uint64_t)g.kernel_h * g.kernel_w, g.in_c, false).bytes;
}
static inline uint64_t PointerBytesF16(const ConvGeometry& g) {
  return DepthwisePartsOf((uint64_t)g.kernel_h * g.kernel_w, g.in_c, true).bytes;
}

typedef uint64_t (*DepthwiseBytesFn)(const ConvGeometry& g);
#define OCTET_SCRATCH(precision, word, isa, Bytes) \
  constexpr DepthwiseBytesFn k_depthwise_conv_##precision##_##word = &(Bytes);
#include "runtime/kernels/depthwise_conv/scratch.inc"
#undef OCTET_SCRATCH

// The level's function: as ConvBytesOf (conv/scratch.h).
DepthwiseBytesFn DepthwiseBytesOf(Isa level, bool int8);

// Bytes of one thread for a layer, of a level that is linked.
static inline uint64_t DepthwiseScratch(Isa level, const ConvGeometry& g, bool int8) {
  return DepthwiseBytesOf(level, int8)(g);
}

}  // namespace octet

#endif  // OCTET_KERNELS_DEPTHWISE_CONV_SCRATCH_H_
