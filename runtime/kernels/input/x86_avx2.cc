// Float inputs with AVX2.
#include "runtime/kernels/input/x86_rows.inl.h"

namespace octet {
namespace {

struct Rule {
  __m256 scale;
  __m256i zero_point, sign;

  // Eight codes before the zero point. Comparisons put NaN on the way of 512, the last mask clears
  // it.
  __m256i Eight(const float* values) const {
    const __m256 x =
        _mm256_add_ps(_mm256_div_ps(_mm256_loadu_ps(values), scale), _mm256_set1_ps(0.5f));
    const __m256 bounded =
        _mm256_max_ps(_mm256_min_ps(x, _mm256_set1_ps(512.0f)), _mm256_set1_ps(-512.0f));
    const __m256i floor = _mm256_cvttps_epi32(_mm256_floor_ps(bounded));
    return _mm256_and_si256(floor, _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_ORD_Q)));
  }

  // |codes| <= 512 and the zero point fit 16 bits; the last pack clamps.
  __m256i ThirtyTwo(const float* values) const {
    const __m256i low = _mm256_packs_epi32(Eight(values), Eight(values + 8));
    const __m256i high = _mm256_packs_epi32(Eight(values + 16), Eight(values + 24));
    const __m256i bytes =
        _mm256_packs_epi16(_mm256_add_epi16(low, zero_point), _mm256_add_epi16(high, zero_point));
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return _mm256_xor_si256(_mm256_permutevar8x32_epi32(bytes, order), sign);
  }
};

}  // namespace

void input_f32_avx2(const InputF32Args& args, Share share) {
  const Rule rule = {_mm256_set1_ps(args.scale), _mm256_set1_epi16((short)args.zero_point),
                     _mm256_set1_epi8((char)args.sign)};
  if (!QuantizeRows(args, rule, share)) input_f32_reference(args, share);
}

}  // namespace octet
