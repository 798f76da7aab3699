// quant/requantize.h for 8 lanes (AVX2) and, where the file is compiled for it, 16 lanes (AVX-512):
// the same integers. Included by x86_*.cc files inside no namespace; internal linkage only.
#ifndef OCTET_KERNELS_X86_REQUANTIZE_INL_H_
#define OCTET_KERNELS_X86_REQUANTIZE_INL_H_

#include <string.h>
#include "runtime/kernels/x86_immintrin.inl.h"

#include "runtime/format/blob.h"
#include "runtime/quant/requantize.h"

namespace octet {
namespace {

// What the doubling below cannot hold saturates any int8 clamp all the same.
constexpr int32_t kLargestDoubled = (1 << 30) - 1;

// high = floor(acc * m / 2^32), the upper half of a product, and then a rounding shift by s - 1 is
// the rule where s >= 2. A shift of 1 (a factor in [1/4, 1/2), rare) asks for one bit more: where
// any lane has one, `doubled` is set, sums are doubled first and all shifts are s. Lanes of factor
// 0, whatever their shift, do not count.
struct Channels8 {
  __m256i multiplier, multiplier_odd, rounding, shift;
  bool doubled;
};

static inline Channels8 MakeChannels8(__m256i multiplier, __m256i shift) {
  Channels8 c;
  const __m256i one = _mm256_set1_epi32(1);
  const __m256i two = _mm256_set1_epi32(2);
  const __m256i zero_factor = _mm256_cmpeq_epi32(multiplier, _mm256_setzero_si256());
  c.multiplier = multiplier;
  c.multiplier_odd = _mm256_srli_epi64(multiplier, 32);
  shift = _mm256_blendv_epi8(shift, two, zero_factor);
  c.doubled = _mm256_movemask_epi8(_mm256_cmpeq_epi32(shift, one)) != 0;
  c.shift = c.doubled ? shift : _mm256_sub_epi32(shift, one);
  c.rounding = _mm256_sllv_epi32(one, _mm256_sub_epi32(c.shift, one));
  return c;
}

static inline Channels8 LoadChannels8(const int32_t* multiplier, const int32_t* shift) {
  return MakeChannels8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(multiplier)),
                       _mm256_loadu_si256(reinterpret_cast<const __m256i*>(shift)));
}

static inline __m256i Double8(__m256i acc) {
  const __m256i bounded = _mm256_min_epi32(acc, _mm256_set1_epi32(kLargestDoubled));
  return _mm256_add_epi32(bounded, bounded);
}

// For sums that went through Double8() where c.doubled asks for it. VPMULDQ multiplies the even
// lanes.
static inline __m256i RequantizeDoubled8(__m256i acc, const Channels8& c) {
  const __m256i even = _mm256_mul_epi32(acc, c.multiplier);
  const __m256i odd = _mm256_mul_epi32(_mm256_shuffle_epi32(acc, 0xF5), c.multiplier_odd);
  const __m256i high = _mm256_blend_epi32(_mm256_shuffle_epi32(even, 0xF5), odd, 0xAA);
  return _mm256_srav_epi32(_mm256_add_epi32(high, c.rounding), c.shift);
}

static inline __m256i Requantize8(__m256i acc, const Channels8& c) {
  return RequantizeDoubled8(c.doubled ? Double8(acc) : acc, c);
}

static inline __m256i PreShift8(__m256i acc, int32_t pre_shift) {
  const __m256i bound = _mm256_set1_epi32((kAccumulatorLimit - 1) >> pre_shift);
  const __m256i low = _mm256_sub_epi32(_mm256_setzero_si256(), bound);
  const __m256i clamped = _mm256_min_epi32(_mm256_max_epi32(acc, low), bound);
  return _mm256_sll_epi32(clamped, _mm_cvtsi32_si128(pre_shift));
}

// Zero point and clamp for lanes packed to 16 bits and then, with unsigned saturation, to arena
// bytes q + 128. A 16-bit saturation before the zero point is added changes nothing: whatever it
// touches lies beyond every int8 clamp.
struct Finish8 {
  __m256i zero_point, lo, hi;
};

static inline Finish8 MakeFinish8(int32_t zero_point, int32_t lo, int32_t hi) {
  Finish8 f;
  f.zero_point = _mm256_set1_epi16((short)(zero_point + 128));
  f.lo = _mm256_set1_epi8((char)(lo + 128));
  f.hi = _mm256_set1_epi8((char)(hi + 128));
  return f;
}

