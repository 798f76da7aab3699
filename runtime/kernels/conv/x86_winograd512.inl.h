// Winograd's method in 512-bit registers: two blocks of 16 outputs at a time, so that the
// transformed input passes half as often. VPERMW interleaves two rows of weights, 64 bytes, to
// pairs of all 16 outputs in order. Included behind x86_requantize.inl.h.
#include "runtime/kernels/conv/x86_winograd.inl.h"

namespace octet {
namespace {

// Lane 2 o is output o of the first row, lane 2 o + 1 that of the second.
struct PairOrder {
  uint16_t lane[32];
  constexpr PairOrder() : lane() {
    for (int o = 0; o < 16; ++o) {
      lane[2 * o] = (uint16_t)o;
      lane[2 * o + 1] = (uint16_t)(16 + o);
    }
  }
};
alignas(64) constexpr PairOrder kPairOrder;

typedef int32_t Sums16 __attribute__((vector_size(64)));
typedef uint32_t Wrapping16 __attribute__((vector_size(64)));

struct Winograd512 {
  template <int m>
  static void TransformInput(const uint8_t* const* pixels, uint32_t in_c, uint8_t sign, int16_t* v,
                             size_t position_stride, size_t channel_stride) {
    uint32_t c = 0;
    for (; c + 32 <= in_c; c += 32, v += 4 * channel_stride) {
      TransformChannels<m, Words32>(pixels, c, v, position_stride, channel_stride);
    }
    const uint8_t* rest[(m + 2) * (m + 2)];
    if (c == in_c) return;
    for (int i = 0; i < (m + 2) * (m + 2); ++i) rest[i] = pixels[i] + c;
    WinogradX86::TransformInput<m>(rest, in_c - c, sign, v, position_stride, channel_stride);
  }

  // kTiles tiles x kBlocks blocks of 16 outputs; `block_step` from the weights of one to the next.
  template <int kTiles, int kBlocks>
  __attribute__((aligned(64))) static void MultiplyTiles(const int16_t* u, size_t block_step,
                                                         const int16_t* v, size_t step,
                                                         uint32_t in_c, int32_t* products,
                                                         size_t tile_step, size_t product_step) {
    // The hardware's prefetcher stops at every 4 KiB page.
    constexpr size_t kAheadBytes = 2048;
    const __m512i order = _mm512_load_si512(kPairOrder.lane);
    __m512i acc[kTiles][kBlocks];
#pragma GCC unroll 12
    for (int t = 0; t < kTiles; ++t) {
#pragma GCC unroll 2
      for (int b = 0; b < kBlocks; ++b) acc[t][b] = _mm512_setzero_si512();
    }
    for (uint32_t c = 0; c < in_c; c += 8, v += step) {
#pragma GCC unroll 4
      for (int pair = 0; pair < 4; ++pair, u += 32) {
        __m512i w[kBlocks];
#pragma GCC unroll 2
        for (int b = 0; b < kBlocks; ++b) {
          const int16_t* from = u + (size_t)b * block_step;
          _mm_prefetch(reinterpret_cast<const char*>(from) + kAheadBytes, _MM_HINT_T0);
          w[b] = _mm512_permutexvar_epi16(order, _mm512_load_si512(from));
        }
#pragma GCC unroll 12
        for (int t = 0; t < kTiles; ++t) {
          int32_t word;
          memcpy(&word, v + 8 * t + 2 * pair, 4);
          const __m512i x = _mm512_set1_epi32(word);
#pragma GCC unroll 2
          for (int b = 0; b < kBlocks; ++b) {
            __asm__("vpdpwssd %2, %1, %0" : "+v"(acc[t][b]) : "v"(x), "v"(w[b]));
          }
        }
      }
    }
#pragma GCC unroll 12
    for (int t = 0; t < kTiles; ++t) {
#pragma GCC unroll 2
      for (int b = 0; b < kBlocks; ++b) {
        _mm512_storeu_si512(products + (size_t)t * tile_step + (size_t)b * product_step, acc[t][b]);
      }
    }
  }

  template <int kBlocks>
  static void MultiplyBlocks(const int16_t* u, size_t block_step, const int16_t* v, size_t tiles,
                             uint32_t in_c, int32_t* products, size_t tile_step,
                             size_t product_step) {
    constexpr size_t kMost = 12;
    typedef void (*TilesFn)(const int16_t*, size_t, const int16_t*, size_t, uint32_t, int32_t*,
                            size_t, size_t);
    static constexpr TilesFn kTiles[kMost] = {
        MultiplyTiles<1, kBlocks>,  MultiplyTiles<2, kBlocks>,  MultiplyTiles<3, kBlocks>,
        MultiplyTiles<4, kBlocks>,  MultiplyTiles<5, kBlocks>,  MultiplyTiles<6, kBlocks>,
        MultiplyTiles<7, kBlocks>,  MultiplyTiles<8, kBlocks>,  MultiplyTiles<9, kBlocks>,
        MultiplyTiles<10, kBlocks>, MultiplyTiles<11, kBlocks>, MultiplyTiles<12, kBlocks>};
    const size_t parts = (tiles + kMost - 1) / kMost;
    for (size_t i = 0, tile = 0; i < parts; ++i) {
      const size_t next = tiles * (i + 1) / parts;
      kTiles[next - tile - 1](u, block_step, v + tile * 8, tiles * 8, in_c,
                              products + tile * tile_step, tile_step, product_step);
      tile = next;
    }
  }

