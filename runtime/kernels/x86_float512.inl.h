// Sixteen FP16 values as floats with AVX-512. Used by the f16_x86_avx512vnni.cc files; internal
// linkage only.
#ifndef OCTET_KERNELS_X86_FLOAT512_INL_H_
#define OCTET_KERNELS_X86_FLOAT512_INL_H_

#include "runtime/kernels/x86_immintrin.inl.h"

namespace octet {
namespace {

static inline __mmask16 MaskOfHalves(uint64_t count) {
  return (__mmask16)((1u << count) - 1);
}

// The first `count` halves, 16 at most, zeros behind them; nothing further is read.
static inline __m512 LoadHalves16(const uint16_t* from, uint64_t count) {
  if (count < 16) return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(MaskOfHalves(count), from));
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}

static inline void StoreHalves16(uint16_t* to, __m512 x, uint64_t count) {
  const __m256i halves = _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT);
  if (count < 16) return _mm256_mask_storeu_epi16(to, MaskOfHalves(count), halves);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), halves);
}

// 16 halves as a vector of floats, for loops that are templates of the vector's width.
struct HalfVector16 {
  typedef __m512 Floats;
  static constexpr uint32_t kWide = 16;
  static inline Floats Load(const uint16_t* from, uint64_t count) {
    return LoadHalves16(from, count);
  }
  static inline void Store(uint16_t* to, Floats x, uint64_t count) { StoreHalves16(to, x, count); }
  static inline Floats All(float x) { return _mm512_set1_ps(x); }
  static inline Floats Sum(Floats x, Floats y) { return _mm512_add_ps(x, y); }
  static inline Floats Product(Floats x, Floats y) { return _mm512_mul_ps(x, y); }
  static inline Floats Quotient(Floats x, Floats y) { return _mm512_div_ps(x, y); }
  static inline Floats Larger(Floats x, Floats y) { return _mm512_max_ps(x, y); }
};

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_X86_FLOAT512_INL_H_
