// Sixteen rows of eight 16-bit values turned in registers: vector c holds column c of all rows. A
// vector's lower lane has rows 0 to 7, so that its upper half comes from memory and goes there
// without a shuffle. Internal linkage only.
#ifndef OCTET_KERNELS_X86_TURN_HALVES_INL_H_
#define OCTET_KERNELS_X86_TURN_HALVES_INL_H_

#include "runtime/kernels/x86_immintrin.inl.h"

namespace octet {
namespace {

// 8x8 in each 128-bit lane: rows to columns and back.
static inline void TurnHalvesInLanes(const __m256i* rows, __m256i* columns) {
  __m256i twos[8], fours[8];
#pragma GCC unroll 4
  for (int r = 0; r < 8; r += 2) {
    twos[r] = _mm256_unpacklo_epi16(rows[r], rows[r + 1]);      // columns 0 to 3
    twos[r + 1] = _mm256_unpackhi_epi16(rows[r], rows[r + 1]);  // 4 to 7
  }
#pragma GCC unroll 2
  for (int r = 0; r < 8; r += 4) {
    fours[r] = _mm256_unpacklo_epi32(twos[r], twos[r + 2]);
    fours[r + 1] = _mm256_unpackhi_epi32(twos[r], twos[r + 2]);
    fours[r + 2] = _mm256_unpacklo_epi32(twos[r + 1], twos[r + 3]);
    fours[r + 3] = _mm256_unpackhi_epi32(twos[r + 1], twos[r + 3]);
  }
#pragma GCC unroll 4
  for (int c = 0; c < 4; ++c) {
    columns[2 * c] = _mm256_unpacklo_epi64(fours[c], fours[c + 4]);
    columns[2 * c + 1] = _mm256_unpackhi_epi64(fours[c], fours[c + 4]);
  }
}

// Rows are `step` values apart.
static inline void LoadTurned16x8(const uint16_t* from, size_t step, __m256i* columns) {
  __m256i rows[8];
#pragma GCC unroll 8
  for (size_t r = 0; r < 8; ++r) {
    const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + r * step));
    const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + (r + 8) * step));
    rows[r] = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
  }
  TurnHalvesInLanes(rows, columns);
}

static inline void StoreTurned16x8(const __m256i* columns, uint16_t* to, size_t step) {
  __m256i rows[8];
  TurnHalvesInLanes(columns, rows);
#pragma GCC unroll 8
  for (size_t r = 0; r < 8; ++r) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + r * step), _mm256_castsi256_si128(rows[r]));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + (r + 8) * step),
                     _mm256_extracti128_si256(rows[r], 1));
  }
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_X86_TURN_HALVES_INL_H_
