// int8 <-> FP16 with AVX2 and F16C, eight elements at a time.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/x86_float.inl.h"

namespace octet {

void convert_f16_avx2(const ConvertArgs& args, Share share) {
  const Range range = RangeOf(args.count, share);
  const uint8_t* from = static_cast<const uint8_t*>(args.input);
  uint16_t* to = static_cast<uint16_t*>(args.output);
  const __m128i sign = _mm_set1_epi8((char)args.sign);
  const __m256i zero_point = _mm256_set1_epi32(args.zero_point);
  const __m256 scale = _mm256_set1_ps(args.factor);
  uint64_t i = range.begin;
  for (; i + 8 <= range.end; i += 8) {
    const __m128i q =
        _mm_xor_si128(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from + i)), sign);
    const __m256i steps = _mm256_sub_epi32(_mm256_cvtepi8_epi32(q), zero_point);
    const __m256 x = _mm256_mul_ps(scale, _mm256_cvtepi32_ps(steps));
    StoreHalves(to + i, x, 8);
  }
  for (; i < range.end; ++i) to[i] = DequantizedHalf(args, from[i]);
}

void convert_s8_avx2(const ConvertArgs& args, Share share) {
  const Range range = RangeOf(args.count, share);
  const uint16_t* from = static_cast<const uint16_t*>(args.input);
  uint8_t* to = static_cast<uint8_t*>(args.output);
  const __m256 factor = _mm256_set1_ps(args.factor), half = _mm256_set1_ps(0.5f);
  const __m256 most = _mm256_set1_ps(kSaturated), least = _mm256_set1_ps(-kSaturated);
  const __m256i zero_point = _mm256_set1_epi32(args.zero_point);
  const __m128i sign = _mm_set1_epi8((char)args.sign);
  uint64_t i = range.begin;
  for (; i + 8 <= range.end; i += 8) {
    const __m256 scaled = _mm256_mul_ps(LoadHalves(from + i, 8), factor);
    // NaN becomes 0.
    const __m256 number = _mm256_and_ps(scaled, _mm256_cmp_ps(scaled, scaled, _CMP_ORD_Q));
    const __m256 bounded = _mm256_min_ps(_mm256_max_ps(number, least), most);
    const __m256i near = _mm256_cvttps_epi32(_mm256_floor_ps(_mm256_add_ps(bounded, half)));
    const __m256i q = _mm256_add_epi32(near, zero_point);  // within 2^11: packing saturates it
    const __m128i words =
        _mm_packs_epi32(_mm256_castsi256_si128(q), _mm256_extracti128_si256(q, 1));
    const __m128i bytes = _mm_xor_si128(_mm_packs_epi16(words, words), sign);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to + i), bytes);
  }
  for (; i < range.end; ++i) to[i] = QuantizedByte(args, _cvtsh_ss(from[i]));
}

}  // namespace octet
