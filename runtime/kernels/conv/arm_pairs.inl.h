// Tiles of pixels for SMMLA: [group of 8 channels][pair of pixels][2][8], zero behind the last
// channel. Included by conv/arm_i8mm.cc only; internal linkage.
#ifndef OCTET_KERNELS_CONV_ARM_PAIRS_INL_H_
#define OCTET_KERNELS_CONV_ARM_PAIRS_INL_H_

#include "runtime/kernels/arm_neon_shim.inl.h"
#include "runtime/kernels/conv/rows.inl.h"

namespace octet {
namespace {

constexpr uint32_t kPanelPairs = 4;  // pixel pairs of a panel

// Place for two rows of `bytes` (a multiple of 8) and kRowSlack each, or null.
struct FlatRows {
  uint8_t* rows;
  size_t bytes;
};

// [a's 8 channels, b's 8 channels] of every group of 8, `stride` bytes apart.
static inline void InterleavePair(const uint8_t* a, const uint8_t* b, size_t channels, uint8_t* to,
                                  size_t stride) {
  // In assembly: compilers move three pointers where the loads and stores can.
  __asm__ volatile(
      "subs %[channels], %[channels], #32\n\t"
      "b.lo 2f\n\t"
      "1:\n\t"
      "ldp q0, q1, [%[a]], #32\n\t"
      "ldp q2, q3, [%[b]], #32\n\t"
      "subs %[channels], %[channels], #32\n\t"
      "zip1 v4.2d, v0.2d, v2.2d\n\t"
      "zip2 v5.2d, v0.2d, v2.2d\n\t"
      "zip1 v6.2d, v1.2d, v3.2d\n\t"
      "zip2 v7.2d, v1.2d, v3.2d\n\t"
      "st1 {v4.16b}, [%[to]], %[stride]\n\t"
      "st1 {v5.16b}, [%[to]], %[stride]\n\t"
      "st1 {v6.16b}, [%[to]], %[stride]\n\t"
      "st1 {v7.16b}, [%[to]], %[stride]\n\t"
      "b.hs 1b\n\t"
      "2:\n\t"
      "tbz %[channels], #4, 3f\n\t"
      "ldr q0, [%[a]], #16\n\t"
      "ldr q2, [%[b]], #16\n\t"
      "zip1 v4.2d, v0.2d, v2.2d\n\t"
      "zip2 v5.2d, v0.2d, v2.2d\n\t"
      "st1 {v4.16b}, [%[to]], %[stride]\n\t"
      "st1 {v5.16b}, [%[to]], %[stride]\n\t"
      "3:\n\t"
      "tbz %[channels], #3, 4f\n\t"
      "ldr d0, [%[a]]\n\t"
      "ld1 {v0.d}[1], [%[b]]\n\t"
      "str q0, [%[to]]\n\t"
      "4:\n\t"
      : [a] "+r"(a), [b] "+r"(b), [channels] "+r"(channels), [to] "+r"(to)
      : [stride] "r"(stride)
      : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7");
}

// A pixel's window, and its first tap where all of it lies in the image, else null.
struct PackedPixel {
  Window window;
  const uint8_t* at;
};

static inline PackedPixel PixelToPack(const RowSource& s, Pixel c) {
  PackedPixel p;
  p.window = WindowOf(s.g, c);
  p.at = p.window.inside ? SourceOf(s, p.window.y, p.window.x) : nullptr;
  return p;
}

static inline const uint8_t* TapOf(const RowSource& s, const PackedPixel& p, uint32_t ky,
                                   uint32_t kx) {
  return SourceOf(s, p.window.y + (int64_t)ky * s.g.dilation_h,
                  p.window.x + (int64_t)kx * s.g.dilation_w);
}

// Pixel rows of a panel where each tap's channels fill groups of 8.
__attribute__((noinline)) static void PackTaps(const RowSource& s, Pixel c, uint32_t rows,
                                               uint8_t* to) {
  const ConvGeometry& g = s.g;
  const uint32_t pairs = (rows + 1) / 2;
  const size_t stride = 16 * (size_t)pairs, down = (size_t)g.dilation_h * g.in_w * g.in_c;
  // Taps side by side are one run of bytes.
  const bool runs = g.dilation_w == 1 && s.channels == g.in_c;
  const size_t run = g.kernel_w * s.channels;
  for (uint32_t i = 0; i < pairs; ++i, to += 16) {
    const PackedPixel a = PixelToPack(s, c);
    if (2 * i + 1 < rows) Advance(g, &c);
    const PackedPixel b = PixelToPack(s, c);  // behind the last row: once more, not stored
    Advance(g, &c);
    uint8_t* out = to;
    if (runs && a.at != nullptr && b.at != nullptr) {
      size_t line = 0;
      for (uint32_t ky = 0; ky < g.kernel_h; ++ky, line += down, out += stride * (run / 8)) {
        InterleavePair(a.at + line, b.at + line, run, out, stride);
      }
      continue;
    }
    for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
      for (uint32_t kx = 0; kx < g.kernel_w; ++kx, out += stride * (s.channels / 8)) {
        InterleavePair(TapOf(s, a, ky, kx), TapOf(s, b, ky, kx), s.channels, out, stride);
      }
    }
  }
}

// Appends bytes to a pixel's groups of 8, which lie `stride` apart.
struct Appender {
  uint8_t* to;
  size_t stride, filled;

