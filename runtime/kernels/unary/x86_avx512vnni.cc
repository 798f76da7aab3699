// 256-entry tables with AVX-512, looked up by permutations of words as LookUp() does.
#include "runtime/kernels/unary/x86_tables512.inl.h"

namespace octet {
namespace {

// Indices are the same for all tables, and what is found is chosen as words.
struct ByWords {
  static constexpr uint32_t kFewTables = 2;

  template <uint32_t kCount>
  struct Tables {
    __m512i part[kCount][4];
    __mmask32 even_mask[kCount], odd_mask[kCount];

    Tables(const Pattern& pattern, const int8_t* tables) {
      const __m512i sign = _mm512_set1_epi8((char)0x80);
#pragma GCC unroll 4
      for (uint32_t t = 0; t < kCount; ++t) {
        const int8_t* table = tables + pattern.table[t] * 256u;
#pragma GCC unroll 4
        for (uint32_t i = 0; i < 4; ++i) {
          part[t][i] = _mm512_xor_si512(_mm512_loadu_si512(table + 64 * i), sign);
        }
        even_mask[t] = (__mmask32)_pext_u64(pattern.mask[t], 0x5555555555555555);
        odd_mask[t] = (__mmask32)_pext_u64(pattern.mask[t], 0xAAAAAAAAAAAAAAAA);
      }
    }

    inline __m512i LookUp(__m512i bytes) const {
      const __m512i even = _mm512_srli_epi16(bytes, 1), odd = _mm512_srli_epi16(bytes, 9);
      const __mmask32 even_half = _mm512_test_epi16_mask(bytes, _mm512_set1_epi16(0x80));
      const __mmask32 odd_half = _mm512_movepi16_mask(bytes);
      const auto find = [&](__m512i index, __mmask32 half, uint32_t t) {
        return _mm512_mask_blend_epi16(half,
                                       _mm512_permutex2var_epi16(part[t][0], index, part[t][1]),
                                       _mm512_permutex2var_epi16(part[t][2], index, part[t][3]));
      };
      __m512i even_word = find(even, even_half, 0), odd_word = find(odd, odd_half, 0);
#pragma GCC unroll 4
      for (uint32_t t = 1; t < kCount; ++t) {
        even_word = _mm512_mask_mov_epi16(even_word, even_mask[t], find(even, even_half, t));
        odd_word = _mm512_mask_mov_epi16(odd_word, odd_mask[t], find(odd, odd_half, t));
      }
      const __mmask64 odd_bytes = 0xAAAAAAAAAAAAAAAA;
      const __m512i low =
          _mm512_mask_mov_epi8(even_word, odd_bytes, _mm512_slli_epi16(odd_word, 8));
      const __m512i high =
          _mm512_mask_mov_epi8(_mm512_srli_epi16(even_word, 8), odd_bytes, odd_word);
      const __mmask64 upper = _mm512_test_epi8_mask(bytes, _mm512_set1_epi8(1));
      return _mm512_mask_blend_epi8(upper, low, high);
    }
  };
};

}  // namespace

void table_s8_avx512vnni(const TableS8Args& args, Share share) {
  RunTable<ByWords>(args, share);
}

void channel_table_s8_avx512vnni(const ChannelTableS8Args& args, Share share) {
  RunChannelTables<ByWords>(args, share);
}

}  // namespace octet
