// GridSample of FP16 with AVX2 and F16C: eight channels of a pixel at a time.
#include "runtime/kernels/grid_sample/grid_sample.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/x86_float.inl.h"

namespace octet {
namespace {

struct Level : HalfRows {
  static inline void Sum(const GridTap* taps, uint32_t count, uint32_t channels, uint16_t* to) {
    const auto eight = [&](uint32_t c, uint32_t width) {
      __m256 acc = _mm256_setzero_ps();
      for (uint32_t k = 0; k < count; ++k) {
        const __m256 x = LoadHalves(taps[k].pixel + c, width);
        acc = _mm256_add_ps(acc, _mm256_mul_ps(x, _mm256_set1_ps(taps[k].weight)));
      }
      const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7FC00000));
      StoreHalves(to + c, _mm256_blendv_ps(acc, nan, _mm256_cmp_ps(acc, acc, _CMP_UNORD_Q)), width);
    };
    if (channels < 8) return eight(0, channels);
    uint32_t c = 0;
    for (; c + 8 <= channels; c += 8) eight(c, 8);
    if (c < channels) eight(channels - 8, 8);  // some a second time
  }
};

}  // namespace

void grid_sample_f16_avx2(const GridSampleF16Args& args, Share share) {
  RunGridSampleF16<Level>(args, share);
}

}  // namespace octet