  template <int m>
  static void Finish(const int32_t* products, const WinogradOutput& out) {
    static_assert(m == 4, "the small tile gains nothing here");
    constexpr int kSize = m + 2;
    const ConvS8Args& args = *out.args;
    Wrapping16 half[m * kSize];  // [column][row of A^T p]
#pragma GCC unroll 6
    for (int j = 0; j < kSize; ++j) {
      Wrapping16 p[kSize];
#pragma GCC unroll 6
      for (int i = 0; i < kSize; ++i) {
        p[i] = (Wrapping16)_mm512_loadu_si512(products + (i * kSize + j) * 16);
      }
      GatherLine<m>(p, 1, half + j * m);
    }
    const blob::ChannelBlockS8& block = *out.channels;
    const Channels16 channels = LoadChannels16(block.multiplier, block.shift);
    const Sums16 bias = (Sums16)_mm512_loadu_si512(block.bias);
    const __m512i zero_point = _mm512_set1_epi16((short)(args.out_zero_point + 128));
    const __m512i lo = _mm512_set1_epi8((char)(args.clamp_lo + 128));
    const __m512i hi = _mm512_set1_epi8((char)(args.clamp_hi + 128));
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __mmask16 mask = (__mmask16)((1u << out.channels_count) - 1);
    const size_t stride = args.g.out_c;
    uint8_t* to = out.output;
    for (int i = 0; i < m; ++i, to += (size_t)args.g.out_w * stride) {
      if ((uint32_t)i >= out.rows) break;
      Wrapping16 s[m];
      GatherLine<m>(half + i, m, s);
      __m512i value[4];
#pragma GCC unroll 4
      for (int j = 0; j < m; ++j) {
        const Sums16 exact = (Sums16)(s[j] * kInverseOf9) >> 6;
        __m512i acc = (__m512i)(exact + bias);
        if (args.pre_shift != 0) acc = PreShift16(acc, args.pre_shift);
        value[j] = Requantize16(acc, channels);
      }
      const __m512i low = _mm512_adds_epi16(_mm512_packs_epi32(value[0], value[1]), zero_point);
      const __m512i high = _mm512_adds_epi16(_mm512_packs_epi32(value[2], value[3]), zero_point);
      // Lane l of 128 bits holds outputs 4 l .. 4 l + 3 of the four pixels.
      const __m512i packed =
          _mm512_min_epu8(_mm512_max_epu8(_mm512_packus_epi16(low, high), lo), hi);
      __m512i bytes = _mm512_permutexvar_epi32(order, packed);
      if (args.table != nullptr) bytes = LookUp(bytes, args.table);
      _mm_mask_storeu_epi8(to, mask, _mm512_castsi512_si128(bytes));
      if (out.columns > 1) {
        _mm_mask_storeu_epi8(to + stride, mask, _mm512_extracti32x4_epi32(bytes, 1));
      }
      if (out.columns > 2) {
        _mm_mask_storeu_epi8(to + 2 * stride, mask, _mm512_extracti32x4_epi32(bytes, 2));
      }
      if (out.columns > 3) {
        _mm_mask_storeu_epi8(to + 3 * stride, mask, _mm512_extracti32x4_epi32(bytes, 3));
      }
    }
  }
};

// RunWinogradTiles() of 4 x 4 pixels with half the tiles and two blocks of outputs at a time. There
// has to be room for two tiles.
static void RunWinograd512(const ConvS8Args& args, Share share) {
  constexpr int m = 4;
  constexpr size_t kPositions = (m + 2) * (m + 2);
  const ConvGeometry& g = args.g;
  const WinogradPlan plan = PlanWinograd(args, m);
  const Range tiles = RangeOf(plan.tile_count, share);
  const uint64_t count = tiles.end - tiles.begin, most = plan.most / 2;
  const size_t block_step = (size_t)g.in_c * 16;
  const uint64_t parts = (count + most - 1) / most;
  for (uint64_t i = 0; i < parts; ++i) {
    const uint64_t first = tiles.begin + count * i / parts;
    const size_t part = (size_t)(tiles.begin + count * (i + 1) / parts - first);
    WinogradInput<Winograd512, m>(args, plan, first, part);
    for (uint32_t block = 0; block < plan.blocks; block += 2) {
      const bool two = block + 1 < plan.blocks;
      int32_t* second = plan.products + part * kPositions * 16;
      for (size_t p = 0; p < kPositions; ++p) {
        const int16_t* u = args.transformed + (p * plan.blocks + block) * block_step;
        const int16_t* v = plan.v + p * part * g.in_c;
        const auto multiply = two ? Winograd512::MultiplyBlocks<2> : Winograd512::MultiplyBlocks<1>;
        multiply(u, block_step, v, part, g.in_c, plan.products + p * 16, kPositions * 16,
                 part * kPositions * 16);
      }
      WinogradFinish<Winograd512, m>(args, plan, first, part, block, plan.products);
      if (two) WinogradFinish<Winograd512, m>(args, plan, first, part, block + 1, second);
    }
  }
}

}  // namespace
}  // namespace octet