  void Add(const uint8_t* from, size_t bytes) {
    while (bytes != 0) {
      const size_t room = 8 - filled, part = bytes < room ? bytes : room;
      for (size_t i = 0; i < part; ++i) to[filled + i] = from[i];
      from += part;
      bytes -= part;
      filled += part;
      if (filled == 8) {
        filled = 0;
        to += stride;
      }
    }
  }
};

// Any number of channels, byte by byte: for shapes whose flat rows fit nowhere.
__attribute__((noinline)) static void PackBytes(const RowSource& s, Pixel c, uint32_t rows,
                                                uint8_t* to) {
  const ConvGeometry& g = s.g;
  const uint32_t pairs = (rows + 1) / 2;
  for (uint32_t r = 0; r < 2 * pairs; ++r) {
    const Window w = WindowOf(g, c);
    Appender row = {to + 16 * (r / 2) + 8 * (r % 2), 16 * (size_t)pairs, 0};
    for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
      for (uint32_t kx = 0; kx < g.kernel_w; ++kx) {
        row.Add(SourceOf(s, w.y + (int64_t)ky * g.dilation_h, w.x + (int64_t)kx * g.dilation_w),
                s.channels);
      }
    }
    constexpr uint8_t kZeros[8] = {};
    if (row.filled != 0) row.Add(kZeros, 8 - row.filled);
    if (r + 1 < rows) Advance(s.g, &c);
  }
}

// Every row flat, then pair by pair.
__attribute__((noinline)) static void PackFlat(const FlatRows& flat, const RowSource& s, Pixel c,
                                               uint32_t rows, uint8_t* to) {
  const uint32_t pairs = (rows + 1) / 2;
  uint8_t* const a = flat.rows;
  uint8_t* const b = flat.rows + flat.bytes + kRowSlack;
  for (uint32_t p = 0; p < pairs; ++p) {
    PackRow(s, c, a, flat.bytes, true);
    if (2 * p + 1 < rows) {
      Advance(s.g, &c);
      PackRow(s, c, b, flat.bytes, true);
      Advance(s.g, &c);
    }
    InterleavePair(a, b, flat.bytes, to + 16 * p, 16 * (size_t)pairs);
  }
}

// `rows` pixels, at most 2 * kPanelPairs, from `c` on.
static void PackPanel(const FlatRows& flat, const RowSource& s, Pixel c, uint32_t rows,
                      uint8_t* to) {
  if (s.channels % 8 == 0) {
    PackTaps(s, c, rows, to);
  } else if (flat.rows != nullptr) {
    PackFlat(flat, s, c, rows, to);
  } else {
    PackBytes(s, c, rows, to);
  }
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_ARM_PAIRS_INL_H_
