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

template <bool kAverage>
static inline void RunPool(const PoolF16Args& args, Share share) {
  const ConvGeometry& g = args.g;
  const uint64_t pieces = (g.in_c + kWide - 1) / kWide;
  const Range work = RangeOf((uint64_t)g.out_h * g.out_w * pieces, share);
  for (uint64_t i = work.begin; i < work.end;) {
    const uint64_t pixel = i / pieces;
    const WindowPixels<uint16_t> taps = PixelsUnder(g, args.input, pixel);
    const uint32_t valid = taps.rows * taps.columns;
    const float n = (float)(args.count_include_pad != 0 ? g.kernel_h * g.kernel_w : valid);
    for (uint64_t end = (pixel + 1) * pieces; i < end && i < work.end; ++i) {
      const uint32_t c = (uint32_t)(i - pixel * pieces) * kWide;
      const uint32_t count = g.in_c - c < kWide ? g.in_c - c : kWide;
      const __m256 value =
          kAverage
              ? _mm256_div_ps(Fold<Sum>(taps, c, count, _mm256_setzero_ps()), _mm256_set1_ps(n))
              : Fold<Maximum>(taps, c, count, _mm256_set1_ps(-FloatInfinity()));
      StoreHalves(args.output + pixel * g.in_c + c, value, count);
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
