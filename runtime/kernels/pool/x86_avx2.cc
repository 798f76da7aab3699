// Pooling with AVX2, 16 channels of one output pixel at a time. Arena bytes q + 128 order as the
// values do, so that the maximum is that of unsigned bytes.
#include <string.h>

#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/pool/x86_taps.inl.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/x86_requantize.inl.h"

namespace octet {
namespace {

constexpr uint32_t kWide = 16;

// Calls op.Tap(bytes, count) for every tap of channels [c, c + count).
template <class Op>
static inline void ForEachTap(const WindowPixels<uint8_t>& taps, uint32_t c, uint32_t count,
                              Op* op) {
  const uint8_t* row = taps.first + c;
  for (uint32_t ky = 0; ky < taps.rows; ++ky, row += taps.row_step) {
    const uint8_t* x = row;
    for (uint32_t kx = 0; kx < taps.columns; ++kx, x += taps.column_step) op->Tap(x, count);
  }
}

struct MaxOp {
  __m128i best;
  inline void Tap(const uint8_t* x, uint32_t count) {
    best = _mm_max_epu8(best, LoadPartial16(x, count));
  }
};

// The maximum of kVectors * 32 channels from c on: the loops over the taps cost as much as 16
// channels do.
template <int kVectors>
static inline void MaxOfVectors(const WindowPixels<uint8_t>& taps, uint32_t c, __m256i lo,
                                __m256i hi, uint8_t* to) {
  __m256i best[kVectors];
  for (int v = 0; v < kVectors; ++v) best[v] = lo;
  const uint8_t* row = taps.first + c;
  for (uint32_t ky = 0; ky < taps.rows; ++ky, row += taps.row_step) {
    const uint8_t* x = row;
    for (uint32_t kx = 0; kx < taps.columns; ++kx, x += taps.column_step) {
      for (int v = 0; v < kVectors; ++v) {
        best[v] = _mm256_max_epu8(best[v],
                                  _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + 32 * v)));
      }
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 32 * v), _mm256_min_epu8(best[v], hi));
  }
}

// The maximum of four taps, all channels of `pixels` outputs side by side.
static void MaxOf2x2(const WindowPixels<uint8_t>& taps, size_t step, uint32_t channels,
                     uint32_t pixels, __m128i lo, __m128i hi, uint8_t* to) {
  const uint8_t *upper = taps.first, *lower = upper + taps.row_step;
  for (uint32_t i = 0; i < pixels; ++i, upper += step, lower += step, to += channels) {
    for (uint32_t c = 0; c < channels; c += kWide) {
      const auto tap = [&](const uint8_t* row) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + c));
      };
      const __m128i above = _mm_max_epu8(tap(upper), tap(upper + taps.column_step));
      const __m128i below = _mm_max_epu8(tap(lower), tap(lower + taps.column_step));
      const __m128i best = _mm_max_epu8(_mm_max_epu8(above, below), lo);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + c), _mm_min_epu8(best, hi));
    }
  }
}

// Sums of kPieces * 16 channels: in 16 bits, spilled to 32 before they can overflow: 257 * 255 =
// 65535. Several pieces share the loops over the taps.
template <uint32_t kPieces>
struct SumOp {
  __m256i words[kPieces] = {}, low[kPieces] = {}, high[kPieces] = {};
  uint32_t held = 0;
  inline void Spill() {
    for (uint32_t i = 0; i < kPieces; ++i) {
      const __m128i upper = _mm256_extracti128_si256(words[i], 1);
      low[i] = _mm256_add_epi32(low[i], _mm256_cvtepu16_epi32(_mm256_castsi256_si128(words[i])));
      high[i] = _mm256_add_epi32(high[i], _mm256_cvtepu16_epi32(upper));
      words[i] = _mm256_setzero_si256();
    }
    held = 0;
  }
  inline void Tap(const uint8_t* x, uint32_t count) {
    for (uint32_t i = 0; i < kPieces; ++i, x += kWide) {
      const __m128i bytes = kPieces != 1 ? _mm_loadu_si128(reinterpret_cast<const __m128i*>(x))
                                         : LoadPartial16(x, count);
      words[i] = _mm256_add_epi16(words[i], _mm256_cvtepu8_epi16(bytes));
    }
    if (++held == 257) Spill();
  }
};

struct Average {
  const PoolS8Args& args;
  Finish8 finish;
  Channels8 factor;
  __m256i zero;

