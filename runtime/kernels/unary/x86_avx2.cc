// A 256-entry table with AVX2: 16 shuffles, each with the 16 entries of one upper half byte. A
// shuffle makes zero of an index whose top bit is set. Index minus 16 times the row (signed, with
// saturation) is negative below the row: every row from the first of its half of the table to that
// of the index adds the difference from the row before, by XOR.
//
// Tables by channel are looked up a byte at a time: three memory operations and an XOR a byte take
// as long as the 16 shuffles of a single table, and every further table among the channels of a
// vector would cost those again.
#include <string.h>

#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/x86_requantize.inl.h"

namespace octet {

void table_s8_avx2(const TableS8Args& args, Share share) {
  const Range range = RangeOf(args.count, share);
  const uint8_t* input = args.input + range.begin;
  uint8_t* output = args.output + range.begin;
  const uint64_t count = range.end - range.begin;
  __m256i rows[16];
  const __m128i sign = _mm_set1_epi8((char)0x80);
  __m128i before = sign;
  for (int i = 0; i < 16; ++i) {
    const __m128i row = _mm_loadu_si128(reinterpret_cast<const __m128i*>(args.table + 16 * i));
    rows[i] = _mm256_broadcastsi128_si256(_mm_xor_si128(row, i == 8 ? sign : before));
    before = row;
  }
  const __m256i half = _mm256_set1_epi8((char)0x80), step = _mm256_set1_epi8(16);
  uint64_t i = 0;
  for (; i + 32 <= count; i += 32) {
    __m256i lower = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(input + i));
    __m256i upper = _mm256_xor_si256(lower, half);
    __m256i result = _mm256_setzero_si256();
#pragma GCC unroll 8
    for (int row = 0; row < 8; ++row) {
      result = _mm256_xor_si256(result, _mm256_shuffle_epi8(rows[row], lower));
      result = _mm256_xor_si256(result, _mm256_shuffle_epi8(rows[row + 8], upper));
      lower = _mm256_subs_epi8(lower, step);
      upper = _mm256_subs_epi8(upper, step);
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(output + i), result);
  }
  for (; i < count; ++i) output[i] = (uint8_t)((uint8_t)args.table[input[i]] ^ 0x80);
}

namespace {

const uint8_t* TableOf(const ChannelTableS8Args& args, uint64_t channel) {
  return reinterpret_cast<const uint8_t*>(args.tables) + (uint32_t)args.index[channel] * 256;
}

}  // namespace

// Eight channels at a time, so that their tables' addresses stay in registers. The pixels in tiles:
// the next eight channels find the lines in the first cache.
void channel_table_s8_avx2(const ChannelTableS8Args& args, Share share) {
  constexpr uint64_t kTilePixels = 64;
  constexpr uint8_t kSign = 0x80;  // byte ^ 0x80 is q: the byte itself is q + 128
  const Range range = RangeOf(args.pixels, share);
  const uint64_t channels = args.channels;
  for (uint64_t begin = range.begin; begin < range.end; begin += kTilePixels) {
    const uint64_t left = range.end - begin, pixels = left < kTilePixels ? left : kTilePixels;
    const uint8_t* input = args.input + begin * channels;
    uint8_t* output = args.output + begin * channels;
    uint64_t c = 0;
    for (; c + 8 <= channels; c += 8) {
      const uint8_t *const t0 = TableOf(args, c), *const t1 = TableOf(args, c + 1),
                           *const t2 = TableOf(args, c + 2), *const t3 = TableOf(args, c + 3),
                           *const t4 = TableOf(args, c + 4), *const t5 = TableOf(args, c + 5),
                           *const t6 = TableOf(args, c + 6), *const t7 = TableOf(args, c + 7);
      const uint8_t* x = input + c;
      uint8_t* y = output + c;
      for (uint64_t p = 0; p < pixels; ++p, x += channels, y += channels) {
        y[0] = t0[x[0]] ^ kSign;
        y[1] = t1[x[1]] ^ kSign;
        y[2] = t2[x[2]] ^ kSign;
        y[3] = t3[x[3]] ^ kSign;
        y[4] = t4[x[4]] ^ kSign;
        y[5] = t5[x[5]] ^ kSign;
        y[6] = t6[x[6]] ^ kSign;
        y[7] = t7[x[7]] ^ kSign;
      }
    }
    for (; c < channels; ++c) {
      const uint8_t* table = TableOf(args, c);
      for (uint64_t p = 0; p < pixels; ++p) {
        output[p * channels + c] = table[input[p * channels + c]] ^ kSign;
      }
    }
  }
}

}  // namespace octet
