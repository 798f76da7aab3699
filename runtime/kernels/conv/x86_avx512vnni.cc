// Convolution with 512-bit VPDPBUSD: one register holds the sums of 16 output channels of one
// pixel.
#include <stdint.h>

#include "runtime/kernels/conv/x86_s8.inl.h"
#include "runtime/kernels/conv/x86_winograd512.inl.h"

namespace octet {
namespace {

constexpr uint32_t kTile = kRulesAvx512Vnni.tile_rows;

// acc += x * w. As assembly, because GCC 12 copies the accumulator around every VPDPBUSD of the
// intrinsic and then runs out of registers: the operand that is read and written stays in its place
// here.
static inline void Dot(__m512i& acc, __m512i x, __m512i w) {
  __asm__("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(x), "v"(w));
}

static inline int32_t LoadWord(const uint8_t* from) {
  int32_t word;
  memcpy(&word, from, 4);
  return word;
}

// Four registers of 16 sums -> 4 times 16 bytes. packs works within 128-bit lanes: lane l holds
// channels 4l..4l+3 of each register, so that a transposition of 4x4 double words puts them in
// order.
static inline __m512i PackFour(const __m512i (&v)[4]) {
  const __m512i packed =
      _mm512_packus_epi16(_mm512_packs_epi32(v[0], v[1]), _mm512_packs_epi32(v[2], v[3]));
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return _mm512_permutexvar_epi32(order, packed);
}

// Clamps, packs and stores; four registers are one row of 4 blocks (or 3), two of 2 or four of 1.
template <int kRows, int kBlocks>
static inline void StoreRows(const __m512i (&acc)[kRows][kBlocks], const PanelS8& p,
                             const TailS8& tail) {
  constexpr int kTogether = kBlocks == 1 ? 4 : kBlocks == 2 ? 2 : 1;
  // Read before the first store, which may alias anything.
  const bool clamps = tail.clamp_lo != -128 || tail.clamp_hi != 127;
  const __m512i lo = _mm512_set1_epi8((char)(tail.clamp_lo + 128));
  const __m512i hi = _mm512_set1_epi8((char)(tail.clamp_hi + 128));
  const int8_t* table = tail.table;
  const uint32_t channels = p.output_channels;
  const size_t stride = p.output_stride;
  const __mmask64 mask = channels >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << channels) - 1;
  uint8_t* to = p.output;
#pragma GCC unroll 12
  for (int r = 0; r < kRows; r += kTogether) {
    __m512i v[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const int row = r + (kTogether == 1 ? 0 : i / kBlocks);
      const int block = kTogether == 1 ? i : i % kBlocks;
      v[i] = row < kRows && block < kBlocks ? acc[row < kRows ? row : 0][block % kBlocks]
                                            : _mm512_setzero_si512();
    }
    __m512i bytes = PackFour(v);
    if (clamps) bytes = _mm512_min_epu8(_mm512_max_epu8(bytes, lo), hi);
    if (table != nullptr) bytes = LookUp(bytes, table);
    if (kTogether == 4) {
      _mm_mask_storeu_epi8(to, (__mmask16)mask, _mm512_castsi512_si128(bytes));
      if (r + 1 < kRows) {
        _mm_mask_storeu_epi8(to + stride, (__mmask16)mask, _mm512_extracti32x4_epi32(bytes, 1));
      }
      if (r + 2 < kRows) {
        _mm_mask_storeu_epi8(to + 2 * stride, (__mmask16)mask, _mm512_extracti32x4_epi32(bytes, 2));
      }
      if (r + 3 < kRows) {
        _mm_mask_storeu_epi8(to + 3 * stride, (__mmask16)mask, _mm512_extracti32x4_epi32(bytes, 3));
      }
    } else if (kTogether == 2) {
      _mm256_mask_storeu_epi8(to, (__mmask32)mask, _mm512_castsi512_si256(bytes));
      if (r + 1 < kRows) {
        _mm256_mask_storeu_epi8(to + stride, (__mmask32)mask, _mm512_extracti64x4_epi64(bytes, 1));
      }
    } else {
      _mm512_mask_storeu_epi8(to, mask, bytes);
    }
    to += kTogether * stride;
  }
}

// As assembly, because GCC makes an address of its own for every block, and runs out of registers.
static inline void Prefetch(const int8_t* weights, size_t offset) {
  __asm__ volatile("prefetcht0 %c2(%0,%1)" ::"r"(weights), "r"(offset), "i"(kPrefetchBytes));
}

// One group of 4 input channels.
template <int kRows, int kBlocks>
static inline void DotGroup(__m512i (&acc)[kRows][kBlocks], const uint8_t* const (&in)[kRows],
                            size_t k, const int8_t* weights, const size_t (&offset)[kBlocks]) {
#pragma GCC unroll 4
  for (int b = 0; b < kBlocks; ++b) Prefetch(weights, offset[b]);
  __m512i w[kBlocks];
#pragma GCC unroll 4
  for (int b = 0; b < kBlocks; ++b) w[b] = _mm512_loadu_si512(weights + offset[b]);
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
    const __m512i x = _mm512_set1_epi32(LoadWord(in[r] + k));
#pragma GCC unroll 4
    for (int b = 0; b < kBlocks; ++b) Dot(acc[r][b], x, w[b]);
  }
}

// What few layers need, out of the way: kept in line it would cost the others registers.
__attribute__((noinline)) static void AdjustSums(__m512i* sums, int count, const TailS8& tail) {
  for (int i = 0; i < count; ++i) {
    if (tail.pre_shift != 0) sums[i] = PreShift16(sums[i], tail.pre_shift);
    if (tail.kind.doubled) sums[i] = Double16(sums[i]);
  }
}

__attribute__((noinline)) static void AddZeroPoint(__m512i* sums, int count, const TailS8& tail) {
  for (int i = 0; i < count; ++i) {
    sums[i] = _mm512_add_epi32(sums[i], _mm512_set1_epi32(tail.out_zero_point + 128));
  }
}

template <int kRows, int kBlocks>
static inline void ForEachSum(__m512i (&acc)[kRows][kBlocks],
                              void (*change)(__m512i*, int, const TailS8&), const TailS8& tail) {
  __m512i sums[kRows][kBlocks];  // a copy, so that acc stays in registers
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int b = 0; b < kBlocks; ++b) sums[r][b] = acc[r][b];
  }
  change(&sums[0][0], kRows * kBlocks, tail);
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int b = 0; b < kBlocks; ++b) acc[r][b] = sums[r][b];
  }
}

