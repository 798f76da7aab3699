// FP16 inputs with AVX2: 8 elements at a time; three planes are interleaved in registers.
#include <string.h>

#include "runtime/kernels/input/f16_x86.inl.h"
#include "runtime/kernels/x86_immintrin.inl.h"

namespace octet {
namespace {

constexpr size_t kWide = 8;

static inline __m128i Eight(const float* values, __m256 factor) {
  return _mm256_cvtps_ph(_mm256_mul_ps(_mm256_loadu_ps(values), factor), _MM_FROUND_TO_NEAREST_INT);
}

static inline __m128i UpTo8(const float* values, size_t count, __m256 factor) {
  if (count >= kWide) return Eight(values, factor);
  float padded[kWide] = {};
  memcpy(padded, values, count * sizeof(float));
  return Eight(padded, factor);
}

// 8 halves of each of three planes -> 24.
static inline void Interleave3(__m128i a, __m128i b, __m128i c, uint16_t* to) {
  // Half k of the result is half k / 3 of plane k % 3; a set top bit makes a zero.
#define OCTET_HALF(k) 2 * (k), 2 * (k) + 1
#define OCTET_NONE -1, -1
  alignas(16) static constexpr int8_t kFrom[3][3][16] = {
      {{OCTET_HALF(0), OCTET_NONE, OCTET_NONE, OCTET_HALF(1), OCTET_NONE, OCTET_NONE, OCTET_HALF(2),
        OCTET_NONE},
       {OCTET_NONE, OCTET_HALF(0), OCTET_NONE, OCTET_NONE, OCTET_HALF(1), OCTET_NONE, OCTET_NONE,
        OCTET_HALF(2)},
       {OCTET_NONE, OCTET_NONE, OCTET_HALF(0), OCTET_NONE, OCTET_NONE, OCTET_HALF(1), OCTET_NONE,
        OCTET_NONE}},
      {{OCTET_NONE, OCTET_HALF(3), OCTET_NONE, OCTET_NONE, OCTET_HALF(4), OCTET_NONE, OCTET_NONE,
        OCTET_HALF(5)},
       {OCTET_NONE, OCTET_NONE, OCTET_HALF(3), OCTET_NONE, OCTET_NONE, OCTET_HALF(4), OCTET_NONE,
        OCTET_NONE},
       {OCTET_HALF(2), OCTET_NONE, OCTET_NONE, OCTET_HALF(3), OCTET_NONE, OCTET_NONE, OCTET_HALF(4),
        OCTET_NONE}},
      {{OCTET_NONE, OCTET_NONE, OCTET_HALF(6), OCTET_NONE, OCTET_NONE, OCTET_HALF(7), OCTET_NONE,
        OCTET_NONE},
       {OCTET_HALF(5), OCTET_NONE, OCTET_NONE, OCTET_HALF(6), OCTET_NONE, OCTET_NONE, OCTET_HALF(7),
        OCTET_NONE},
       {OCTET_NONE, OCTET_HALF(5), OCTET_NONE, OCTET_NONE, OCTET_HALF(6), OCTET_NONE, OCTET_NONE,
        OCTET_HALF(7)}}};
#undef OCTET_HALF
#undef OCTET_NONE
  for (int i = 0; i < 3; ++i) {
    const auto pick = [i](__m128i plane, int p) {
      return _mm_shuffle_epi8(plane, _mm_load_si128(reinterpret_cast<const __m128i*>(kFrom[i][p])));
    };
    const __m128i halves = _mm_or_si128(_mm_or_si128(pick(a, 0), pick(b, 1)), pick(c, 2));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + kWide * (size_t)i), halves);
  }
}

struct Rows256 {
  static inline __m256 Factor(float factor) { return _mm256_set1_ps(factor); }
  static void NarrowRun(__m256 factor, const float* values, size_t count, uint16_t* halves) {
    for (size_t i = 0; i < count; i += kWide) {
      const __m128i eight = UpTo8(values + i, count - i, factor);
      if (count - i >= kWide) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(halves + i), eight);
      } else {
        memcpy(halves + i, &eight, (count - i) * sizeof(uint16_t));
      }
    }
  }
  static void NarrowPlanes3(__m256 factor, const float* values, size_t plane, size_t count,
                            uint16_t* halves) {
    for (size_t x = 0; x < count; x += kWide) {
      const size_t left = count - x;
      uint16_t rest[3 * kWide];
      uint16_t* to = left < kWide ? rest : halves + 3 * x;
      Interleave3(UpTo8(values + x, left, factor), UpTo8(values + plane + x, left, factor),
                  UpTo8(values + 2 * plane + x, left, factor), to);
      if (left < kWide) memcpy(halves + 3 * x, rest, 3 * left * sizeof(uint16_t));
    }
  }
};

}  // namespace

void input_f16_avx2(const InputF16Args& args, Share share) {
  if (!NarrowRows<Rows256>(args, share)) input_f16_reference(args, share);
}

}  // namespace octet
