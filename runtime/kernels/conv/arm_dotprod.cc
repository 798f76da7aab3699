// Convolution with SDOT by element: a vector of weights holds 4 outputs x 4 channels, an element of
// a row's activations the same 4 channels, so neither is rearranged.
#include <stdint.h>

namespace octet {
namespace {

// 6 x 4 sums, 4 weights and 4 rows in 32 registers; 16 channels cost 6 + 16 loads for 96 SDOT.
constexpr uint32_t kMaxPanelRows = 6;

}  // namespace
}  // namespace octet

#include "runtime/kernels/conv/arm_conv_s8_driver.inl.h"

namespace octet {
namespace {

// SDOT sums four products in 32 bits: any weight will do.
static bool NeedsWeightRange(uint64_t) {
  return false;
}

// 4 channels, those of element kLane, of all rows x 16 outputs.
template <int kRows, int kLane>
static inline void Multiply4(const int8_t* weights, const int8x16_t* x, int32x4_t (*acc)[4]) {
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const int8x16_t w = vld1q_s8(weights + 64 * kLane + 16 * i);
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) acc[r][i] = vdotq_laneq_s32(acc[r][i], w, x[r], kLane);
  }
}

template <int kRows>
static void Panel(const PanelS8& p, const LayerTailS8& tail) {
  int32x4_t acc[kRows][4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const int32x4_t bias = vld1q_s32(p.channels->bias + 4 * i);
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) acc[r][i] = bias;
  }
  const int8_t* weights = p.weights;
  const uint8_t* const* pointers = p.pointers;
  for (uint64_t tap = 0; tap < p.taps; ++tap, pointers += kMaxTileRows) {
    const uint8_t* in[kRows];
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) in[r] = pointers[r];
    size_t left = p.tap_bytes;
    int8x16_t x[kRows];
    for (; left >= 16; left -= 16, weights += 256) {
#pragma GCC unroll 6
      for (int r = 0; r < kRows; ++r, in[r - 1] += 16) x[r] = LoadBytes(in[r]);
      Multiply4<kRows, 0>(weights, x, acc);
      Multiply4<kRows, 1>(weights, x, acc);
      Multiply4<kRows, 2>(weights, x, acc);
      Multiply4<kRows, 3>(weights, x, acc);
    }
    for (; left != 0; left -= 4, weights += 64) {
#pragma GCC unroll 6
      for (int r = 0; r < kRows; ++r, in[r - 1] += 4) x[r] = LoadReplicated4(in[r]);
      Multiply4<kRows, 0>(weights, x, acc);
    }
  }
  StoreRows(p, tail, kRows, acc);
}

static void RunPanel(const PanelS8& panel, const LayerTailS8& tail, uint32_t rows, bool) {
  static constexpr void (*kPanels[kMaxPanelRows])(const PanelS8&, const LayerTailS8&) = {
      Panel<1>, Panel<2>, Panel<3>, Panel<4>, Panel<5>, Panel<6>};
  kPanels[rows - 1](panel, tail);
}

}  // namespace

void conv_s8_dotprod(const ConvS8Args& args, Share share) {
  RunConvS8(args, share);
}

}  // namespace octet
