// 256-entry tables with AVX512-VBMI: two permutations of bytes find 64 entries of one table. For
// machines of level avx512vnni that have it, and for amx.
#include "runtime/kernels/unary/x86_tables512.inl.h"

namespace octet {
namespace {

struct ByBytes {
  static constexpr uint32_t kFewTables = 4;

  template <uint32_t kCount>
  struct Tables {
    __m512i part[kCount][4];
    __mmask64 mask[kCount];

    Tables(const Pattern& pattern, const int8_t* tables) {
      const __m512i sign = _mm512_set1_epi8((char)0x80);
#pragma GCC unroll 4
      for (uint32_t t = 0; t < kCount; ++t) {
        const int8_t* table = tables + pattern.table[t] * 256u;
#pragma GCC unroll 4
        for (uint32_t i = 0; i < 4; ++i) {
          part[t][i] = _mm512_xor_si512(_mm512_loadu_si512(table + 64 * i), sign);
        }
        mask[t] = pattern.mask[t];
      }
    }

    inline __m512i LookUp(__m512i bytes) const {
      const __mmask64 half = _mm512_movepi8_mask(bytes);
      const auto find = [&](uint32_t t) {
        return _mm512_mask_blend_epi8(half, _mm512_permutex2var_epi8(part[t][0], bytes, part[t][1]),
                                      _mm512_permutex2var_epi8(part[t][2], bytes, part[t][3]));
      };
      __m512i found = find(0);
#pragma GCC unroll 4
      for (uint32_t t = 1; t < kCount; ++t) found = _mm512_mask_mov_epi8(found, mask[t], find(t));
      return found;
    }
  };
};

}  // namespace

void table_s8_avx512vbmi(const TableS8Args& args, Share share) {
  RunTable<ByBytes>(args, share);
}

void channel_table_s8_avx512vbmi(const ChannelTableS8Args& args, Share share) {
  RunChannelTables<ByBytes>(args, share);
}

}  // namespace octet
