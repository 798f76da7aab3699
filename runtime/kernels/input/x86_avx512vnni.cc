// Float inputs with AVX-512.
#include "runtime/core/half.h"
#include "runtime/kernels/input/x86_rows.inl.h"

namespace octet {
namespace {

// The quotient x / scale, correctly rounded, from the rounded reciprocal y: q = RN(x y), then
// RN(q + (x - q scale) y), whose remainder is exact (Markstein, IBM Journal of Research and
// Development 34(1), 1990). The theorem excludes scales whose significand is all ones. The bounds
// of the scale keep products of codes from 2^-12 to 512 with it normal, and their remainders too;
// smaller quotients are no ties, whatever their last bits.
static inline bool TakesReciprocal(float scale) {
  constexpr uint32_t kSignificand = 0x7FFFFF;
  return scale >= 0x1p-60f && scale <= 0x1p60f && (FloatBits(scale) & kSignificand) != kSignificand;
}

struct Rule {
  __m512 scale, reciprocal, largest;  // largest: 512 scale
  __m512i zero_point;
  __m256i sign;

  // Codes beyond 512 saturate as 512 does. NaN passes the bounds and is cleared at the end.
  __m128i Sixteen(const float* values) const {
    const __m512 from = _mm512_loadu_ps(values);
    const __m512 low = _mm512_sub_ps(_mm512_setzero_ps(), largest);
    const __m512 x = _mm512_max_ps(low, _mm512_min_ps(largest, from));
    const __m512 about = _mm512_mul_ps(x, reciprocal);
    const __m512 rest = _mm512_fnmadd_ps(about, scale, x);
    const __m512 quotient = _mm512_fmadd_ps(rest, reciprocal, about);
    const __m512i floor = _mm512_cvt_roundps_epi32(_mm512_add_ps(quotient, _mm512_set1_ps(0.5f)),
                                                   _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    const __mmask16 numbers = _mm512_cmp_ps_mask(from, from, _CMP_ORD_Q);
    return _mm512_cvtsepi32_epi8(
        _mm512_add_epi32(_mm512_maskz_mov_epi32(numbers, floor), zero_point));
  }

  __m256i ThirtyTwo(const float* values) const {
    return _mm256_xor_si256(_mm256_set_m128i(Sixteen(values + 16), Sixteen(values)), sign);
  }
};

}  // namespace

void input_f32_avx512vnni(const InputF32Args& args, Share share) {
  if (!TakesReciprocal(args.scale)) return input_f32_avx2(args, share);
  const Rule rule = {_mm512_set1_ps(args.scale), _mm512_set1_ps(1.0f / args.scale),
                     _mm512_set1_ps(512.0f * args.scale), _mm512_set1_epi32(args.zero_point),
                     _mm256_set1_epi8((char)args.sign)};
  if (!QuantizeRows(args, rule, share)) input_f32_reference(args, share);
}

}  // namespace octet