template <bool kStepped, int kRows, int kBlocks>
static inline void Multiply(const PanelS8& p, __m512i (&acc)[kRows][kBlocks]) {
  const int8_t* weights = p.weights;
  size_t offset[kBlocks];
#pragma GCC unroll 4
  for (int b = 0; b < kBlocks; ++b) offset[b] = (size_t)b * p.block_step;
  const uint8_t* const* pointers = p.pointers;
  for (uint64_t tap = 0; tap < p.taps; ++tap, pointers += kTile) {
    const uint8_t* in[kRows];
    FindRows<kStepped>(p, pointers, in);
    size_t k = 0;
    for (; k + 8 <= p.tap_bytes; k += 8, weights += 128) {
      DotGroup<kRows, kBlocks>(acc, in, k, weights, offset);
      DotGroup<kRows, kBlocks>(acc, in, k + 4, weights + 64, offset);
    }
    if (k < p.tap_bytes) {
      DotGroup<kRows, kBlocks>(acc, in, k, weights, offset);
      weights += 64;
    }
  }
}

// Twelve pointers are more than there are registers beside the rest: four of every third row.
template <int kRows>
static inline void MultiplyTall(const PanelS8& p, __m512i (&acc)[kRows][1]) {
  constexpr int kThirds = (kRows + 2) / 3;
  const int8_t* weights = p.weights;
  const size_t step = p.row_step;
  const uint8_t* const* pointers = p.pointers;
  for (uint64_t tap = 0; tap < p.taps; ++tap, pointers += kTile) {
    const uint8_t* in[kThirds];
    in[0] = pointers[0] + p.row_offset;
#pragma GCC unroll 4
    for (int i = 1; i < kThirds; ++i) in[i] = in[i - 1] + 3 * step;
    for (size_t k = 0; k < p.tap_bytes; k += 4, weights += 64) {
      const __m512i w = _mm512_loadu_si512(weights);
#pragma GCC unroll 12
      for (int r = 0; r < kRows; ++r) {
        Dot(acc[r][0], _mm512_set1_epi32(LoadWord(in[r / 3] + (size_t)(r % 3) * step)), w);
      }
#pragma GCC unroll 4
      for (int i = 0; i < kThirds; ++i) in[i] += 4;
    }
  }
}

