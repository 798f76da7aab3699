// SHA-256 with the x86 SHA extensions. SHA256RNDS2 keeps the state as two registers, ABEF and CDGH
// (highest lane first), does two rounds and takes two sums k + w from the low half of its third
// operand.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/format/sha256_constants.h"

namespace octet {

void Sha256BlocksX86Shani(uint32_t state[8], const uint8_t* data, size_t block_count);

void Sha256BlocksX86Shani(uint32_t state[8], const uint8_t* data, size_t block_count) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  __m128i abef = _mm_set_epi32((int)state[0], (int)state[1], (int)state[4], (int)state[5]);
  __m128i cdgh = _mm_set_epi32((int)state[2], (int)state[3], (int)state[6], (int)state[7]);

  for (; block_count != 0; --block_count, data += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];
    for (int i = 0; i < 4; ++i) {
      w[i] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(data + 16 * i)),
                              big_endian);
    }
#pragma GCC unroll 16
    for (int group = 0; group < 16; ++group) {
      const __m128i now = w[group & 3];
      const __m128i sum = _mm_add_epi32(
          now, _mm_load_si128(reinterpret_cast<const __m128i*>(kSha256K + 4 * group)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
      if (group < 12) {
        // w[t+16] = w[t] + s0(w[t+1]) + w[t+9] + s1(w[t+14]), four at a time.
        const __m128i next = w[(group + 1) & 3], third = w[(group + 2) & 3];
        const __m128i fourth = w[(group + 3) & 3];
        const __m128i partial =
            _mm_add_epi32(_mm_sha256msg1_epu32(now, next), _mm_alignr_epi8(fourth, third, 4));
        w[group & 3] = _mm_sha256msg2_epu32(partial, fourth);
      }
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }

  state[0] = (uint32_t)_mm_extract_epi32(abef, 3);
  state[1] = (uint32_t)_mm_extract_epi32(abef, 2);
  state[4] = (uint32_t)_mm_extract_epi32(abef, 1);
  state[5] = (uint32_t)_mm_extract_epi32(abef, 0);
  state[2] = (uint32_t)_mm_extract_epi32(cdgh, 3);
  state[3] = (uint32_t)_mm_extract_epi32(cdgh, 2);
  state[6] = (uint32_t)_mm_extract_epi32(cdgh, 1);
  state[7] = (uint32_t)_mm_extract_epi32(cdgh, 0);
}

}  // namespace octet
