// Convolution with 512-bit VPDPBUSD: one register holds the sums of 16 output channels of one
// pixel.
#include <stdint.h>
#include "runtime/kernels/conv/x86_immintrin.inl.h"

namespace octet {
namespace {

constexpr uint32_t kMaxPanelBlocks = 4;
constexpr uint32_t kMaxTileRows = 24;  // a multiple of every PanelRows()
constexpr uint32_t kMaxPackedTileRows = 24;
// Weights that come from beyond the level 2 cache: the hardware's prefetcher stops at every 4 KiB
// page.
constexpr size_t kPrefetchBytes = 2048;

}  // namespace
}  // namespace octet

#include "runtime/kernels/conv/x86_conv_s8_driver.inl.h"
#include "runtime/kernels/conv/x86_requantize.inl.h"

namespace octet {
namespace {

// rows * blocks sums, `blocks` weights and one broadcast fit 32 registers; 10 sums or more hide the
// latency of VPDPBUSD (5 cycles, two a cycle).
static uint32_t PanelRows(uint32_t blocks) {
  return blocks == 4 ? 6 : blocks == 1 ? 12 : 8;
}

static uint32_t MaxPartBlocks(const ConvPlan&) {
  return kAllBlocks;
}

static bool PreparePart(const ConvPlan&, const int8_t*, uint64_t, uint32_t) {
  return false;
}

static void PrepareTile(const PanelS8&, uint32_t) {}

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

// Up to 64 output bytes of one pixel from the requantized sums of its blocks.
template <int kBlocks>
static inline void StoreRow(const __m512i* value, const TailS8& tail, __mmask64 mask, uint8_t* to,
                            uint32_t channels) {
  const __m512i zero_point = _mm512_set1_epi16((short)(tail.out_zero_point + 128));
  const __m512i none = _mm512_setzero_si512();
  const __m512i low = _mm512_packs_epi32(value[0], kBlocks > 1 ? value[kBlocks > 1 ? 1 : 0] : none);
  __m512i high = none;
  if (kBlocks > 2) {
    high = _mm512_packs_epi32(value[kBlocks > 2 ? 2 : 0],
                              kBlocks > 3 ? value[kBlocks > 3 ? 3 : 0] : none);
  }
  // packs works within 128-bit lanes: lane l holds channels 4l..4l+3 of each block, so that a
  // transposition of 4x4 double words puts them in order.
  const __m512i packed =
      _mm512_packus_epi16(_mm512_adds_epi16(low, zero_point), _mm512_adds_epi16(high, zero_point));
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  __m512i bytes = _mm512_permutexvar_epi32(order, packed);
  bytes = _mm512_max_epu8(bytes, _mm512_set1_epi8((char)(tail.clamp_lo + 128)));
  bytes = _mm512_min_epu8(bytes, _mm512_set1_epi8((char)(tail.clamp_hi + 128)));
  _mm512_mask_storeu_epi8(to, mask, bytes);
  if (tail.table != nullptr) ApplyTable(to, channels, tail.table);
}

template <int kRows, int kBlocks>
static void Panel(const PanelS8& p, const TailS8& tail) {
  __m512i acc[kRows][kBlocks];
#pragma GCC unroll 4
  for (int b = 0; b < kBlocks; ++b) {
    const __m512i bias = _mm512_loadu_si512(p.channels[b].bias);
    const __m512i sum = _mm512_loadu_si512(p.channels[b].weight_sum);
    const __m512i start = _mm512_sub_epi32(bias, _mm512_slli_epi32(sum, 7));
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) acc[r][b] = start;
  }

  const int8_t* weights = p.weights;
  const size_t step = p.block_bytes;
  const uint8_t* const* pointers = p.pointers;
  for (uint64_t tap = 0; tap < p.taps; ++tap, pointers += kMaxTileRows) {
    const uint8_t* in[kRows];
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) in[r] = pointers[r];
    for (size_t k = 0; k < p.k_groups * 4; k += 4, weights += 64) {
      if (kPrefetchBytes != 0) {
#pragma GCC unroll 4
        for (int b = 0; b < kBlocks; ++b) {
          _mm_prefetch(weights + (size_t)b * step + kPrefetchBytes, _MM_HINT_T0);
        }
      }
      __m512i w[kBlocks];
#pragma GCC unroll 4
      for (int b = 0; b < kBlocks; ++b) w[b] = _mm512_loadu_si512(weights + (size_t)b * step);
#pragma GCC unroll 12
      for (int r = 0; r < kRows; ++r) {
        const __m512i x = _mm512_set1_epi32(LoadWord(in[r] + k));
#pragma GCC unroll 4
        for (int b = 0; b < kBlocks; ++b) Dot(acc[r][b], x, w[b]);
      }
    }
  }

#pragma GCC unroll 4
  for (int b = 0; b < kBlocks; ++b) {
    const Channels16 channels = LoadChannels16(p.channels[b].multiplier, p.channels[b].shift);
    if (tail.pre_shift != 0) {
#pragma GCC unroll 12
      for (int r = 0; r < kRows; ++r) acc[r][b] = PreShift16(acc[r][b], tail.pre_shift);
    }
    if (channels.doubled) {
#pragma GCC unroll 12
      for (int r = 0; r < kRows; ++r) acc[r][b] = Double16(acc[r][b]);
    }
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) acc[r][b] = RequantizeDoubled16(acc[r][b], channels);
  }
  const __mmask64 mask =
      p.output_channels >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << p.output_channels) - 1;
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
    StoreRow<kBlocks>(acc[r], tail, mask, p.output + (size_t)r * p.output_stride,
                      p.output_channels);
  }
}

typedef void (*PanelFn)(const PanelS8&, const TailS8&);

static void RunPanel(const PanelS8& panel, const TailS8& tail, uint32_t rows, uint32_t blocks) {
  static constexpr PanelFn kPanels[4][12] = {
      {Panel<1, 1>, Panel<2, 1>, Panel<3, 1>, Panel<4, 1>, Panel<5, 1>, Panel<6, 1>, Panel<7, 1>,
       Panel<8, 1>, Panel<9, 1>, Panel<10, 1>, Panel<11, 1>, Panel<12, 1>},
      {Panel<1, 2>, Panel<2, 2>, Panel<3, 2>, Panel<4, 2>, Panel<5, 2>, Panel<6, 2>, Panel<7, 2>,
       Panel<8, 2>},
      {Panel<1, 3>, Panel<2, 3>, Panel<3, 3>, Panel<4, 3>, Panel<5, 3>, Panel<6, 3>, Panel<7, 3>,
       Panel<8, 3>},
      {Panel<1, 4>, Panel<2, 4>, Panel<3, 4>, Panel<4, 4>, Panel<5, 4>, Panel<6, 4>}};
  kPanels[blocks - 1][rows - 1](panel, tail);
}

}  // namespace

void conv_s8_avx512vnni(const ConvS8Args& args, Share share) {
  RunConvS8(args, share);
}

}  // namespace octet