// Two times 8 lanes, channels 0..7 and 8..15 -> 16 arena bytes.
static inline __m128i Finish16(__m256i a, __m256i b, const Finish8& f) {
  // packs works within 128-bit lanes: 0..3 8..11 | 4..7 12..15.
  const __m256i words = _mm256_adds_epi16(_mm256_packs_epi32(a, b), f.zero_point);
  const __m256i ordered = _mm256_permute4x64_epi64(words, 0xD8);
  const __m128i bytes =
      _mm_packus_epi16(_mm256_castsi256_si128(ordered), _mm256_extracti128_si256(ordered, 1));
  return _mm_min_epu8(_mm_max_epu8(bytes, _mm256_castsi256_si128(f.lo)),
                      _mm256_castsi256_si128(f.hi));
}

// Stores the first `count` (1..16) bytes.
static inline void StorePartial16(uint8_t* to, __m128i bytes, uint32_t count) {
  if (count >= 16) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes);
    return;
  }
  uint64_t half = (uint64_t)_mm_cvtsi128_si64(bytes);
  if (count & 8) {
    memcpy(to, &half, 8);
    to += 8;
    half = (uint64_t)_mm_extract_epi64(bytes, 1);
  }
  if (count & 4) {
    const uint32_t word = (uint32_t)half;
    memcpy(to, &word, 4);
    to += 4;
    half >>= 32;
  }
  for (uint32_t i = 0; i < (count & 3); ++i, half >>= 8) *to++ = (uint8_t)half;
}

// 8 outputs of 4 rows -> arena bytes: outputs 0..3 of the four rows, then outputs 4..7.
static inline __m256i FinishRows8(const __m256i (&rows)[4], const Finish8& f) {
  const __m256i low = _mm256_adds_epi16(_mm256_packs_epi32(rows[0], rows[1]), f.zero_point);
  const __m256i high = _mm256_adds_epi16(_mm256_packs_epi32(rows[2], rows[3]), f.zero_point);
  return _mm256_min_epu8(_mm256_max_epu8(_mm256_packus_epi16(low, high), f.lo), f.hi);
}

// The same with fewer instructions where sums lie in memory: the odd lanes come down as they are
// loaded, and the upper halves of two rows' products go side by side. Even outputs of both rows are
// in one register, odd ones in another.
struct RowChannels8 {
  __m256i multiplier, multiplier_odd, rounding[2], shift[2];  // [0]: of even outputs
};

static inline RowChannels8 MakeRowChannels8(__m256i multiplier, __m256i multiplier_odd,
                                            __m256i rounding, __m256i shift) {
  return {multiplier,
          multiplier_odd,
          {_mm256_shuffle_epi32(rounding, 0x88), _mm256_shuffle_epi32(rounding, 0xDD)},
          {_mm256_shuffle_epi32(shift, 0x88), _mm256_shuffle_epi32(shift, 0xDD)}};
}

// The odd lanes of a vector in memory, each twice. Compilers make a load and a shuffle of it.
static inline __m256i LoadOdd8(const __m256i& from) {
  __m256i odd;
  __asm__("vmovshdup %1, %0" : "=x"(odd) : "m"(from));
  return odd;
}

// The odd lanes of a and b (of products: their upper halves), and the even ones: [a b | a b].
static inline __m256i UpperHalves(__m256i a, __m256i b) {
  return _mm256_castps_si256(
      _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0xDD));
}
static inline __m256i LowerHalves(__m256i a, __m256i b) {
  return _mm256_castps_si256(
      _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88));
}

// Two rows of 8 outputs -> words, by 128 bits: the even outputs of a and of b, the odd ones.
static inline __m256i RequantizeRows8(const __m256i& a, const __m256i& b, const RowChannels8& c) {
  const __m256i even =
      UpperHalves(_mm256_mul_epi32(a, c.multiplier), _mm256_mul_epi32(b, c.multiplier));
  const __m256i odd = UpperHalves(_mm256_mul_epi32(LoadOdd8(a), c.multiplier_odd),
                                  _mm256_mul_epi32(LoadOdd8(b), c.multiplier_odd));
  return _mm256_packs_epi32(_mm256_srav_epi32(_mm256_add_epi32(even, c.rounding[0]), c.shift[0]),
                            _mm256_srav_epi32(_mm256_add_epi32(odd, c.rounding[1]), c.shift[1]));
}

