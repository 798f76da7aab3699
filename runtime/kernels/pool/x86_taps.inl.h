// Which taps of a pooling window lie within the image. Internal linkage only: included by the x86
// files of this folder.
#include <string.h>

#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

// The taps of an output pixel that lie within the image: rows [y_begin, y_end) of taps, columns
// alike.
template <typename T>
struct WindowPixels {
  const T* first;  // pixel under the first of them
  uint32_t rows, columns;
  size_t row_step, column_step;
};

// First and last + 1 tap k with 0 <= origin + k * dilation < size.
static inline Range Valid(int64_t origin, uint32_t kernel, uint32_t dilation, uint32_t size) {
  Range r = {0, kernel};
  while (r.begin < r.end && origin + (int64_t)(r.begin * dilation) < 0) ++r.begin;
  while (r.end > r.begin && origin + (int64_t)((r.end - 1) * dilation) >= size) --r.end;
  return r;
}

// Goes from output pixel to output pixel; what a row of them shares is found once.
template <typename T>
struct PixelWalk {
  const ConvGeometry& g;
  const T* input;
  uint32_t y, x;  // of the output pixel
  const T* line;  // of the first row of taps
  uint32_t rows;

  PixelWalk(const ConvGeometry& geometry, const T* from, uint64_t pixel)
      : g(geometry),
        input(from),
        y((uint32_t)(pixel / g.out_w)),
        x((uint32_t)(pixel - (uint64_t)y * g.out_w)) {
    FindRows();
  }
  void FindRows() {
    const int64_t top = (int64_t)y * g.stride_h - g.pad_top;
    const Range taps = Valid(top, g.kernel_h, g.dilation_h, g.in_h);
    rows = (uint32_t)(taps.end - taps.begin);
    line = input;
    if (rows != 0) line += (uint64_t)(top + (int64_t)(taps.begin * g.dilation_h)) * g.in_w * g.in_c;
  }
  void Next() {
    if (++x != g.out_w) return;
    x = 0;
    ++y;
    FindRows();
  }
  WindowPixels<T> Taps() const {
    const int64_t left = (int64_t)x * g.stride_w - g.pad_left;
    const Range taps = Valid(left, g.kernel_w, g.dilation_w, g.in_w);
    WindowPixels<T> t = {line, rows, (uint32_t)(taps.end - taps.begin),
                         (size_t)g.dilation_h * g.in_w * g.in_c, (size_t)g.dilation_w * g.in_c};
    if (t.rows != 0 && t.columns != 0) {
      t.first += (uint64_t)(left + (int64_t)(taps.begin * g.dilation_w)) * g.in_c;
    }
    return t;
  }
};

// The outputs of a line from the walk's on whose windows are inside the image, if of 2x2 taps.
template <typename T>
static inline uint32_t Inside2x2(const PixelWalk<T>& walk) {
  const ConvGeometry& g = walk.g;
  const int64_t left = (int64_t)walk.x * g.stride_w - g.pad_left;
  if (g.kernel_h != 2 || g.kernel_w != 2 || walk.rows != 2 || left < 0) return 0;
  const int64_t room = (int64_t)g.in_w - 1 - g.dilation_w - left;  // of the first window
  if (room < 0) return 0;
  const uint64_t inside = (uint64_t)room / g.stride_w + 1;
  return inside < g.out_w - walk.x ? (uint32_t)inside : g.out_w - walk.x;
}

}  // namespace
}  // namespace octet
