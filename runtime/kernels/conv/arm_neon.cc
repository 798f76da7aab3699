// Convolution for cores without SDOT: SMULL and SMLAL put the products of two groups of 4 channels
// into 16 bits, SADALP adds neighbours to 32-bit sums of pairs of channels; two of these belong to
// each output and meet once at the end.
#include <stdint.h>

namespace octet {
namespace {

#if defined(__aarch64__)
// 2 rows x 16 outputs are 16 vectors of pair sums, 4 replicated activations and 8 weights.
constexpr uint32_t kMaxPanelRows = 2;
constexpr int kPassQuads = 4;
#else
// 2 rows x 8 outputs are 8 of the 16 registers; a block takes two passes.
constexpr uint32_t kMaxPanelRows = 2;
constexpr int kPassQuads = 2;
#endif

}  // namespace
}  // namespace octet

#include "runtime/kernels/conv/arm_conv_s8_driver.inl.h"

namespace octet {
namespace {

// Two products |x * w| <= 128 * 127 fit 16 bits, 2 * 128 * 128 does not. From a few pixels on, a
// look at the weights costs less than adding every product on its own.
static bool NeedsWeightRange(uint64_t pixels) {
  return pixels >= 4;
}

// sums[r][2 i], [2 i + 1] += 4 channels of row r x outputs 4 i .. 4 i + 3.
template <int kRows>
static inline void Multiply4(const int8_t* weights, const int8x16_t* x,
                             int32x4_t (*sums)[2 * kPassQuads]) {
#pragma GCC unroll 4
  for (int i = 0; i < kPassQuads; ++i) {
    const int8x16_t w = vld1q_s8(weights + 16 * i);
#pragma GCC unroll 2
    for (int r = 0; r < kRows; ++r) {
      const int16x8_t low = vmull_s8(vget_low_s8(w), vget_low_s8(x[r]));
      sums[r][2 * i] = vpadalq_s16(sums[r][2 * i], low);
      sums[r][2 * i + 1] = vpadalq_s16(sums[r][2 * i + 1], MultiplyHigh8(w, x[r]));
    }
  }
}

// The same for 8 channels, products of two groups added in 16 bits.
template <int kRows>
static inline void Multiply8(const int8_t* weights, const int8x16_t* x0, const int8x16_t* x1,
                             int32x4_t (*sums)[2 * kPassQuads]) {
#pragma GCC unroll 4
  for (int i = 0; i < kPassQuads; ++i) {
    const int8x16_t w0 = vld1q_s8(weights + 16 * i);
    const int8x16_t w1 = vld1q_s8(weights + 64 + 16 * i);
#pragma GCC unroll 2
    for (int r = 0; r < kRows; ++r) {
      int16x8_t low = vmull_s8(vget_low_s8(w0), vget_low_s8(x0[r]));
      int16x8_t high = MultiplyHigh8(w0, x0[r]);
      low = vmlal_s8(low, vget_low_s8(w1), vget_low_s8(x1[r]));
      high = MultiplyAddHigh8(high, w1, x1[r]);
      sums[r][2 * i] = vpadalq_s16(sums[r][2 * i], low);
      sums[r][2 * i + 1] = vpadalq_s16(sums[r][2 * i + 1], high);
    }
  }
}

template <int kRows, bool kSmallWeights>
static inline void Pass(const PanelS8& p, int first_quad, int32x4_t (*acc)[4]) {
  int32x4_t sums[kRows][2 * kPassQuads];
#pragma GCC unroll 2
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int i = 0; i < 2 * kPassQuads; ++i) sums[r][i] = vdupq_n_s32(0);
  }
  const int8_t* weights = p.weights + 16 * first_quad;
  const uint8_t* const* pointers = p.pointers;
  for (uint64_t tap = 0; tap < p.taps; ++tap, pointers += kMaxTileRows) {
    const uint8_t* in[kRows];
#pragma GCC unroll 2
    for (int r = 0; r < kRows; ++r) in[r] = pointers[r];
    size_t left = p.tap_bytes;
    int8x16_t x0[kRows], x1[kRows];
    if (kSmallWeights) {
      for (; left >= 8; left -= 8, weights += 128) {
#pragma GCC unroll 2
        for (int r = 0; r < kRows; ++r) {
          x0[r] = LoadNext4(&in[r]);
          x1[r] = LoadNext4(&in[r]);
        }
        Multiply8<kRows>(weights, x0, x1, sums);
      }
    }
    for (; left != 0; left -= 4, weights += 64) {
#pragma GCC unroll 2
      for (int r = 0; r < kRows; ++r) x0[r] = LoadNext4(&in[r]);
      Multiply4<kRows>(weights, x0, sums);
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < kPassQuads; ++i) {
    const int32x4_t bias = vld1q_s32(p.channels->bias + 4 * (first_quad + i));
#pragma GCC unroll 2
    for (int r = 0; r < kRows; ++r) {
      acc[r][first_quad + i] = vaddq_s32(AddPairs(sums[r][2 * i], sums[r][2 * i + 1]), bias);
    }
  }
}

template <int kRows, bool kSmallWeights>
static void Panel(const PanelS8& p, const LayerTailS8& tail) {
  int32x4_t acc[kRows][4];
#pragma GCC unroll 2
  for (int quad = 0; quad < 4; quad += kPassQuads) Pass<kRows, kSmallWeights>(p, quad, acc);
  StoreRows(p, tail, kRows, acc);
}

static void RunPanel(const PanelS8& panel, const LayerTailS8& tail, uint32_t rows,
                     bool small_weights) {
  static constexpr void (*kPanels[2][kMaxPanelRows])(const PanelS8&, const LayerTailS8&) = {
      {Panel<1, false>, Panel<2, false>}, {Panel<1, true>, Panel<2, true>}};
  kPanels[small_weights ? 1 : 0][rows - 1](panel, tail);
}

}  // namespace

void conv_s8_neon(const ConvS8Args& args, Share share) {
  RunConvS8(args, share);
}

}  // namespace octet
