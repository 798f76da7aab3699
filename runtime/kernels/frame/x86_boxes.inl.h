// Boxes of whole pixels with AVX2: pictures that are halved or quartered. Included by x86_avx2.cc
// only; internal linkage.
#ifndef OCTET_KERNELS_FRAME_X86_BOXES_INL_H_
#define OCTET_KERNELS_FRAME_X86_BOXES_INL_H_

#include "runtime/kernels/frame/geometry.inl.h"
#include "runtime/kernels/x86_immintrin.inl.h"

namespace octet {
namespace {

static inline __m256i Load32(const uint8_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
static inline __m128i Load16(const uint8_t* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}
static inline void Store16(uint8_t* to, __m128i x) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), x);
}

// The sum of a box, in 32 bits, of 8 outputs.
static inline __m256i Boxes4(const uint8_t* from, size_t row_bytes) {
  const __m256i ones = _mm256_set1_epi8(1);
  __m256i pairs = _mm256_maddubs_epi16(Load32(from), ones);
  pairs = _mm256_add_epi16(pairs, _mm256_maddubs_epi16(Load32(from + row_bytes), ones));
  pairs = _mm256_add_epi16(pairs, _mm256_maddubs_epi16(Load32(from + 2 * row_bytes), ones));
  pairs = _mm256_add_epi16(pairs, _mm256_maddubs_epi16(Load32(from + 3 * row_bytes), ones));
  return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

// (sum + 8) >> 4.
static inline void BoxRow4(const uint8_t* from, size_t row_bytes, uint32_t count, uint8_t* out) {
  const __m256i half = _mm256_set1_epi16(8);
  uint32_t i = 0;
  for (; i + 32 <= count; i += 32, from += 128) {
    const __m256i low = _mm256_packs_epi32(Boxes4(from, row_bytes), Boxes4(from + 32, row_bytes));
    const __m256i high =
        _mm256_packs_epi32(Boxes4(from + 64, row_bytes), Boxes4(from + 96, row_bytes));
    const __m256i bytes = _mm256_packus_epi16(_mm256_srli_epi16(_mm256_add_epi16(low, half), 4),
                                              _mm256_srli_epi16(_mm256_add_epi16(high, half), 4));
    // 4 outputs a lane of each of the four: in order they are lanes 0 4 1 5 2 6 3 7.
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i),
                        _mm256_permutevar8x32_epi32(bytes, order));
  }
  for (; i < count; ++i, from += 4) {
    uint32_t sum = 8;
    for (uint32_t r = 0; r < 4; ++r) {
      const uint8_t* row = from + r * row_bytes;
      sum += (uint32_t)row[0] + row[1] + row[2] + row[3];
    }
    out[i] = (uint8_t)(sum >> 4);
  }
}

// (sum + 2) >> 2.
static inline void BoxRow2(const uint8_t* from, size_t row_bytes, uint32_t count, uint8_t* out) {
  const __m256i ones = _mm256_set1_epi8(1), half = _mm256_set1_epi16(2);
  uint32_t i = 0;
  for (; i + 32 <= count; i += 32, from += 64) {
    __m256i sums[2];
    for (uint32_t k = 0; k < 2; ++k) {
      const uint8_t* row = from + 32 * k;
      sums[k] = _mm256_add_epi16(_mm256_maddubs_epi16(Load32(row), ones),
                                 _mm256_maddubs_epi16(Load32(row + row_bytes), ones));
      sums[k] = _mm256_srli_epi16(_mm256_add_epi16(sums[k], half), 2);
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i),
                        _mm256_permute4x64_epi64(_mm256_packus_epi16(sums[0], sums[1]), 0xD8));
  }
  for (; i < count; ++i, from += 2) {
    const uint8_t* row = from + row_bytes;
    out[i] = (uint8_t)(((uint32_t)from[0] + from[1] + row[0] + row[1] + 2) >> 2);
  }
}

// The same of pairs: U0 V0 U1 V1 ...
static inline void BoxPairRow2(const uint8_t* from, size_t row_bytes, uint32_t count,
                               uint8_t* first, uint8_t* second) {
  const __m256i ones = _mm256_set1_epi8(1), half = _mm256_set1_epi16(2);
  const __m256i split = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15));
  uint32_t i = 0;
  for (; i + 16 <= count; i += 16, from += 64) {
    __m256i sums[2];  // of each lane: 4 of the first, 4 of the second
    for (uint32_t k = 0; k < 2; ++k) {
      const uint8_t* row = from + 32 * k;
      const __m256i a = _mm256_shuffle_epi8(Load32(row), split);
      const __m256i b = _mm256_shuffle_epi8(Load32(row + row_bytes), split);
      sums[k] = _mm256_add_epi16(_mm256_maddubs_epi16(a, ones), _mm256_maddubs_epi16(b, ones));
      sums[k] = _mm256_srli_epi16(_mm256_add_epi16(sums[k], half), 2);
    }
    const __m256i order = _mm256_setr_epi32(0, 4, 2, 6, 1, 5, 3, 7);
    const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packus_epi16(sums[0], sums[1]), order);
    Store16(first + i, _mm256_castsi256_si128(bytes));
    Store16(second + i, _mm256_extracti128_si256(bytes, 1));
  }
  for (; i < count; ++i, from += 4) {
    const uint8_t* row = from + row_bytes;
    first[i] = (uint8_t)(((uint32_t)from[0] + from[2] + row[0] + row[2] + 2) >> 2);
    second[i] = (uint8_t)(((uint32_t)from[1] + from[3] + row[1] + row[3] + 2) >> 2);
  }
}

// The shuffles that take components apart cost as much on sums as on pixels: none.
constexpr bool kHasBoxRow = false;
static inline void BoxRow(uint32_t, uint32_t, uint32_t, const BoxRows&, const Rounding&, uint32_t,
                          uint8_t (*)[kStrip + kSlack]) {}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_FRAME_X86_BOXES_INL_H_
