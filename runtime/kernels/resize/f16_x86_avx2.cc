// Linear Resize of FP16 with AVX2 and F16C.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/resize/linear.inl.h"
#include "runtime/kernels/x86_float.inl.h"

namespace octet {
namespace {

struct Level : HalfRows {
  static inline void Pixel(const Corners<uint16_t>& s, const FloatWeights& weights,
                           uint32_t channels, uint16_t* to) {
    const __m256 low = _mm256_set1_ps(weights.low), high = _mm256_set1_ps(weights.high);
    const __m256 row_low = _mm256_set1_ps(weights.row_low);
    const __m256 row_high = _mm256_set1_ps(weights.row_high);
    const auto weigh = [](__m256 a, __m256 a_weight, __m256 b, __m256 b_weight) {
      return _mm256_add_ps(_mm256_mul_ps(a, a_weight), _mm256_mul_ps(b, b_weight));
    };
    const auto eight = [&](uint32_t c, uint32_t count) {
      const __m256 top =
          weigh(LoadHalves(s.top_low + c, count), low, LoadHalves(s.top_high + c, count), high);
      const __m256 bottom = weigh(LoadHalves(s.bottom_low + c, count), low,
                                  LoadHalves(s.bottom_high + c, count), high);
      StoreHalves(to + c, weigh(top, row_low, bottom, row_high), count);
    };
    if (channels < 8) return eight(0, channels);
    uint32_t c = 0;
    for (; c + 8 <= channels; c += 8) eight(c, 8);
    if (c < channels) eight(channels - 8, 8);  // some a second time
  }
};

}  // namespace

void resize_linear_f16_avx2(const ResizeLinearF16Args& args, Share share) {
  RunResizeLinearF16<Level>(args, share);
}

}  // namespace octet
