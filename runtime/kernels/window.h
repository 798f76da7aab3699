// Sliding windows: their geometry, and which source element a tap of an output pixel reads.
#ifndef OCTET_KERNELS_WINDOW_H_
#define OCTET_KERNELS_WINDOW_H_

#include <stdint.h>

namespace octet {

struct ConvGeometry {
  uint32_t in_h, in_w, in_c;
  uint32_t out_h, out_w, out_c;
  uint32_t kernel_h, kernel_w;
  uint32_t stride_h, stride_w;
  uint32_t dilation_h, dilation_w;
  uint32_t pad_top, pad_left;
  uint32_t groups;
};

struct Pixel {
  uint32_t y, x;
};

static inline Pixel PixelOf(const ConvGeometry& g, uint64_t index) {
  return Pixel{(uint32_t)(index / g.out_w), (uint32_t)(index % g.out_w)};
}

static inline uint64_t OutputPixels(const ConvGeometry& g) {
  return (uint64_t)g.out_h * g.out_w;
}

// Whether every output pixel reads the input pixel at its place, and no other. Kernels and strides
// are at least 1, so that their bits together are 1 where all of them are.
static inline bool IsPointwise(const ConvGeometry& g) {
  return (g.kernel_h | g.kernel_w | g.stride_h | g.stride_w) == 1 &&
         (g.pad_top | g.pad_left) == 0 && g.out_h == g.in_h && g.out_w == g.in_w;
}

// Index of the source pixel under tap (ky, kx) of an output pixel, or -1 in the padding.
static inline int64_t SourcePixel(const ConvGeometry& g, Pixel p, uint32_t ky, uint32_t kx) {
  const int64_t y = (int64_t)p.y * g.stride_h + (int64_t)ky * g.dilation_h - g.pad_top;
  const int64_t x = (int64_t)p.x * g.stride_w + (int64_t)kx * g.dilation_w - g.pad_left;
  return y < 0 || y >= g.in_h || x < 0 || x >= g.in_w ? -1 : y * g.in_w + x;
}

}  // namespace octet

#endif  // OCTET_KERNELS_WINDOW_H_
