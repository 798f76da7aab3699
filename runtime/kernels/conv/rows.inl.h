// The rows of an int8 tile: pointers to the bytes under an output pixel's window, [tap][channel],
// or those bytes flattened. Included by conv/*.cc of one instruction set; internal linkage.
#ifndef OCTET_KERNELS_CONV_ROWS_INL_H_
#define OCTET_KERNELS_CONV_ROWS_INL_H_

#include <string.h>

#include "runtime/kernels/conv/tiling.h"

namespace octet {
namespace {

// The channels of one group, all over the image.
struct RowSource {
  const ConvGeometry& g;
  const uint8_t* input;    // pixel (0, 0), the group's first channel
  const uint8_t* end;      // of the image: nothing is read from here on
  const uint8_t* padding;  // channels of a pixel outside the image
  size_t channels;         // of the group
};

static inline RowSource SourceOfGroup(const ConvS8Args& args, const ConvPlan& plan,
                                      uint64_t group) {
  const ConvGeometry& g = plan.g;
  return RowSource{g, args.input + group * plan.group_in,
                   args.input + (size_t)g.in_h * g.in_w * g.in_c, plan.padding,
                   (size_t)plan.group_in};
}

static inline void Advance(const ConvGeometry& g, Pixel* p) {
  if (++p->x == g.out_w) {
    p->x = 0;
    ++p->y;
  }
}

// Where the first tap of an output pixel lies, and whether its whole window is inside the image.
struct Window {
  int64_t y, x;
  bool inside;
};

static inline Window WindowOf(const ConvGeometry& g, Pixel p) {
  Window w;
  w.y = (int64_t)p.y * g.stride_h - g.pad_top;
  w.x = (int64_t)p.x * g.stride_w - g.pad_left;
  w.inside = w.y >= 0 && w.x >= 0 && w.y + (int64_t)(g.kernel_h - 1) * g.dilation_h < g.in_h &&
             w.x + (int64_t)(g.kernel_w - 1) * g.dilation_w < g.in_w;
  return w;
}

static inline const uint8_t* SourceOf(const RowSource& s, int64_t y, int64_t x) {
  if (y < 0 || y >= s.g.in_h || x < 0 || x >= s.g.in_w) return s.padding;
  return s.input + ((size_t)y * s.g.in_w + (size_t)x) * s.g.in_c;
}

// at[i] = first + i * step for i < count; in vectors of two, which compilers do not find.
static inline void Progress(const uint8_t** at, const uint8_t* first, size_t step, uint32_t count) {
  typedef uintptr_t Two
      __attribute__((vector_size(2 * sizeof(uintptr_t)), aligned(sizeof(uintptr_t)), may_alias));
  const uintptr_t start = (uintptr_t)first;
  Two low = {start, start + step};
  const Two two_steps = Two{} + 2 * step;
  if (count >= 4) {
    Two high = low + two_steps;
    const Two four_steps = two_steps + two_steps;
    do {
      reinterpret_cast<Two*>(at)[0] = low;
      reinterpret_cast<Two*>(at)[1] = high;
      low += four_steps;
      high += four_steps;
      at += 4;
      count -= 4;
    } while (count >= 4);
  }
  if (count >= 2) {
    reinterpret_cast<Two*>(at)[0] = low;
    low += two_steps;
    at += 2;
  }
  if (count % 2 != 0) *at = reinterpret_cast<const uint8_t*>(low[0]);
}

// plan.pointers[tap][row] for `rows` output pixels from `first` on.
[[maybe_unused, gnu::noinline]] static void PointRows(const ConvPlan& plan, const RowSource& source,
                                                      uint64_t first, uint32_t rows) {
  const ConvGeometry& g = plan.g;
  const uint32_t tap_step = plan.tile_rows;
  if (IsPointwise(g)) {
    Progress(plan.pointers, source.input + (size_t)first * g.in_c, g.in_c, rows);
    return;
  }
  Pixel p = PixelOf(g, first);
  const size_t right = (size_t)g.dilation_w * g.in_c;
  const size_t down = (size_t)g.dilation_h * g.in_w * g.in_c;
  for (uint32_t r = 0; r < rows;) {
    const Window w = WindowOf(g, p);
    const uint8_t** out = plan.pointers + r;
    if (!w.inside) {
      for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
        const int64_t y = w.y + (int64_t)ky * g.dilation_h;
        for (uint32_t kx = 0; kx < g.kernel_w; ++kx, out += tap_step) {
          *out = SourceOf(source, y, w.x + (int64_t)kx * g.dilation_w);
        }
      }
      ++r;
      Advance(g, &p);
      continue;
    }
    // The pixels to the right whose windows are inside as well.
    const uint32_t span = (g.kernel_w - 1) * g.dilation_w + 1;
    uint32_t run = ((uint32_t)(g.in_w - w.x) - span) / g.stride_w + 1;
    if (run > g.out_w - p.x) run = g.out_w - p.x;
    if (run > rows - r) run = rows - r;
    const uint8_t* line = SourceOf(source, w.y, w.x);
    for (uint32_t ky = 0; ky < g.kernel_h; ++ky, line += down) {
      const uint8_t* from = line;
      for (uint32_t kx = 0; kx < g.kernel_w; ++kx, out += tap_step, from += right) {
        Progress(out, from, (size_t)g.stride_w * g.in_c, run);
      }
    }
    r += run;
    p.x += run;
    if (p.x == g.out_w) p = Pixel{p.y + 1, 0};
  }
}

typedef uint8_t Bytes16 __attribute__((vector_size(16), aligned(1), may_alias));

static inline void Copy16(uint8_t* to, const uint8_t* from) {
  *reinterpret_cast<Bytes16*>(to) = *reinterpret_cast<const Bytes16*>(from);
}

// memcpy by overlapping pieces of 16 or 8 bytes: a call of the library function costs as much as a
// short copy.
static inline void CopyShort(uint8_t* to, const uint8_t* from, size_t bytes) {
  if (bytes >= 16) {
    size_t i = 0;
    for (; i + 16 < bytes; i += 16) Copy16(to + i, from + i);
    Copy16(to + bytes - 16, from + bytes - 16);
  } else if (bytes >= 8) {
    uint64_t a, b;
    memcpy(&a, from, 8);
    memcpy(&b, from + bytes - 8, 8);
    memcpy(to, &a, 8);
    memcpy(to + bytes - 8, &b, 8);
  } else {
    for (size_t i = 0; i < bytes; ++i) to[i] = from[i];
  }
}

// PackRow() with `spare` room writes up to so many bytes behind a row; what stood there is lost.
constexpr size_t kRowSlack = 16;

// `lines` runs of bytes, `step` apart, put one behind the other in whole vectors.
static inline void CopyLines(uint8_t* to, const uint8_t* from, size_t run, size_t step,
                             uint32_t lines) {
  if (run <= 16) {
    for (; lines != 0; --lines, to += run, from += step) Copy16(to, from);
  } else if (run <= 32) {
    for (; lines != 0; --lines, to += run, from += step) {
      const Bytes16 low = *reinterpret_cast<const Bytes16*>(from);
      const Bytes16 high = *reinterpret_cast<const Bytes16*>(from + 16);
      *reinterpret_cast<Bytes16*>(to) = low;
      *reinterpret_cast<Bytes16*>(to + 16) = high;
    }
  } else {
    for (; lines != 0; --lines, to += run, from += step) {
      for (size_t i = 0; i < run; i += 16) Copy16(to + i, from + i);
    }
  }
}

// A window that reaches over an edge: padding all over, then what lies in the image.
static inline void CopyClipped(const RowSource& s, const Window& w, uint8_t* to, size_t run) {
  const ConvGeometry& g = s.g;
  const int64_t left = w.x < 0 ? -w.x : 0;
  const int64_t right = w.x + g.kernel_w > g.in_w ? (int64_t)g.in_w - w.x : g.kernel_w;
  const Bytes16 padding = Bytes16{} + *s.padding;
  for (size_t i = 0; i < run * g.kernel_h; i += 16) *reinterpret_cast<Bytes16*>(to + i) = padding;
  if (left >= right) return;
  const size_t skip = (size_t)left * s.channels, size = (size_t)(right - left) * s.channels;
  int64_t y = w.y;
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky, to += run, y += g.dilation_h) {
    if (y < 0 || y >= g.in_h) continue;
    CopyShort(to + skip, s.input + (size_t)y * g.in_w * g.in_c + (w.x + left) * g.in_c, size);
  }
}

