// Sliding windows: which source element a tap of an output pixel reads.
#ifndef OCTET_KERNELS_WINDOW_H_
#define OCTET_KERNELS_WINDOW_H_

#include <stdint.h>

#include "runtime/kernels/conv/conv.h"

namespace octet {

struct Pixel {
  uint32_t y, x;
};

static inline Pixel PixelOf(const ConvGeometry& g, uint64_t index) {
  return Pixel{(uint32_t)(index / g.out_w), (uint32_t)(index % g.out_w)};
}

static inline uint64_t OutputPixels(const ConvGeometry& g) {
  return (uint64_t)g.out_h * g.out_w;
}

// Index of the source pixel under tap (ky, kx) of an output pixel, or -1 in the padding.
static inline int64_t SourcePixel(const ConvGeometry& g, Pixel p, uint32_t ky, uint32_t kx) {
  const int64_t y = (int64_t)p.y * g.stride_h + (int64_t)ky * g.dilation_h - g.pad_top;
  const int64_t x = (int64_t)p.x * g.stride_w + (int64_t)kx * g.dilation_w - g.pad_left;
  return y < 0 || y >= g.in_h || x < 0 || x >= g.in_w ? -1 : y * g.in_w + x;
}

}  // namespace octet

#endif  // OCTET_KERNELS_WINDOW_H_
