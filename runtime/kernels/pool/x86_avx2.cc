// Pooling with AVX2, 16 channels of one output pixel at a time. Arena bytes q + 128 order as the
// values do, so that the maximum is that of unsigned bytes.
#include <string.h>

#include "runtime/kernels/conv/x86_requantize.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

constexpr uint32_t kWide = 16;

// The taps of an output pixel that lie within the image: rows [y_begin, y_end) of taps, columns
// alike.
struct Taps {
  const uint8_t* first;  // pixel under the first of them
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

static inline Taps TapsOf(const ConvGeometry& g, const uint8_t* input, uint64_t pixel) {
  const int64_t y = (int64_t)(pixel / g.out_w) * g.stride_h - g.pad_top;
  const int64_t x = (int64_t)(pixel % g.out_w) * g.stride_w - g.pad_left;
  const Range rows = Valid(y, g.kernel_h, g.dilation_h, g.in_h);
  const Range columns = Valid(x, g.kernel_w, g.dilation_w, g.in_w);
  Taps t;
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

// Calls op.Tap(16 bytes) for every tap of channels [c, c + count).
template <class Op>
static inline void ForEachTap(const Taps& taps, uint32_t c, uint32_t count, Op* op) {
  const uint8_t* row = taps.first + c;
  for (uint32_t ky = 0; ky < taps.rows; ++ky, row += taps.row_step) {
    const uint8_t* x = row;
    for (uint32_t kx = 0; kx < taps.columns; ++kx, x += taps.column_step) {
      op->Tap(LoadPartial16(x, count));
    }
  }
}

struct MaxOp {
  __m128i best;
  inline void Tap(__m128i x) { best = _mm_max_epu8(best, x); }
};

// 16-bit sums of unsigned bytes, spilled to 32 bits before they can overflow: 257 * 255 = 65535.
struct SumOp {
  __m256i words, low, high;
  uint32_t held;
  inline void Spill() {
    low = _mm256_add_epi32(low, _mm256_cvtepu16_epi32(_mm256_castsi256_si128(words)));
    high = _mm256_add_epi32(high, _mm256_cvtepu16_epi32(_mm256_extracti128_si256(words, 1)));
    words = _mm256_setzero_si256();
    held = 0;
  }
  inline void Tap(__m128i x) {
    words = _mm256_add_epi16(words, _mm256_cvtepu8_epi16(x));
    if (++held == 257) Spill();
  }
};

}  // namespace

void max_pool_s8_avx2(const PoolS8Args& args, Share share) {
  const ConvGeometry& g = args.g;
  const uint64_t pieces = (g.in_c + kWide - 1) / kWide;
  const Range work = RangeOf((uint64_t)g.out_h * g.out_w * pieces, share);
  const __m128i lo = _mm_set1_epi8((char)(args.clamp_lo + 128));
  const __m128i hi = _mm_set1_epi8((char)(args.clamp_hi + 128));
  for (uint64_t i = work.begin; i < work.end;) {
    const uint64_t pixel = i / pieces;
    const Taps taps = TapsOf(g, args.input, pixel);
    for (uint64_t end = (pixel + 1) * pieces; i < end && i < work.end; ++i) {
      const uint32_t c = (uint32_t)(i - pixel * pieces) * kWide;
      const uint32_t count = g.in_c - c < kWide ? g.in_c - c : kWide;
      MaxOp op = {_mm_setzero_si128()};
      ForEachTap(taps, c, count, &op);
      StorePartial16(args.output + pixel * g.in_c + c, _mm_min_epu8(_mm_max_epu8(op.best, lo), hi),
                     count);
    }
  }
}

void average_pool_s8_avx2(const PoolS8Args& args, Share share) {
  const ConvGeometry& g = args.g;
  const uint64_t pieces = (g.in_c + kWide - 1) / kWide;
  const Range work = RangeOf((uint64_t)g.out_h * g.out_w * pieces, share);
  const Finish8 finish = MakeFinish8(args.out_zero_point, args.clamp_lo, args.clamp_hi);
  for (uint64_t i = work.begin; i < work.end;) {
    const uint64_t pixel = i / pieces;
    const Taps taps = TapsOf(g, args.input, pixel);
    const uint32_t valid = taps.rows * taps.columns;
    const Multiplier m = args.multipliers[args.multiplier_count == 1 ? 0 : valid - 1];
    const Channels8 factor =
        MakeChannels8(_mm256_set1_epi32(m.multiplier), _mm256_set1_epi32(m.shift));
    const __m256i zero = _mm256_set1_epi32((int32_t)valid * (args.in_zero_point + 128));
    for (uint64_t end = (pixel + 1) * pieces; i < end && i < work.end; ++i) {
      const uint32_t c = (uint32_t)(i - pixel * pieces) * kWide;
      const uint32_t count = g.in_c - c < kWide ? g.in_c - c : kWide;
      const __m256i none = _mm256_setzero_si256();
      SumOp op = {none, none, none, 0};
      ForEachTap(taps, c, count, &op);
      op.Spill();
      __m256i low = _mm256_sub_epi32(op.low, zero);
      __m256i high = _mm256_sub_epi32(op.high, zero);
      if (args.pre_shift != 0) {
        low = PreShift8(low, args.pre_shift);
        high = PreShift8(high, args.pre_shift);
      }
      StorePartial16(args.output + pixel * g.in_c + c,
                     Finish16(Requantize8(low, factor), Requantize8(high, factor), finish), count);
    }
  }
}

}  // namespace octet
