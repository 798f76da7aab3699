// 256-entry tables with AVX-512: LookUp() takes 64 bytes of one table through permutations of
// words. With tables by channel, tiles of 64 pixels and 16 channels are transposed, so that a
// register holds one channel, looked up and transposed back: 24 shuffles for 64 bytes, whatever the
// number of tables.
#include <stddef.h>

#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/x86_requantize.inl.h"

namespace octet {
namespace {

constexpr uint32_t kTilePixels = 64;
constexpr uint32_t kTileChannels = 16;

// 16 x 16 bytes in each of the four 128-bit lanes. A round interleaves row i with row i + 8: it
// turns the eight bits of (row, column) by one, and four rounds exchange rows and columns.
static inline void Transpose(__m512i (&rows)[kTileChannels]) {
#pragma GCC unroll 4
  for (int round = 0; round < 4; ++round) {
    __m512i next[kTileChannels];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      next[2 * i] = _mm512_unpacklo_epi8(rows[i], rows[i + 8]);
      next[2 * i + 1] = _mm512_unpackhi_epi8(rows[i], rows[i + 8]);
    }
#pragma GCC unroll 16
    for (uint32_t i = 0; i < kTileChannels; ++i) rows[i] = next[i];
  }
}

// A tile of `pixels` and of the channels in `mask`; kWhole: of 64 and all 16. Lane l of register i
// is pixel 16 l + i.
template <bool kWhole>
static inline void RunTile(const ChannelTableS8Args& args, size_t offset, uint32_t channel,
                           uint32_t pixels, __mmask16 mask) {
  const size_t stride = args.channels;
  const uint8_t* input = args.input + offset;
  uint8_t* output = args.output + offset;
  const auto load = [&](uint32_t pixel) {
    const uint8_t* from = input + pixel * stride;
    if (kWhole) return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    return pixel < pixels ? _mm_maskz_loadu_epi8(mask, from) : _mm_setzero_si128();
  };
  const auto store = [&](uint32_t pixel, __m128i bytes) {
    uint8_t* to = output + pixel * stride;
    if (kWhole) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes);
    } else if (pixel < pixels) {
      _mm_mask_storeu_epi8(to, mask, bytes);
    }
  };
  __m512i v[kTileChannels];
#pragma GCC unroll 16
  for (uint32_t i = 0; i < kTileChannels; ++i) {
    v[i] = _mm512_castsi128_si512(load(i));
    v[i] = _mm512_inserti32x4(v[i], load(16 + i), 1);
    v[i] = _mm512_inserti32x4(v[i], load(32 + i), 2);
    v[i] = _mm512_inserti32x4(v[i], load(48 + i), 3);
  }
  Transpose(v);
#pragma GCC unroll 16
  for (uint32_t i = 0; i < kTileChannels; ++i) {
    if (!kWhole && (mask >> i & 1) == 0) continue;
    v[i] = LookUp(v[i], args.tables + (uint32_t)args.index[channel + i] * 256);
  }
  Transpose(v);
#pragma GCC unroll 16
  for (uint32_t i = 0; i < kTileChannels; ++i) {
    store(i, _mm512_castsi512_si128(v[i]));
    store(16 + i, _mm512_extracti32x4_epi32(v[i], 1));
    store(32 + i, _mm512_extracti32x4_epi32(v[i], 2));
    store(48 + i, _mm512_extracti32x4_epi32(v[i], 3));
  }
}

}  // namespace

void table_s8_avx512vnni(const TableS8Args& args, Share share) {
  const Range range = RangeOf(args.count, share);
  for (uint64_t i = range.begin; i < range.end; i += 64) {
    const uint64_t left = range.end - i;
    const __mmask64 mask = left >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << left) - 1;
    const __m512i bytes = _mm512_maskz_loadu_epi8(mask, args.input + i);
    _mm512_mask_storeu_epi8(args.output + i, mask, LookUp(bytes, args.table));
  }
}

void channel_table_s8_avx512vnni(const ChannelTableS8Args& args, Share share) {
  const Range range = RangeOf(args.pixels, share);
  for (uint64_t p = range.begin; p < range.end; p += kTilePixels) {
    const uint64_t left = range.end - p;
    const uint32_t pixels = left < kTilePixels ? (uint32_t)left : kTilePixels;
    for (uint32_t c = 0; c < args.channels; c += kTileChannels) {
      const uint32_t count = args.channels - c;
      const size_t offset = (size_t)p * args.channels + c;
      if (pixels == kTilePixels && count >= kTileChannels) {
        RunTile<true>(args, offset, c, pixels, 0xFFFF);
      } else {
        const __mmask16 mask = (__mmask16)(count >= 16 ? 0xFFFF : (1u << count) - 1);
        RunTile<false>(args, offset, c, pixels, mask);
      }
    }
  }
}

}  // namespace octet