template <bool kStepped, int kRows, int kBlocks>
static void Panel(const PartX86& part, const PanelS8& p) {
  const TailS8& tail = part.tail;
  const PreparedBlock* constants = part.constants + p.block;
  __m512i acc[kRows][kBlocks];
#pragma GCC unroll 4
  for (int b = 0; b < kBlocks; ++b) {
    const __m512i start = _mm512_load_si512(constants[b].start);
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) acc[r][b] = start;
  }

  if constexpr (kStepped && kBlocks == 1 && kRows > 9) {
    MultiplyTall<kRows>(p, acc);
  } else {
    Multiply<kStepped>(p, acc);
  }

  if (tail.unusual) ForEachSum(acc, AdjustSums, tail);
  const __m512 fused_start = _mm512_set1_ps(tail.fused_start);
#pragma GCC unroll 4
  for (int b = 0; b < kBlocks; ++b) {
    const PreparedBlock& c = constants[b];
    if (tail.kind.fused) {
      const __m512 factor = _mm512_load_ps(c.factor);
#pragma GCC unroll 12
      for (int r = 0; r < kRows; ++r) acc[r][b] = Fused16(acc[r][b], factor, fused_start);
      continue;
    }
    const Channels16 channels = {_mm512_load_si512(c.multiplier),
                                 _mm512_load_si512(c.multiplier_odd), _mm512_load_si512(c.rounding),
                                 _mm512_load_si512(c.shift), false};
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) acc[r][b] = RequantizeDoubled16(acc[r][b], channels);
  }
  if (tail.kind.late_zero) ForEachSum(acc, AddZeroPoint, tail);
  StoreRows<kRows, kBlocks>(acc, p, tail);
}

typedef void (*PanelFn)(const PartX86&, const PanelS8&);
template <bool kStepped>
struct Panels {
  template <int kRows, int kBlocks>
  static constexpr PanelFn kOf = Panel<kStepped, kRows, kBlocks>;
  // [blocks - 1][rows - 1]
  static constexpr PanelFn kAll[4][12] = {
      {kOf<1, 1>, kOf<2, 1>, kOf<3, 1>, kOf<4, 1>, kOf<5, 1>, kOf<6, 1>, kOf<7, 1>, kOf<8, 1>,
       kOf<9, 1>, kOf<10, 1>, kOf<11, 1>, kOf<12, 1>},
      {kOf<1, 2>, kOf<2, 2>, kOf<3, 2>, kOf<4, 2>, kOf<5, 2>, kOf<6, 2>, kOf<7, 2>, kOf<8, 2>},
      {kOf<1, 3>, kOf<2, 3>, kOf<3, 3>, kOf<4, 3>, kOf<5, 3>, kOf<6, 3>, kOf<7, 3>, kOf<8, 3>},
      {kOf<1, 4>, kOf<2, 4>, kOf<3, 4>, kOf<4, 4>, kOf<5, 4>, kOf<6, 4>}};
};

// rows * blocks sums, `blocks` weights and one broadcast fit 32 registers; 10 sums or more hide the
// latency of VPDPBUSD (5 cycles, two a cycle).
struct Avx512Vnni : VnniX86 {
  static constexpr ConvRules kRules = kRulesAvx512Vnni;
  static void Run(const Part& part, const PanelS8& panel, uint32_t rows, uint32_t blocks) {
    const auto& panels = panel.row_step != 0 ? Panels<true>::kAll : Panels<false>::kAll;
    panels[blocks - 1][rows - 1](part, panel);
  }
};

}  // namespace

void conv_s8_avx512vnni_12x1(const ConvS8Args& args, Share share) {
  RunConv<Avx512Vnni>(args, share, 1);
}
void conv_s8_avx512vnni_8x2(const ConvS8Args& args, Share share) {
  RunConv<Avx512Vnni>(args, share, 2);
}
void conv_s8_avx512vnni_8x3(const ConvS8Args& args, Share share) {
  RunConv<Avx512Vnni>(args, share, 3);
}
void conv_s8_avx512vnni_6x4(const ConvS8Args& args, Share share) {
  RunConv<Avx512Vnni>(args, share, 4);
}

void conv_s8_avx512vnni_winograd(const ConvS8Args& args, Share share) {
  RunWinograd512(args, share);
}

void conv_s8_avx512vnni(const ConvS8Args& args, Share share) {
  const ConvChoice choice = ChooseConv(kRulesAvx512Vnni, args.g, args.winograd, share.count);
  if (choice.way == ConvWay::kWinograd) return conv_s8_avx512vnni_winograd(args, share);
  RunConv<Avx512Vnni>(args, share, choice.panel_blocks);
}

}  // namespace octet
