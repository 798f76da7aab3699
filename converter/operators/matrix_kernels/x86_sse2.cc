// Every x86-64 processor has these: for those without AVX2 and FMA.
#include <emmintrin.h>

#include "converter/operators/matrix_kernels/fused.h"
#include "converter/operators/matrix_kernels/panel.inl.h"

namespace octet::operators {
namespace {

// Two sums of doubles whose rounding to float may differ from that of the exact sums. The sum of an
// exact product and a float is rounded to 53 bits and then to 24. The second rounding goes wrong
// only where the first one's result lies half way between two floats: its low 29 bits are then
// 2^28. Floats below 2^-126 have fewer bits and other half ways. Lanes: the low and the high half
// of each double; a lane is chosen where 0 <= value - lowest < range. A product of floats is at
// least 2^-298, so the high half of a sum that is not zero is not zero either.
inline __m128i InDoubt(__m128d total) {
  const __m128i parts = _mm_set_epi32(0x7fffffff, 0x1fffffff, 0x7fffffff, 0x1fffffff);
  const __m128i lowest = _mm_set_epi32(1, 1 << 28, 1, 1 << 28);
  const __m128i range = _mm_set_epi32(0x38100000 - 1, 1, 0x38100000 - 1, 1);  // 2^-126 in double
  const __m128i value = _mm_sub_epi32(_mm_and_si128(_mm_castpd_si128(total), parts), lowest);
  return _mm_andnot_si128(_mm_srai_epi32(value, 31), _mm_cmplt_epi32(value, range));
}

struct Floats {
  using Number = float;
  static constexpr int kLanes = 4;
  __m128 v;
  static Floats Load(const float* p) { return {_mm_loadu_ps(p)}; }
  static Floats All(float x) { return {_mm_set1_ps(x)}; }
  static Floats Step(Floats a, Floats b, Floats sum) {
    const auto total = [](__m128 x, __m128 y, __m128 z) {
      return _mm_add_pd(_mm_mul_pd(_mm_cvtps_pd(x), _mm_cvtps_pd(y)), _mm_cvtps_pd(z));
    };
    const auto upper = [](__m128 x) { return _mm_movehl_ps(x, x); };
    const __m128d low = total(a.v, b.v, sum.v);
    const __m128d high = total(upper(a.v), upper(b.v), upper(sum.v));
    const __m128i doubt = _mm_or_si128(InDoubt(low), InDoubt(high));
    if (__builtin_expect(_mm_movemask_epi8(doubt) != 0, 0)) return Exact(a, b, sum);
    return {_mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high))};
  }
  static Floats Times(Floats a, Floats b) { return {_mm_mul_ps(a.v, b.v)}; }
  static Floats Plus(Floats a, Floats b) { return {_mm_add_ps(a.v, b.v)}; }
  void Store(float* p) const { _mm_storeu_ps(p, v); }

 private:
  __attribute__((noinline, cold)) static Floats Exact(Floats a, Floats b, Floats sum) {
    float x[kLanes], y[kLanes], z[kLanes];
    a.Store(x);
    b.Store(y);
    sum.Store(z);
    for (int i = 0; i < kLanes; ++i) z[i] = Fused(x[i], y[i], z[i]);
    return Load(z);
  }
};

struct Doubles {
  using Number = double;
  static constexpr int kLanes = 2;
  __m128d v;
  static Doubles Load(const double* p) { return {_mm_loadu_pd(p)}; }
  static Doubles All(double x) { return {_mm_set1_pd(x)}; }
  static Doubles Step(Doubles a, Doubles b, Doubles sum) { return Plus(sum, Times(a, b)); }
  static Doubles Times(Doubles a, Doubles b) { return {_mm_mul_pd(a.v, b.v)}; }
  static Doubles Plus(Doubles a, Doubles b) { return {_mm_add_pd(a.v, b.v)}; }
  void Store(double* p) const { _mm_storeu_pd(p, v); }
};

bool IsHere() {
  return true;
}

}  // namespace

const MatrixLevel kMatrixSse2 = {"sse2", IsHere, KernelsOf<Floats, 2, 2>(),
                                 KernelsOf<Doubles, 4, 2>()};

}  // namespace octet::operators
