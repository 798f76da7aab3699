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

static inline void Interleave16(const uint8_t* a, const uint8_t* b, uint8_t* to, size_t stride) {
  const uint64x2_t x = vreinterpretq_u64_u8(vld1q_u8(a)), y = vreinterpretq_u64_u8(vld1q_u8(b));
  vst1q_u8(to, vreinterpretq_u8_u64(vzip1q_u64(x, y)));
  vst1q_u8(to + stride, vreinterpretq_u8_u64(vzip2q_u64(x, y)));
}

// [a's 8 channels, b's 8 channels] of every group of 8, `stride` bytes apart.
static inline void InterleavePair(const uint8_t* a, const uint8_t* b, size_t channels, uint8_t* to,
                                  size_t stride) {
  for (; channels >= 32; channels -= 32, a += 32, b += 32, to += 4 * stride) {
    Interleave16(a, b, to, stride);
    Interleave16(a + 16, b + 16, to + 2 * stride, stride);
  }
  if (channels >= 16) {
    Interleave16(a, b, to, stride);
    channels -= 16, a += 16, b += 16, to += 2 * stride;
  }
  if (channels != 0) vst1q_u8(to, vcombine_u8(vld1_u8(a), vld1_u8(b)));
}

// Pixel rows of a panel where each tap's channels fill groups of 8.
__attribute__((noinline)) static void PackTaps(const RowSource& s, Pixel c, uint32_t rows,
                                               uint8_t* to) {
  const ConvGeometry& g = s.g;
  const uint32_t pairs = (rows + 1) / 2;
  Window w[2 * kPanelPairs];
  for (uint32_t r = 0; r < rows; ++r, Advance(g, &c)) w[r] = WindowOf(g, c);
  if (rows % 2 != 0) w[rows] = w[rows - 1];  // computed and not stored
  // Pixels whose windows are inside find their taps by offsets.
  const uint8_t* at[2 * kPanelPairs];
  for (uint32_t r = 0; r < 2 * pairs; ++r) {
    at[r] = w[r].inside ? SourceOf(s, w[r].y, w[r].x) : nullptr;
  }
  const size_t stride = 16 * (size_t)pairs, right = (size_t)g.dilation_w * g.in_c;
  size_t line = 0;
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky, line += (size_t)g.dilation_h * g.in_w * g.in_c) {
    size_t tap = line;
    for (uint32_t kx = 0; kx < g.kernel_w; ++kx, tap += right, to += stride * (s.channels / 8)) {
      const int64_t dy = (int64_t)ky * g.dilation_h, dx = (int64_t)kx * g.dilation_w;
      const auto source = [&](uint32_t r) {
        return at[r] != nullptr ? at[r] + tap : SourceOf(s, w[r].y + dy, w[r].x + dx);
      };
      uint8_t* out = to;
      for (uint32_t r = 0; r < 2 * pairs; r += 2, out += 16) {
        InterleavePair(source(r), source(r + 1), s.channels, out, stride);
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