// Bytes of such words of four rows -> as FinishRows8() has them.
static inline __m256i OrderRows8(__m256i bytes) {
  const __m128i order = _mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
  return _mm256_shuffle_epi8(bytes, _mm256_broadcastsi128_si256(order));
}

// Stores what FinishRows8() made for the first `rows` (1..4) rows, `count` (1..8) outputs of each.
static inline void StoreRows8(const __m256i bytes, uint8_t* to, size_t stride, uint32_t rows,
                              uint32_t count) {
  const __m128i first = _mm256_castsi256_si128(bytes);
  const __m128i second = _mm256_extracti128_si256(bytes, 1);
  const __m128i halves[2] = {_mm_unpacklo_epi32(first, second), _mm_unpackhi_epi32(first, second)};
  if (count == 8) {
#pragma GCC unroll 2
    for (uint32_t i = 0; i < 2; ++i, to += 2 * stride) {
      if (2 * i < rows) _mm_storel_epi64(reinterpret_cast<__m128i*>(to), halves[i]);
      if (2 * i + 1 < rows) {
        // Not _mm_storeh_pd(), whose double would have to be aligned.
        _mm_storeh_pi(reinterpret_cast<__m64*>(to + stride), _mm_castsi128_ps(halves[i]));
      }
    }
    return;
  }
  for (uint32_t r = 0; r < rows; ++r, to += stride) {
    const __m128i pair = halves[r / 2];
    StorePartial16(to, r % 2 == 0 ? pair : _mm_unpackhi_epi64(pair, pair), count);
  }
}

// The first `count` (1..16) bytes, zeros behind them; no byte further is read.
static inline __m128i LoadPartial16(const uint8_t* from, uint32_t count) {
  if (count >= 16) return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  uint64_t low = 0, high = 0;
  if (count >= 8) {
    memcpy(&low, from, 8);
    for (uint32_t i = 8; i < count; ++i) high |= (uint64_t)from[i] << (8 * (i - 8));
  } else {
    for (uint32_t i = 0; i < count; ++i) low |= (uint64_t)from[i] << (8 * i);
  }
  return _mm_set_epi64x((long long)high, (long long)low);
}

#ifdef __AVX512VBMI__
// Arena bytes q + 128 through a table of q: a permutation of bytes finds one of 128 entries.
static inline __m512i LookUp(__m512i bytes, const int8_t* table) {
  const __m512i part[4] = {_mm512_loadu_si512(table), _mm512_loadu_si512(table + 64),
                           _mm512_loadu_si512(table + 128), _mm512_loadu_si512(table + 192)};
  const __m512i found = _mm512_mask_blend_epi8(_mm512_movepi8_mask(bytes),
                                               _mm512_permutex2var_epi8(part[0], bytes, part[1]),
                                               _mm512_permutex2var_epi8(part[2], bytes, part[3]));
  return _mm512_xor_si512(found, _mm512_set1_epi8((char)0x80));
}
#elif defined(__AVX512F__)
// Arena bytes q + 128 through a table of q. The table is 128 words in four registers; a permutation
// of words finds one of 64 by bits 1 to 6 of the index, for the even bytes of every word and for
// the odd ones; bit 7 chooses the half of the table, bit 0 the byte of the word found.
static inline __m512i LookUp(__m512i bytes, const int8_t* table) {
  const __m512i part[4] = {_mm512_loadu_si512(table), _mm512_loadu_si512(table + 64),
                           _mm512_loadu_si512(table + 128), _mm512_loadu_si512(table + 192)};
  const __m512i even = _mm512_srli_epi16(bytes, 1), odd = _mm512_srli_epi16(bytes, 9);
  const __m512i even_word =
      _mm512_mask_blend_epi16(_mm512_test_epi16_mask(bytes, _mm512_set1_epi16(0x80)),
                              _mm512_permutex2var_epi16(part[0], even, part[1]),
                              _mm512_permutex2var_epi16(part[2], even, part[3]));
  const __m512i odd_word = _mm512_mask_blend_epi16(
      _mm512_movepi16_mask(bytes), _mm512_permutex2var_epi16(part[0], odd, part[1]),
      _mm512_permutex2var_epi16(part[2], odd, part[3]));
  const __mmask64 odd_bytes = 0xAAAAAAAAAAAAAAAA;
  const __m512i low = _mm512_mask_mov_epi8(even_word, odd_bytes, _mm512_slli_epi16(odd_word, 8));
  const __m512i high = _mm512_mask_mov_epi8(_mm512_srli_epi16(even_word, 8), odd_bytes, odd_word);
  const __mmask64 upper = _mm512_test_epi8_mask(bytes, _mm512_set1_epi8(1));
  return _mm512_xor_si512(_mm512_mask_blend_epi8(upper, low, high), _mm512_set1_epi8((char)0x80));
}
#endif

