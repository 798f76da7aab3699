// How the ARM convolutions find and flatten the input of an output pixel: the bytes under its
// window, [tap][channel]. Included by conv/arm_*.cc only; internal linkage.
#ifndef OCTET_KERNELS_CONV_ARM_ROWS_INL_H_
#define OCTET_KERNELS_CONV_ARM_ROWS_INL_H_

#include "runtime/kernels/arm_neon_shim.inl.h"
#include "runtime/kernels/conv/conv.h"

namespace octet {
namespace {

// The channels of one group, all over the image.
struct RowSource {
  ConvGeometry g;
  const uint8_t* input;    // pixel (0, 0), the group's first channel
  const uint8_t* end;      // of the image: nothing is read from here on
  const uint8_t* padding;  // channels of a pixel outside the image
  size_t channels;         // of the group
};

struct Cursor {
  uint32_t y, x;
};

static inline Cursor CursorOf(const ConvGeometry& g, uint64_t pixel) {
  return Cursor{(uint32_t)(pixel / g.out_w), (uint32_t)(pixel % g.out_w)};
}

static inline void Advance(const ConvGeometry& g, Cursor* c) {
  if (++c->x == g.out_w) {
    c->x = 0;
    ++c->y;
  }
}

// Where the first tap of an output pixel lies, and whether its whole window is inside the image.
struct Window {
  int64_t y, x;
  bool inside;
};

static inline Window WindowOf(const ConvGeometry& g, Cursor c) {
  Window w;
  w.y = (int64_t)c.y * g.stride_h - g.pad_top;
  w.x = (int64_t)c.x * g.stride_w - g.pad_left;
  w.inside = w.y >= 0 && w.x >= 0 && w.y + (int64_t)(g.kernel_h - 1) * g.dilation_h < g.in_h &&
             w.x + (int64_t)(g.kernel_w - 1) * g.dilation_w < g.in_w;
  return w;
}

static inline const uint8_t* SourceOf(const RowSource& s, int64_t y, int64_t x) {
  if (y < 0 || y >= s.g.in_h || x < 0 || x >= s.g.in_w) return s.padding;
  return s.input + ((size_t)y * s.g.in_w + (size_t)x) * s.g.in_c;
}

// memcpy by overlapping pieces of 16 or 8 bytes: a call of the library function costs as much as a
// short copy.
static inline void CopyShort(uint8_t* to, const uint8_t* from, size_t bytes) {
  if (bytes >= 16) {
    size_t i = 0;
    for (; i + 16 < bytes; i += 16) vst1q_u8(to + i, vld1q_u8(from + i));
    vst1q_u8(to + bytes - 16, vld1q_u8(from + bytes - 16));
  } else if (bytes >= 8) {
    const uint8x8_t a = vld1_u8(from), b = vld1_u8(from + bytes - 8);
    vst1_u8(to, a);
    vst1_u8(to + bytes - 8, b);
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
    for (; lines != 0; --lines, to += run, from += step) vst1q_u8(to, vld1q_u8(from));
  } else if (run <= 32) {
    for (; lines != 0; --lines, to += run, from += step) {
      const uint8x16_t low = vld1q_u8(from), high = vld1q_u8(from + 16);
      vst1q_u8(to, low);
      vst1q_u8(to + 16, high);
    }
  } else {
    for (; lines != 0; --lines, to += run, from += step) {
      for (size_t i = 0; i < run; i += 16) vst1q_u8(to + i, vld1q_u8(from + i));
    }
  }
}

// A window that reaches over an edge: padding all over, then what lies in the image.
static inline void CopyClipped(const RowSource& s, const Window& w, uint8_t* to, size_t run) {
  const ConvGeometry& g = s.g;
  const int64_t left = w.x < 0 ? -w.x : 0;
  const int64_t right = w.x + g.kernel_w > g.in_w ? (int64_t)g.in_w - w.x : g.kernel_w;
  const uint8x16_t padding = vdupq_n_u8(*s.padding);
  for (size_t i = 0; i < run * g.kernel_h; i += 16) vst1q_u8(to + i, padding);
  if (left >= right) return;
  const size_t skip = (size_t)left * s.channels, size = (size_t)(right - left) * s.channels;
  int64_t y = w.y;
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky, to += run, y += g.dilation_h) {
    if (y < 0 || y >= g.in_h) continue;
    CopyShort(to + skip, s.input + (size_t)y * g.in_w * g.in_c + (w.x + left) * g.in_c, size);
  }
}

// The window of a pixel, and zeros up to `bytes`, its size rounded up by less than 8.
static inline void PackRow(const RowSource& s, Cursor c, uint8_t* to, size_t bytes, bool spare) {
  const ConvGeometry& g = s.g;
  const Window w = WindowOf(g, c);
  if (spare && g.dilation_w == 1 && s.channels == g.in_c) {
    const size_t run = (size_t)g.kernel_w * s.channels;
    const size_t step = (size_t)g.dilation_h * g.in_w * g.in_c;
    const uint8_t* from = SourceOf(s, w.y, w.x);
    if (w.inside && (size_t)(s.end - from) >= step * (g.kernel_h - 1) + run + kRowSlack) {
      CopyLines(to, from, run, step, g.kernel_h);
    } else {
      CopyClipped(s, w, to, run);
    }
    vst1_u8(to + run * g.kernel_h, vdup_n_u8(0));
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

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_ARM_ROWS_INL_H_
