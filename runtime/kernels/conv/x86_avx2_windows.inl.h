// Packed rows of conv/x86_avx2.cc for windows of three lines and at most 32 bytes, as over images
// of 3 channels: put together in registers and written by whole vectors. Interleaving reads such
// vectors right behind. It would wait for pieces that lie across them.
#include "runtime/kernels/conv/x86_avx2_tile.inl.h"

namespace octet {
namespace {

// Where the two vectors of a row find their bytes in the first 16 of each line.
static void OrderShortWindow(const ConvPlan& plan, ShortWindow* window) {
  const ConvGeometry& g = plan.g;
  const uint64_t run = (uint64_t)g.kernel_w * g.in_c;
  window->fits = plan.rows == Rows::kPacked && g.groups == 1 && g.dilation_w == 1 && run <= 16 &&
                 g.kernel_h == kShortLines && plan.deep == 32;
  if (!window->fits) return;
  memset(window->order, 0x80, sizeof(window->order));  // a shuffle's zero
  for (uint32_t line = 0; line < kShortLines; ++line) {
    for (uint64_t i = 0; i < run; ++i) {
      const uint64_t at = line * run + i;
      window->order[line][at / 16][at % 16] = (uint8_t)i;
    }
  }
}

// The windows of `count` output pixels from `from` on, all inside and with 16 readable bytes in
// each line.
static inline void PackInside(const ConvGeometry& g, const ShortWindow& window, const uint8_t* from,
                              uint32_t count, uint8_t* to) {
  const size_t down = (size_t)g.dilation_h * g.in_w * g.in_c;
  const size_t right = (size_t)g.stride_w * g.in_c;
  for (; count != 0; --count, from += right, to += 32) {
    __m128i half[2] = {};
#pragma GCC unroll 3
    for (uint32_t line = 0; line < kShortLines; ++line) {
      const __m128i x = Load16(from + line * down);
#pragma GCC unroll 2
      for (int h = 0; h < 2; ++h) {
        half[h] = _mm_or_si128(half[h], _mm_shuffle_epi8(x, Load16(window.order[line][h])));
      }
    }
    _mm_store_si128(reinterpret_cast<__m128i*>(to), half[0]);
    _mm_store_si128(reinterpret_cast<__m128i*>(to + 16), half[1]);
  }
}

// GatherRows() for such windows.
static void PackShortRows(const ConvS8Args& args, const ConvPlan& plan, uint64_t first,
                          uint32_t rows, const ShortWindow& window) {
  const ConvGeometry& g = plan.g;
  const RowSource source = SourceOfGroup(args, plan, 0);
  const size_t lines = (size_t)(g.kernel_h - 1) * g.dilation_h * g.in_w * g.in_c;
  Pixel p = PixelOf(g, first);
  for (uint32_t r = 0; r < rows;) {
    uint8_t* const to = plan.packed + (size_t)r * 32;
    const Window w = WindowOf(g, p);
    uint32_t count = 0;
    if (w.inside) {
      const uint8_t* from = SourceOf(source, w.y, w.x);
      count = ((uint32_t)(g.in_w - w.x) - g.kernel_w) / g.stride_w + 1;
      if (count > g.out_w - p.x) count = g.out_w - p.x;
      if (count > rows - r) count = rows - r;
      const size_t step = (size_t)g.stride_w * g.in_c;
      while (count != 0 && (size_t)(source.end - from) < (count - 1) * step + lines + 16) --count;
      PackInside(g, window, from, count, to);
    }
    if (count == 0) {
      PackRow(source, p, to, plan.block_step / kChannelBlock, r + 1 < kTileRows);
      count = 1;
    }
    for (uint32_t i = 0; i < count; ++i) plan.pointers[r + i] = to + (size_t)i * 32;
    r += count;
    p.x += count;
    if (p.x == g.out_w) p = Pixel{p.y + 1, 0};
  }
}

}  // namespace
}  // namespace octet