#ifdef __AVX512F__
static inline void ApplyTable(uint8_t* bytes, uint32_t count, const int8_t* table) {
  for (uint32_t i = 0; i < count; i += 64) {
    const uint32_t left = count - i;
    const __mmask64 mask = left >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << left) - 1;
    const __m512i from = _mm512_maskz_loadu_epi8(mask, bytes + i);
    _mm512_mask_storeu_epi8(bytes + i, mask, LookUp(from, table));
  }
}
#else
// Arena bytes q + 128 through a table of q, in place.
static inline void ApplyTable(uint8_t* bytes, uint32_t count, const int8_t* table) {
  uint32_t i = 0;
  for (; i + 8 <= count; i += 8) {
#pragma GCC unroll 8
    for (uint32_t j = 0; j < 8; ++j) {
      bytes[i + j] = (uint8_t)((uint8_t)table[bytes[i + j]] ^ 0x80);
    }
  }
  for (; i < count; ++i) bytes[i] = (uint8_t)((uint8_t)table[bytes[i]] ^ 0x80);
}
#endif

#ifdef __AVX512F__
struct Channels16 {
  __m512i multiplier, multiplier_odd, rounding, shift;
  bool doubled;
};

static inline Channels16 MakeChannels16(__m512i multiplier, __m512i shift) {
  Channels16 c;
  const __m512i one = _mm512_set1_epi32(1);
  const __mmask16 zero_factor = _mm512_testn_epi32_mask(multiplier, multiplier);
  c.multiplier = multiplier;
  c.multiplier_odd = _mm512_srli_epi64(multiplier, 32);
  shift = _mm512_mask_mov_epi32(shift, zero_factor, _mm512_set1_epi32(2));
  c.doubled = _mm512_cmpeq_epi32_mask(shift, one) != 0;
  c.shift = c.doubled ? shift : _mm512_sub_epi32(shift, one);
  c.rounding = _mm512_sllv_epi32(one, _mm512_sub_epi32(c.shift, one));
  return c;
}

static inline Channels16 LoadChannels16(const int32_t* multiplier, const int32_t* shift) {
  return MakeChannels16(_mm512_loadu_si512(multiplier), _mm512_loadu_si512(shift));
}

static inline __m512i Double16(__m512i acc) {
  const __m512i bounded = _mm512_min_epi32(acc, _mm512_set1_epi32(kLargestDoubled));
  return _mm512_add_epi32(bounded, bounded);
}

// Shifts share one port with others at 512 bits, so that the odd lanes come down, and the upper
// halves of the even ones, by shuffles.
static inline __m512i RequantizeDoubled16(__m512i acc, const Channels16& c) {
  const __m512i even = _mm512_mul_epi32(acc, c.multiplier);
  const __m512i odd =
      _mm512_mul_epi32(_mm512_shuffle_epi32(acc, (_MM_PERM_ENUM)0xF5), c.multiplier_odd);
  const __m512i high = _mm512_mask_shuffle_epi32(odd, 0x5555, even, (_MM_PERM_ENUM)0xF5);
  return _mm512_srav_epi32(_mm512_add_epi32(high, c.rounding), c.shift);
}

static inline __m512i Requantize16(__m512i acc, const Channels16& c) {
  return RequantizeDoubled16(c.doubled ? Double16(acc) : acc, c);
}

static inline __m512i PreShift16(__m512i acc, int32_t pre_shift) {
  const __m512i bound = _mm512_set1_epi32((kAccumulatorLimit - 1) >> pre_shift);
  const __m512i low = _mm512_sub_epi32(_mm512_setzero_si512(), bound);
  const __m512i clamped = _mm512_min_epi32(_mm512_max_epi32(acc, low), bound);
  return _mm512_sll_epi32(clamped, _mm_cvtsi32_si128(pre_shift));
}
#endif

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_X86_REQUANTIZE_INL_H_