// The window of a pixel, and zeros up to `bytes`, its size rounded up by less than 8.
static inline void PackRow(const RowSource& s, Pixel p, uint8_t* to, size_t bytes, bool spare) {
  const ConvGeometry& g = s.g;
  const Window w = WindowOf(g, p);
  if (spare && g.dilation_w == 1 && s.channels == g.in_c) {
    const size_t run = (size_t)g.kernel_w * s.channels;
    const size_t step = (size_t)g.dilation_h * g.in_w * g.in_c;
    const uint8_t* from = SourceOf(s, w.y, w.x);
    if (w.inside && (size_t)(s.end - from) >= step * (g.kernel_h - 1) + run + kRowSlack) {
      CopyLines(to, from, run, step, g.kernel_h);
    } else {
      CopyClipped(s, w, to, run);
    }
    memset(to + run * g.kernel_h, 0, 8);
    return;
  }
  uint8_t* const end = to + bytes;
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
    const int64_t y = w.y + (int64_t)ky * g.dilation_h;
    for (uint32_t kx = 0; kx < g.kernel_w; ++kx, to += s.channels) {
      CopyShort(to, SourceOf(s, y, w.x + (int64_t)kx * g.dilation_w), s.channels);
    }
  }
  while (to < end) *to++ = 0;
}

// Packs rows of taps x channels, zero up to a multiple of 4, and points one tap at them.
[[maybe_unused, gnu::noinline]] static void PackRows(const ConvPlan& plan, const RowSource& source,
                                                     uint64_t first, uint32_t rows) {
  Pixel p = PixelOf(plan.g, first);
  for (uint32_t r = 0; r < rows; ++r, Advance(plan.g, &p)) {
    uint8_t* out = plan.packed + (size_t)r * (size_t)plan.deep;
    plan.pointers[r] = out;
    PackRow(source, p, out, plan.block_step / kChannelBlock, r + 1 < kTileRows);
  }
}

// The tile at `pixel`; returns its rows.
static inline uint32_t GatherRows(const ConvS8Args& args, const ConvPlan& plan, uint64_t group,
                                  uint64_t pixel) {
  const uint32_t rows = TileRows(plan, pixel);
  const RowSource source = SourceOfGroup(args, plan, group);
  if (plan.rows == Rows::kPacked) {
    PackRows(plan, source, pixel, rows);
  } else {
    PointRows(plan, source, pixel, rows);
  }
  return rows;
}

static inline void FillRowPadding(const ConvS8Args& args, const ConvPlan& plan) {
  memset(plan.padding, (uint8_t)args.in_zero_point ^ args.sign, plan.g.in_c);
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_ROWS_INL_H_
