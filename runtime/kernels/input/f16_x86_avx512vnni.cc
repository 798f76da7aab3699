// FP16 inputs with AVX-512: 16 elements at a time; three planes are interleaved in registers.
#include "runtime/kernels/input/f16_x86.inl.h"
#include "runtime/kernels/x86_immintrin.inl.h"

namespace octet {
namespace {

constexpr size_t kWide = 16;

static inline __mmask32 MaskOf(size_t count) {
  return count >= 32 ? ~0u : (1u << count) - 1;
}

static inline __m256i UpTo16(const float* values, size_t count, __m512 factor) {
  const __m512 x = _mm512_maskz_loadu_ps((__mmask16)MaskOf(count), values);
  return _mm512_cvtps_ph(_mm512_mul_ps(x, factor), _MM_FROUND_TO_NEAREST_INT);
}

struct Rows512 {
  static inline __m512 Factor(float factor) { return _mm512_set1_ps(factor); }

  static void NarrowRun(__m512 factor, const float* values, size_t count, uint16_t* halves) {
    for (size_t i = 0; i < count; i += kWide) {
      _mm256_mask_storeu_epi16(halves + i, (__mmask16)MaskOf(count - i),
                               UpTo16(values + i, count - i, factor));
    }
  }

  static void NarrowPlanes3(__m512 factor, const float* values, size_t plane, size_t count,
                            uint16_t* halves) {
    // Half k of the result is half k / 3 of plane k % 3; the third plane is the second operand.
    alignas(64) static constexpr uint16_t kFrom[3 * kWide] = {
        0,  16, 32, 1,  17, 33, 2,  18, 34, 3,  19, 35, 4,  20, 36, 5,
        21, 37, 6,  22, 38, 7,  23, 39, 8,  24, 40, 9,  25, 41, 10, 26,
        42, 11, 27, 43, 12, 28, 44, 13, 29, 45, 14, 30, 46, 15, 31, 47};
    const __m512i first = _mm512_load_si512(kFrom);
    const __m512i second = _mm512_castsi256_si512(
        _mm256_load_si256(reinterpret_cast<const __m256i*>(kFrom + 2 * kWide)));
    for (size_t x = 0; x < count; x += kWide, values += kWide, halves += 3 * kWide) {
      const size_t left = count - x < kWide ? count - x : kWide, all = 3 * left;
      const __m512i a = _mm512_castsi256_si512(UpTo16(values, left, factor));
      const __m512i ab = _mm512_inserti64x4(a, UpTo16(values + plane, left, factor), 1);
      const __m512i c = _mm512_castsi256_si512(UpTo16(values + 2 * plane, left, factor));
      _mm512_mask_storeu_epi16(halves, MaskOf(all), _mm512_permutex2var_epi16(ab, first, c));
      if (all <= 2 * kWide) return;
      _mm256_mask_storeu_epi16(halves + 2 * kWide, (__mmask16)MaskOf(all - 2 * kWide),
                               _mm512_castsi512_si256(_mm512_permutex2var_epi16(ab, second, c)));
    }
  }
};

}  // namespace

void input_f16_avx512vnni(const InputF16Args& args, Share share) {
  if (!NarrowRows<Rows512>(args, share)) input_f16_reference(args, share);
}

}  // namespace octet
