// Convolution with 256-bit VPDPBUSD: two registers hold the sums of 16 output channels of one
// pixel.
#include <immintrin.h>
#include <stdint.h>

#include "runtime/kernels/conv/x86_s8.inl.h"
#include "runtime/kernels/conv/x86_winograd256.inl.h"

namespace octet {
namespace {

constexpr uint32_t kTile = kRulesAvxVnni.tile_rows;

// acc += x * w. As assembly, because GCC 12 copies the accumulator around every VPDPBUSD of the
// intrinsic.
static inline void Dot(__m256i& acc, __m256i x, __m256i w) {
  __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(acc) : "x"(x), "x"(w));
}

// One group of 4 input channels.
template <int kRows>
static inline void DotGroup(__m256i (&acc)[kRows][2], const uint8_t* const (&in)[kRows], size_t k,
                            const int8_t* weights) {
  _mm_prefetch(weights + kPrefetchBytes, _MM_HINT_T0);
  const __m256i w0 = _mm256_load_si256(reinterpret_cast<const __m256i*>(weights));
  const __m256i w1 = _mm256_load_si256(reinterpret_cast<const __m256i*>(weights + 32));
#pragma GCC unroll 6
  for (int r = 0; r < kRows; ++r) {
    int32_t word;
    memcpy(&word, in[r] + k, 4);
    const __m256i x = _mm256_set1_epi32(word);
    Dot(acc[r][0], x, w0);
    Dot(acc[r][1], x, w1);
  }
}

template <bool kStepped, int kRows>
static inline void Multiply(const PanelS8& p, __m256i (&acc)[kRows][2]) {
  const int8_t* weights = p.weights;
  const uint8_t* const* pointers = p.pointers;
  for (uint64_t tap = 0; tap < p.taps; ++tap, pointers += kTile) {
    const uint8_t* in[kRows];
    FindRows<kStepped>(p, pointers, in);
    size_t k = 0;
    for (; k + 8 <= p.tap_bytes; k += 8, weights += 128) {
      DotGroup<kRows>(acc, in, k, weights);
      DotGroup<kRows>(acc, in, k + 4, weights + 64);
    }
    if (k < p.tap_bytes) {
      DotGroup<kRows>(acc, in, k, weights);
      weights += 64;
    }
  }
}

static inline __m256i Load8(const int32_t* from) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
}

// Two rows of 16 sums -> two times 16 bytes. The packs work within 128-bit lanes and leave double
// words 0 2 . . | 1 3 . . of the first row and the same of the second.
static inline __m256i PackRowPair(const __m256i (&a)[2], const __m256i (&b)[2], __m256i lo,
                                  __m256i hi) {
  const __m256i bytes =
      _mm256_packus_epi16(_mm256_packs_epi32(a[0], a[1]), _mm256_packs_epi32(b[0], b[1]));
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  const __m256i ordered = _mm256_permutevar8x32_epi32(bytes, order);
  return _mm256_min_epu8(_mm256_max_epu8(ordered, lo), hi);
}

// What few layers need, out of the way: kept in line it would cost the others registers.
__attribute__((noinline)) static void AdjustSums(__m256i* sums, int count, const TailS8& tail) {
  for (int i = 0; i < count; ++i) {
    if (tail.pre_shift != 0) sums[i] = PreShift8(sums[i], tail.pre_shift);
    if (tail.kind.doubled) sums[i] = Double8(sums[i]);
  }
}

__attribute__((noinline)) static void AddZeroPoint(__m256i* sums, int count, const TailS8& tail) {
  for (int i = 0; i < count; ++i) {
    sums[i] = _mm256_add_epi32(sums[i], _mm256_set1_epi32(tail.out_zero_point + 128));
  }
}

template <int kRows>
static inline void ForEachSum(__m256i (&acc)[kRows][2],
                              void (*change)(__m256i*, int, const TailS8&), const TailS8& tail) {
  __m256i sums[kRows][2];  // a copy, so that acc stays in registers
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int b = 0; b < 2; ++b) sums[r][b] = acc[r][b];
  }
  change(&sums[0][0], kRows * 2, tail);
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int b = 0; b < 2; ++b) acc[r][b] = sums[r][b];
  }
}

