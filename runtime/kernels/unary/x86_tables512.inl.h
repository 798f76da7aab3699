// Tables by channel with AVX-512. A vector of 64 neighbours that meet few tables goes through each
// of them, and masks of channels choose: what stands where repeats after a few vectors. With more
// tables, tiles of 64 pixels and 16 channels are transposed, so that a register holds one channel,
// looked up and transposed back: 24 shuffles for 64 bytes, whatever the number of tables. A Level
// brings
//
//   kFewTables                 up to so many lookups of 64 bytes are faster than a tile's share
//   Tables<n>(patterns, tables)   n tables, in registers
//   .LookUp(bytes)
//
// Internal linkage.
#include <stddef.h>
#include <string.h>

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

constexpr uint32_t kMostTables = 4;
constexpr uint32_t kMostPatterns = 16;

// The tables of 64 neighbours, and which of them each has.
struct Pattern {
  uint32_t count;
  uint8_t table[kMostTables];
  __mmask64 mask[kMostTables];
};

// What the channels of vectors 0 .. `period` - 1 of a pixel's begin need; false: some need more
// than `most` tables.
static inline bool FindPatterns(const ChannelTableS8Args& args, uint32_t period, uint32_t most,
                                Pattern* patterns) {
  uint32_t channel = 0;
  for (uint32_t v = 0; v < period; ++v) {
    alignas(64) uint8_t index[64];
    for (uint32_t i = 0; i < 64;) {
      const uint32_t left = args.channels - channel, run = left < 64 - i ? left : 64 - i;
      memcpy(index + i, args.index + channel, run);
      i += run;
      channel = run == left ? 0 : channel + run;
    }
    const __m512i all = _mm512_load_si512(index);
    Pattern& p = patterns[v];
    p.count = 0;
    for (__mmask64 left = ~(__mmask64)0; left != 0; left &= ~p.mask[p.count++]) {
      if (p.count == most) return false;
      p.table[p.count] = index[__builtin_ctzll(left)];
      p.mask[p.count] = _mm512_cmpeq_epi8_mask(all, _mm512_set1_epi8((char)p.table[p.count]));
    }
  }
  return true;
}

// Every `step` bytes 64 bytes, of which the last may lie beyond `end`.
template <typename Tables>
static inline void RunPattern(const Tables& tables, const uint8_t* input, uint8_t* output,
                              uint64_t at, uint64_t end, uint64_t step) {
  for (; at + 64 <= end; at += step) {
    _mm512_storeu_si512(output + at, tables.LookUp(_mm512_loadu_si512(input + at)));
  }
  if (at >= end) return;
  const __mmask64 mask = ((__mmask64)1 << (end - at)) - 1;
  const __m512i bytes = _mm512_maskz_loadu_epi8(mask, input + at);
  _mm512_mask_storeu_epi8(output + at, mask, tables.LookUp(bytes));
}

// False: nothing is done.
template <typename Level>
static inline bool RunPatterns(const ChannelTableS8Args& args, const Range& pixels) {
  uint32_t period = args.channels;
  for (uint32_t i = 0; i < 6 && period % 2 == 0; ++i) period /= 2;
  Pattern patterns[kMostPatterns];
  if (period > kMostPatterns || !FindPatterns(args, period, Level::kFewTables, patterns)) {
    return false;
  }
  const uint64_t first = pixels.begin * args.channels, end = pixels.end * args.channels;
  // The first-level cache holds a block while its patterns are taken in turn.
  constexpr uint64_t kBlock = 16384;
  const uint64_t step = 64 * period, block = period == 1 ? end - first : kBlock / step * step;
  for (uint64_t at = first; at < end; at += block) {
    const uint64_t block_end = end - at < block ? end : at + block;
    for (uint32_t v = 0; v < period; ++v) {
      const uint64_t from = at + 64 * v;
      const auto run = [&](const auto& tables) {
        RunPattern(tables, args.input, args.output, from, block_end, step);
      };
      switch (patterns[v].count) {
        case 1:
          run(typename Level::template Tables<1>(patterns[v], args.tables));
          break;
        case 2:
          run(typename Level::template Tables<2>(patterns[v], args.tables));
          break;
        case 3:
          run(typename Level::template Tables<3>(patterns[v], args.tables));
          break;
        default:
          run(typename Level::template Tables<4>(patterns[v], args.tables));
          break;
      }
    }
  }
  return true;
}

static inline void RunTiles(const ChannelTableS8Args& args, const Range& range) {
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

template <typename Level>
static inline void RunChannelTables(const ChannelTableS8Args& args, Share share) {
  const Range range = RangeOf(args.pixels, share);
  if (!RunPatterns<Level>(args, range)) RunTiles(args, range);
}

template <typename Level>
static inline void RunTable(const TableS8Args& args, Share share) {
  const Range range = RangeOf(args.count, share);
  const typename Level::template Tables<1> table(Pattern{1, {0}, {~(__mmask64)0}}, args.table);
  RunPattern(table, args.input, args.output, range.begin, range.end, 64);
}

}  // namespace
}  // namespace octet