  // Of channels [c, c + count); count is kPieces * 16 but for one piece.
  template <uint32_t kPieces>
  inline void Of(const WindowPixels<uint8_t>& taps, uint32_t c, uint32_t count, uint8_t* to) const {
    SumOp<kPieces> op;
    ForEachTap(taps, c, count, &op);
    op.Spill();
    for (uint32_t i = 0; i < kPieces; ++i) {
      __m256i low = _mm256_sub_epi32(op.low[i], zero);
      __m256i high = _mm256_sub_epi32(op.high[i], zero);
      if (args.pre_shift != 0) {
        low = PreShift8(low, args.pre_shift);
        high = PreShift8(high, args.pre_shift);
      }
      StorePartial16(to + i * kWide,
                     Finish16(Requantize8(low, factor), Requantize8(high, factor), finish),
                     kPieces != 1 ? kWide : count);
    }
  }
};

}  // namespace

void max_pool_s8_avx2(const PoolS8Args& args, Share share) {
  const ConvGeometry& g = args.g;
  const uint64_t pieces = (g.in_c + kWide - 1) / kWide;
  const Range work = RangeOf((uint64_t)g.out_h * g.out_w * pieces, share);
  const __m128i lo = _mm_set1_epi8((char)(args.clamp_lo + 128));
  const __m128i hi = _mm_set1_epi8((char)(args.clamp_hi + 128));
  const __m256i lo32 = _mm256_broadcastsi128_si256(lo), hi32 = _mm256_broadcastsi128_si256(hi);
  uint64_t pixel = work.begin / pieces;
  PixelWalk<uint8_t> walk(g, args.input, pixel);
  for (uint64_t i = work.begin; i < work.end; ++pixel, walk.Next()) {
    const WindowPixels<uint8_t> taps = walk.Taps();
    if (g.in_c % kWide == 0 && i == pixel * pieces) {
      const uint64_t whole = (work.end - i) / pieces, inside = Inside2x2(walk);
      const uint32_t pixels = (uint32_t)(inside < whole ? inside : whole);
      if (pixels != 0) {
        MaxOf2x2(taps, (size_t)g.stride_w * g.in_c, g.in_c, pixels, lo, hi,
                 args.output + pixel * g.in_c);
        walk.x += pixels - 1;
        pixel += pixels - 1;
        i += pixels * pieces;
        continue;
      }
    }
    uint64_t end = (pixel + 1) * pieces;
    if (end > work.end) end = work.end;
    while (i < end) {
      const uint32_t c = (uint32_t)(i - pixel * pieces) * kWide;
      uint8_t* to = args.output + pixel * g.in_c + c;
      const uint32_t left = g.in_c - c;
      if (end - i >= 6 && left >= 96) {
        MaxOfVectors<3>(taps, c, lo32, hi32, to);
        i += 6;
        continue;
      }
      if (end - i >= 2 && left >= 32) {
        MaxOfVectors<1>(taps, c, lo32, hi32, to);
        i += 2;
        continue;
      }
      const uint32_t count = left < kWide ? left : kWide;
      MaxOp op = {_mm_setzero_si128()};
      ForEachTap(taps, c, count, &op);
      StorePartial16(to, _mm_min_epu8(_mm_max_epu8(op.best, lo), hi), count);
      ++i;
    }
  }
}

void average_pool_s8_avx2(const PoolS8Args& args, Share share) {
  const ConvGeometry& g = args.g;
  const uint64_t pieces = (g.in_c + kWide - 1) / kWide;
  const Range work = RangeOf((uint64_t)g.out_h * g.out_w * pieces, share);
  Average average = {args, MakeFinish8(args.out_zero_point, args.clamp_lo, args.clamp_hi), {}, {}};
  uint64_t pixel = work.begin / pieces;
  PixelWalk<uint8_t> walk(g, args.input, pixel);
  for (uint64_t i = work.begin; i < work.end; ++pixel, walk.Next()) {
    const WindowPixels<uint8_t> taps = walk.Taps();
    const uint32_t valid = taps.rows * taps.columns;
    const Multiplier m = args.multipliers[args.multiplier_count == 1 ? 0 : valid - 1];
    average.factor = MakeChannels8(_mm256_set1_epi32(m.multiplier), _mm256_set1_epi32(m.shift));
    average.zero = _mm256_set1_epi32((int32_t)valid * (args.in_zero_point + 128));
    uint64_t end = (pixel + 1) * pieces;
    if (end > work.end) end = work.end;
    while (i < end) {
      const uint32_t c = (uint32_t)(i - pixel * pieces) * kWide, left = g.in_c - c;
      uint8_t* to = args.output + pixel * g.in_c + c;
      if (end - i >= 4 && left >= 4 * kWide) {
        average.Of<4>(taps, c, 4 * kWide, to);
        i += 4;
      } else {
        average.Of<1>(taps, c, left < kWide ? left : kWide, to);
        ++i;
      }
    }
  }
}

}  // namespace octet
