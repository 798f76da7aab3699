// A 256-entry table with AVX2: 16 shuffles, each with the 16 entries of one upper half byte. Index
// minus 16 times the row has its upper half clear for the right row only; adding 0x70 with
// saturation sets the top bit of all others, and the shuffle makes them zero.
#include <string.h>

#include "runtime/kernels/conv/x86_requantize.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"

namespace octet {

void table_s8_avx2(const TableS8Args& args, Share share) {
  const Range range = RangeOf(args.count, share);
  const uint8_t* input = args.input + range.begin;
  uint8_t* output = args.output + range.begin;
  const uint64_t count = range.end - range.begin;
  __m256i rows[16];
  const __m256i sign = _mm256_set1_epi8((char)0x80);
  for (int i = 0; i < 16; ++i) {
    const __m128i row = _mm_loadu_si128(reinterpret_cast<const __m128i*>(args.table + 16 * i));
    rows[i] = _mm256_xor_si256(_mm256_broadcastsi128_si256(row), sign);
  }
  const __m256i bias = _mm256_set1_epi8(0x70);
  const __m256i step = _mm256_set1_epi8(16);
  uint64_t i = 0;
  for (; i + 32 <= count; i += 32) {
    __m256i index = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(input + i));
    __m256i result = _mm256_setzero_si256();
#pragma GCC unroll 16
    for (int row = 0; row < 16; ++row) {
      const __m256i entry = _mm256_shuffle_epi8(rows[row], _mm256_adds_epu8(index, bias));
      result = _mm256_or_si256(result, entry);
      index = _mm256_sub_epi8(index, step);
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(output + i), result);
  }
  for (; i < count; ++i) output[i] = (uint8_t)((uint8_t)args.table[input[i]] ^ 0x80);
}

}  // namespace octet
