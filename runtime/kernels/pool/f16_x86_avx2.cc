// FP16 pooling with AVX2 and F16C, 8 channels of one output pixel at a time.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/pool/x86_taps.inl.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/x86_float.inl.h"

namespace octet {
namespace {

constexpr uint32_t kWide = 8;

// Fold(sum or maximum, x) over the taps of channels [c, c + count), in their order.
template <class Op>
static inline __m256 Fold(const WindowPixels<uint16_t>& taps, uint32_t c, uint32_t count,
                          __m256 value) {
  const uint16_t* row = taps.first + c;
  for (uint32_t ky = 0; ky < taps.rows; ++ky, row += taps.row_step) {
    const uint16_t* x = row;
    for (uint32_t kx = 0; kx < taps.columns; ++kx, x += taps.column_step) {
      value = Op::Apply(value, LoadHalves(x, count));
    }
  }
  return value;
}

struct Maximum {
  // value > best ? value : best, as in the reference.
  static inline __m256 Apply(__m256 best, __m256 x) { return _mm256_max_ps(x, best); }
};
struct Sum {
  static inline __m256 Apply(__m256 sum, __m256 x) { return _mm256_add_ps(sum, x); }
};

// The largest of kVectors * 8 channels from c on: the loops over the taps cost as much as 8 do.
template <uint32_t kVectors>
static inline void LargestOfVectors(const WindowPixels<uint16_t>& taps, uint32_t c, uint16_t* to) {
  __m256 best[kVectors];
  for (uint32_t v = 0; v < kVectors; ++v) best[v] = _mm256_set1_ps(-FloatInfinity());
  const uint16_t* row = taps.first + c;
  for (uint32_t ky = 0; ky < taps.rows; ++ky, row += taps.row_step) {
    const uint16_t* x = row;
    for (uint32_t kx = 0; kx < taps.columns; ++kx, x += taps.column_step) {
      for (uint32_t v = 0; v < kVectors; ++v) {
        best[v] = Maximum::Apply(best[v], LoadHalves(x + kWide * v, kWide));
      }
    }
  }
  for (uint32_t v = 0; v < kVectors; ++v) StoreHalves(to + kWide * v, best[v], kWide);
}

// The largest of four taps, all channels of `pixels` outputs side by side.
static void LargestOf2x2(const WindowPixels<uint16_t>& taps, size_t step, uint32_t channels,
                         uint32_t pixels, uint16_t* to) {
  const __m256 none = _mm256_set1_ps(-FloatInfinity());
  const uint16_t *upper = taps.first, *lower = upper + taps.row_step;
  for (uint32_t i = 0; i < pixels; ++i, upper += step, lower += step, to += channels) {
    for (uint32_t c = 0; c < channels; c += kWide) {
      const auto tap = [&](const uint16_t* row) { return LoadHalves(row + c, kWide); };
      __m256 best = Maximum::Apply(none, tap(upper));
      best = Maximum::Apply(best, tap(upper + taps.column_step));
      best = Maximum::Apply(best, tap(lower));
      best = Maximum::Apply(best, tap(lower + taps.column_step));
      StoreHalves(to + c, best, kWide);
    }
  }
}

template <bool kAverage>
static inline void RunPool(const PoolF16Args& args, Share share) {
  const ConvGeometry& g = args.g;
  const uint64_t pieces = (g.in_c + kWide - 1) / kWide;
  const Range work = RangeOf((uint64_t)g.out_h * g.out_w * pieces, share);
  uint64_t pixel = work.begin / pieces;
  PixelWalk<uint16_t> walk(g, args.input, pixel);
  for (uint64_t i = work.begin; i < work.end; ++pixel, walk.Next()) {
    const WindowPixels<uint16_t> taps = walk.Taps();
    if (!kAverage && g.in_c % kWide == 0 && i == pixel * pieces) {
      const uint64_t whole = (work.end - i) / pieces, inside = Inside2x2(walk);
      const uint32_t pixels = (uint32_t)(inside < whole ? inside : whole);
      if (pixels != 0) {
        LargestOf2x2(taps, (size_t)g.stride_w * g.in_c, g.in_c, pixels,
                     args.output + pixel * g.in_c);
        walk.x += pixels - 1;
        pixel += pixels - 1;
        i += pixels * pieces;
        continue;
      }
    }
    const uint32_t valid = taps.rows * taps.columns;
    const float n = (float)(args.count_include_pad != 0 ? g.kernel_h * g.kernel_w : valid);
    uint64_t end = (pixel + 1) * pieces;
    if (end > work.end) end = work.end;
    while (i < end) {
      const uint32_t c = (uint32_t)(i - pixel * pieces) * kWide, left = g.in_c - c;
      uint16_t* to = args.output + pixel * g.in_c + c;
      if (!kAverage && end - i >= 4 && left >= 4 * kWide) {
        LargestOfVectors<4>(taps, c, to);
        i += 4;
        continue;
      }
      if (!kAverage && end - i >= 2 && left >= 2 * kWide) {
        LargestOfVectors<2>(taps, c, to);
        i += 2;
        continue;
      }
      const uint32_t count = left < kWide ? left : kWide;
      const __m256 value =
          kAverage
              ? _mm256_div_ps(Fold<Sum>(taps, c, count, _mm256_setzero_ps()), _mm256_set1_ps(n))
              : Fold<Maximum>(taps, c, count, _mm256_set1_ps(-FloatInfinity()));
      StoreHalves(to, value, count);
      ++i;
    }
  }
}

}  // namespace

void max_pool_f16_avx2(const PoolF16Args& args, Share share) {
  RunPool<false>(args, share);
}
void average_pool_f16_avx2(const PoolF16Args& args, Share share) {
  RunPool<true>(args, share);
}

}  // namespace octet
