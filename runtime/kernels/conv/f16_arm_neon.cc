// FP16 convolution: fused multiplications of 16 outputs at a time.
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/conv/f16.inl.h"

namespace octet {
namespace {

struct HalfRun {
  __attribute__((noinline)) static void Widen(const uint16_t* from, uint32_t count, float* to) {
    for (; count >= 8; count -= 8, from += 8, to += 8) {
      const Float8 x = LoadHalf8(from);
      vst1q_f32(to, x.low);
      vst1q_f32(to + 4, x.high);
    }
    if (count == 0) return;
    const Float8 x = LoadPartialHalf8(from, count);
    float rest[8];
    vst1q_f32(rest, x.low);
    vst1q_f32(rest + 4, x.high);
    for (uint32_t i = 0; i < count; ++i) to[i] = rest[i];
  }
};

// sum + w * element kLane of x.
template <int kLane>
static inline float32x4_t MultiplyAddLane(float32x4_t sum, float32x4_t w, float32x4_t x) {
#if defined(__aarch64__)
  return vfmaq_laneq_f32(sum, w, x, kLane);
#else
  return vfmaq_f32(sum, w,
                   vdupq_lane_f32(kLane < 2 ? vget_low_f32(x) : vget_high_f32(x), kLane & 1));
#endif
}

// Element kLane of the rows is one step of depth.
template <int kRows, int kLane>
static inline void MultiplyLane(const uint16_t* weights, const float32x4_t* x,
                                float32x4_t (*acc)[4]) {
#pragma GCC unroll 2
  for (int half = 0; half < 4; half += 2) {
    const Float8 w = LoadHalf8(weights + kLane * kBlock + half * 4);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      acc[r][half] = MultiplyAddLane<kLane>(acc[r][half], w.low, x[r]);
      acc[r][half + 1] = MultiplyAddLane<kLane>(acc[r][half + 1], w.high, x[r]);
    }
  }
}

template <int kRows>
static void Panel(const PartF16& part, const PanelF16& p, uint32_t row) {
  const FloatFunction function = {part.args->function, part.args->alpha, part.args->beta};
  const float* bias = part.bias + (size_t)p.block * kBlock;
  const float* rows = part.tile + (p.row + row) * part.row_step;
  float32x4_t acc[kRows][4];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) acc[r][i] = vld1q_f32(bias + 4 * i);
  }
  const uint16_t* weights = p.weights;
  size_t k = 0;
  float32x4_t x[kRows];
  for (; k + 4 <= part.depth; k += 4, weights += 4 * kBlock) {
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) x[r] = vld1q_f32(rows + (size_t)r * part.row_step + k);
    MultiplyLane<kRows, 0>(weights, x, acc);
    MultiplyLane<kRows, 1>(weights, x, acc);
    MultiplyLane<kRows, 2>(weights, x, acc);
    MultiplyLane<kRows, 3>(weights, x, acc);
  }
  for (; k < part.depth; ++k, weights += kBlock) {
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) x[r] = vdupq_n_f32(rows[(size_t)r * part.row_step + k]);
    MultiplyLane<kRows, 0>(weights, x, acc);
  }
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    uint16_t* to = p.output + (row + (size_t)r) * p.output_stride;
    StorePartialHalf8(to, Apply8(function, Float8{acc[r][0], acc[r][1]}), p.output_channels);
    if (p.output_channels > 8) {
      StorePartialHalf8(to + 8, Apply8(function, Float8{acc[r][2], acc[r][3]}),
                        p.output_channels - 8);
    }
  }
}

#if defined(__aarch64__)
constexpr uint32_t kPanelRows = 4;  // 16 sums, 4 weights, 4 rows in 32 registers
#else
constexpr uint32_t kPanelRows = 2;  // 8 sums, 4 weights in 16
#endif

struct NeonF16 : LevelF16<HalfRun> {
  static constexpr ConvRules kRules = kRulesF16Neon;
  static void Run(const PartF16& part, const PanelF16& panel, uint32_t rows, uint32_t) {
    if (rows == kPanelRows) return Panel<kPanelRows>(part, panel, 0);
    const uint32_t two = rows & 2;
    if (two != 0) Panel<2>(part, panel, 0);
    if (rows % 2 != 0) Panel<1>(part, panel, two);
  }
};

}  // namespace

#if defined(__aarch64__)
void conv_f16_neon_4x1(const ConvF16Args& args, Share share) {
  RunConv<NeonF16>(args, share);
}
#else
void conv_f16_neon_2x1(const ConvF16Args& args, Share share) {
  RunConv<NeonF16>(args, share);
}
#endif

void conv_f16_neon(const ConvF16Args& args, Share share) {
  RunConv<NeonF16>(args, share);
}

}  // namespace octet
