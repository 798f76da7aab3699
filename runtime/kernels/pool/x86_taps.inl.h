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

template <typename T>
static inline WindowPixels<T> PixelsUnder(const ConvGeometry& g, const T* input, uint64_t pixel) {
  const int64_t y = (int64_t)(pixel / g.out_w) * g.stride_h - g.pad_top;
  const int64_t x = (int64_t)(pixel % g.out_w) * g.stride_w - g.pad_left;
  const Range rows = Valid(y, g.kernel_h, g.dilation_h, g.in_h);
  const Range columns = Valid(x, g.kernel_w, g.dilation_w, g.in_w);
  WindowPixels<T> t;
  t.rows = (uint32_t)(rows.end - rows.begin);
  t.columns = (uint32_t)(columns.end - columns.begin);
  t.row_step = (size_t)g.dilation_h * g.in_w * g.in_c;
  t.column_step = (size_t)g.dilation_w * g.in_c;
  t.first = input;
  if (t.rows != 0 && t.columns != 0) {
    const int64_t top = y + (int64_t)(rows.begin * g.dilation_h);
    const int64_t left = x + (int64_t)(columns.begin * g.dilation_w);
    t.first += ((uint64_t)top * g.in_w + (uint64_t)left) * g.in_c;
  }
  return t;
}

}  // namespace
}  // namespace octet
