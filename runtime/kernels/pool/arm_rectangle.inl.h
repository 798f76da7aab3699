// How ARM pooling walks: the taps of a window that lie inside the image are a rectangle, so two
// nested loops find them without pointers. Included by pool/arm_*.cc files only; internal linkage.
#ifndef OCTET_KERNELS_POOL_ARM_RECTANGLE_INL_H_
#define OCTET_KERNELS_POOL_ARM_RECTANGLE_INL_H_

#include "runtime/kernels/pool/pool.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/window.h"

namespace octet {
namespace {

constexpr uint32_t kRun = 64;  // channels of one piece of work

// Taps of one axis inside the image.
struct Axis {
  uint32_t count;
  uint32_t first;  // input coordinate of the first of them
};

static inline Axis AxisOf(int64_t start, uint32_t kernel, uint32_t dilation, uint32_t size) {
  const int64_t skipped = start < 0 ? (-start + dilation - 1) / dilation : 0;
  const int64_t end = start >= size ? 0 : (size - start + dilation - 1) / dilation;
  const int64_t last = end < kernel ? end : kernel;
  if (last <= skipped) return Axis{0, 0};
  return Axis{(uint32_t)(last - skipped), (uint32_t)(start + skipped * dilation)};
}

struct Rectangle {
  size_t first;  // element index of its first pixel, channel 0
  uint32_t rows, columns;
  size_t row_step, column_step;  // in elements
};

static inline Rectangle RectangleOf(const ConvGeometry& g, uint64_t pixel) {
  const Pixel p = PixelOf(g, pixel);
  const Axis y = AxisOf((int64_t)p.y * g.stride_h - g.pad_top, g.kernel_h, g.dilation_h, g.in_h);
  const Axis x = AxisOf((int64_t)p.x * g.stride_w - g.pad_left, g.kernel_w, g.dilation_w, g.in_w);
  Rectangle r;
  r.first = ((size_t)y.first * g.in_w + x.first) * g.in_c;
  r.rows = x.count == 0 ? 0 : y.count;
  r.columns = x.count;
  r.row_step = (size_t)g.dilation_h * g.in_w * g.in_c;
  r.column_step = (size_t)g.dilation_w * g.in_c;
  return r;
}

// body(rectangle, pixel, channel, channels) for the pieces of a share.
template <typename Body>
static inline void ForEachPiece(const ConvGeometry& g, Share share, Body body) {
  const uint64_t runs = ((uint64_t)g.in_c + kRun - 1) / kRun;
  const Range range = RangeOf(OutputPixels(g) * runs, share);
  Rectangle rectangle = {};
  for (uint64_t i = range.begin; i < range.end; ++i) {
    const uint32_t first = (uint32_t)(i % runs) * kRun;
    if (first == 0 || i == range.begin) rectangle = RectangleOf(g, i / runs);
    const uint32_t left = g.in_c - first;
    body(rectangle, (size_t)(i / runs) * g.in_c, first, left < kRun ? left : kRun);
  }
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_POOL_ARM_RECTANGLE_INL_H_
