// Eight FP16 values as floats (F16C), and blob::Function on them. Used by the f16_x86_*.cc files;
// internal linkage only.
#include <string.h>

#include "runtime/kernels/function.h"
#include "runtime/kernels/x86_immintrin.inl.h"

namespace octet {
namespace {

// The first `count` (1..8) halves, zeros behind them; nothing further is read.
static inline __m256 LoadHalves(const uint16_t* from, uint64_t count) {
  if (count >= 8) return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  alignas(16) uint16_t halves[8] = {};
  for (uint64_t i = 0; i < count; ++i) halves[i] = from[i];
  return _mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(halves)));
}

static inline void StoreHalves(uint16_t* to, __m256 x, uint64_t count) {
  const __m128i halves = _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT);
  if (count >= 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), halves);
    return;
  }
  alignas(16) uint16_t values[8];
  _mm_store_si128(reinterpret_cast<__m128i*>(values), halves);
  for (uint64_t i = 0; i < count; ++i) to[i] = values[i];
}

// 8 halves as a vector of floats, for loops that are templates of the vector's width.
struct HalfVector8 {
  typedef __m256 Floats;
  static constexpr uint32_t kWide = 8;
  static inline Floats Load(const uint16_t* from, uint64_t count) {
    return LoadHalves(from, count);
  }
  static inline void Store(uint16_t* to, Floats x, uint64_t count) { StoreHalves(to, x, count); }
  static inline Floats All(float x) { return _mm256_set1_ps(x); }
  static inline Floats Sum(Floats x, Floats y) { return _mm256_add_ps(x, y); }
  static inline Floats Product(Floats x, Floats y) { return _mm256_mul_ps(x, y); }
  static inline Floats Quotient(Floats x, Floats y) { return _mm256_div_ps(x, y); }
  static inline Floats Larger(Floats x, Floats y) { return _mm256_max_ps(x, y); }
};

// Rows of halves to floats and back. Floats are read and written in whole vectors of 8 where that
// is cheaper: a row of them has room for the last one.
struct HalfRows {
  static inline void Widen(const uint16_t* from, uint32_t count, float* to) {
    uint32_t i = 0;
    for (; i + 8 <= count; i += 8) _mm256_storeu_ps(to + i, LoadHalves(from + i, 8));
    if (i == count) return;
    if (count >= 8) {  // the last eight once more
      _mm256_storeu_ps(to + count - 8, LoadHalves(from + count - 8, 8));
      return;
    }
    for (; i < count; ++i) to[i] = _cvtsh_ss(from[i]);
  }
  static inline void Narrow(const float* from, uint32_t count, uint16_t* to) {
    for (uint32_t i = 0; i < count; i += 8) {
      StoreHalves(to + i, _mm256_loadu_ps(from + i), count - i);
    }
  }
};

// VMAXPS and VMINPS return their second operand where one is NaN: NaN stays, as in FloatClamp().
static inline __m256 Clamp8(__m256 x, __m256 lo, __m256 hi) {
  return _mm256_min_ps(hi, _mm256_max_ps(lo, x));
}

// The functions that Apply8() has in line. Others are better applied to many values at a time.
static inline bool IsInLine(blob::Function function) {
  return function == blob::Function::kIdentity || function == blob::Function::kClamp ||
         function == blob::Function::kLeakyRelu || function == blob::Function::kHardSigmoid ||
         function == blob::Function::kHardSwish;
}

static inline __m256 Apply8(blob::Function function, __m256 x, float alpha, float beta) {
  const __m256 a = _mm256_set1_ps(alpha), b = _mm256_set1_ps(beta);
  const __m256 zero = _mm256_setzero_ps(), one = _mm256_set1_ps(1.0f);
  switch (function) {
    case blob::Function::kIdentity:
      return x;
    case blob::Function::kClamp:
      return Clamp8(x, a, b);
    case blob::Function::kLeakyRelu:
      return _mm256_blendv_ps(x, _mm256_mul_ps(a, x), _mm256_cmp_ps(x, zero, _CMP_LT_OQ));
    case blob::Function::kHardSigmoid:
      return Clamp8(_mm256_add_ps(_mm256_mul_ps(a, x), b), zero, one);
    case blob::Function::kHardSwish: {
      const __m256 gate =
          Clamp8(_mm256_add_ps(_mm256_mul_ps(x, _mm256_set1_ps(1.0f / 6.0f)), _mm256_set1_ps(0.5f)),
                 zero, one);
      // A closed gate gives 0 even for an infinite x.
      return _mm256_andnot_ps(_mm256_cmp_ps(gate, zero, _CMP_EQ_OQ), _mm256_mul_ps(x, gate));
    }
    default: {
      alignas(32) float values[8];
      _mm256_store_ps(values, x);
      apply_function_avx2(function, alpha, beta, values, 8);
      return _mm256_load_ps(values);
    }
  }
}

}  // namespace
}  // namespace octet