template <bool kStepped, int kRows>
static void Panel(const PartX86& part, const PanelS8& p) {
  __m256i acc[kRows][2];
  const TailS8& tail = part.tail;
  const PreparedBlock& block = part.constants[p.block];
#pragma GCC unroll 2
  for (int h = 0; h < 2; ++h) {
    const __m256i start = Load8(block.start + 8 * h);
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) acc[r][h] = start;
  }
  Multiply<kStepped>(p, acc);
  if (tail.unusual) ForEachSum(acc, AdjustSums, tail);
  const __m256 fused_start = _mm256_set1_ps(tail.fused_start);
  const __m256i middle = FusedMiddle8();
#pragma GCC unroll 2
  for (int h = 0; h < 2; ++h) {
    if (tail.kind.fused) {
      const __m256 factor = _mm256_load_ps(block.factor + 8 * h);
#pragma GCC unroll 6
      for (int r = 0; r < kRows; ++r) acc[r][h] = Fused8(acc[r][h], factor, fused_start, middle);
      continue;
    }
    const Channels8 channels = {Load8(block.multiplier + 8 * h),
                                Load8(block.multiplier_odd + 8 * h), Load8(block.rounding + 8 * h),
                                Load8(block.shift + 8 * h), false};
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) acc[r][h] = RequantizeDoubled8(acc[r][h], channels);
  }
  if (tail.kind.late_zero) ForEachSum(acc, AddZeroPoint, tail);
  // Read before the first store, which may alias anything.
  const __m256i lo = _mm256_set1_epi8((char)(tail.clamp_lo + 128));
  const __m256i hi = _mm256_set1_epi8((char)(tail.clamp_hi + 128));
  const int8_t* table = tail.table;
  const uint32_t channels = p.output_channels;
  const size_t stride = p.output_stride;
  uint8_t* to = p.output;
#pragma GCC unroll 3
  for (int r = 0; r < kRows; r += 2, to += 2 * stride) {
    const bool pair = r + 1 < kRows;
    const __m256i bytes = PackRowPair(acc[r], acc[pair ? r + 1 : r], lo, hi);
    if (channels == kChannelBlock && table == nullptr) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(bytes));
      if (pair) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + stride),
                         _mm256_extracti128_si256(bytes, 1));
      }
      continue;
    }
    for (int i = 0; i < (pair ? 2 : 1); ++i) {
      const __m128i row =
          i == 0 ? _mm256_castsi256_si128(bytes) : _mm256_extracti128_si256(bytes, 1);
      StorePartial16(to + (size_t)i * stride, row, channels);
      if (table != nullptr) ApplyTable(to + (size_t)i * stride, channels, table);
    }
  }
}

// 6 x 2 sums, 2 weights and 1 broadcast in 16 registers.
struct AvxVnni : VnniX86 {
  static constexpr ConvRules kRules = kRulesAvxVnni;
  static void Run(const Part& part, const PanelS8& panel, uint32_t rows, uint32_t) {
    typedef void (*PanelFn)(const PartX86&, const PanelS8&);
    static constexpr PanelFn kPanels[2][6] = {{Panel<false, 1>, Panel<false, 2>, Panel<false, 3>,
                                               Panel<false, 4>, Panel<false, 5>, Panel<false, 6>},
                                              {Panel<true, 1>, Panel<true, 2>, Panel<true, 3>,
                                               Panel<true, 4>, Panel<true, 5>, Panel<true, 6>}};
    kPanels[panel.row_step != 0][rows - 1](part, panel);
  }
};

struct DpwssdPairs {
  static inline void Multiply(__m256i& acc, __m256i x, __m256i w) {
    __asm__("%{vex%} vpdpwssd %2, %1, %0" : "+x"(acc) : "x"(x), "x"(w));
  }
};

}  // namespace

void conv_s8_avxvnni_6x1(const ConvS8Args& args, Share share) {
  RunConv<AvxVnni>(args, share);
}

void conv_s8_avxvnni_winograd(const ConvS8Args& args, Share share) {
  RunWinograd<Winograd256<DpwssdPairs>>(args, share);
}

void conv_s8_avxvnni(const ConvS8Args& args, Share share) {
  const ConvChoice choice = ChooseConv(kRulesAvxVnni, args.g, args.winograd, share.count);
  if (choice.way == ConvWay::kWinograd) return conv_s8_avxvnni_winograd(args, share);
  RunConv<AvxVnni>(args, share, choice.panel_blocks);
}

}  // namespace octet
