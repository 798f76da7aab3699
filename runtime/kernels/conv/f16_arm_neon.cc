// FP16 convolution: fused multiplications of 16 outputs at a time.
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/conv/f16.inl.h"
#include "runtime/kernels/conv/f16_winograd.inl.h"

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
    const Float8 w = LoadHalf8(weights + kLane * kChannelBlock + half * 4);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      acc[r][half] = MultiplyAddLane<kLane>(acc[r][half], w.low, x[r]);
      acc[r][half + 1] = MultiplyAddLane<kLane>(acc[r][half + 1], w.high, x[r]);
    }
  }
}

// What Panel() does not do in line, to `rows` rows of sums. One for panels of all sizes.
__attribute__((noinline)) static void Finish(const FloatFunction& function, const PanelF16& p,
                                             uint32_t rows, float* values, uint16_t* output) {
  if (function.function != blob::Function::kIdentity) {
    ApplyMany(function, values, rows * kChannelBlock);
  }
  for (uint32_t r = 0; r < rows; ++r, values += kChannelBlock, output += p.output_stride) {
    if (p.output_channels < kChannelBlock) {
      HalfRows::Narrow(values, p.output_channels, output);
      continue;
    }
    for (uint32_t i = 0; i < kChannelBlock; i += 8) {
      StorePartialHalf8(output + i, Float8{vld1q_f32(values + i), vld1q_f32(values + i + 4)}, 8);
    }
  }
}

template <int kRows>
static inline void Sums(const PartF16& part, const PanelF16& p, uint32_t row,
                        float32x4_t (*acc)[4]) {
  const float* bias = part.bias + (size_t)p.block * kChannelBlock;
  const float* rows = part.tile + (p.row + row) * part.row_step;
  const uint16_t* weights = p.weights;
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) acc[r][i] = vld1q_f32(bias + 4 * i);
  }
  float32x4_t x[kRows];
  for (size_t i = 0; i < part.runs; ++i, rows += part.run_step) {
    size_t k = 0;
    for (; k + 4 <= part.run; k += 4, weights += 4 * kChannelBlock) {
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) x[r] = vld1q_f32(rows + (size_t)r * part.row_step + k);
      MultiplyLane<kRows, 0>(weights, x, acc);
      MultiplyLane<kRows, 1>(weights, x, acc);
      MultiplyLane<kRows, 2>(weights, x, acc);
      MultiplyLane<kRows, 3>(weights, x, acc);
    }
    for (; k < part.run; ++k, weights += kChannelBlock) {
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) x[r] = vdupq_n_f32(rows[(size_t)r * part.row_step + k]);
      MultiplyLane<kRows, 0>(weights, x, acc);
    }
  }
}

template <int kRows>
static inline void StoreSums(const float32x4_t (*acc)[4], float* values) {
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) vst1q_f32(values + r * kChannelBlock + 4 * i, acc[r][i]);
  }
}

template <int kRows>
static void Panel(const PartF16& part, const PanelF16& p, uint32_t row) {
  float32x4_t acc[kRows][4];
  Sums<kRows>(part, p, row, acc);
  const FloatFunction function = {part.args->function, part.args->alpha, part.args->beta};
  uint16_t* output = p.output + row * p.output_stride;
  const bool clamps = function.function == blob::Function::kClamp;
  if (p.output_channels < kChannelBlock ||
      !(clamps || function.function == blob::Function::kIdentity)) {
    float values[kRows * kChannelBlock];
    StoreSums<kRows>(acc, values);
    return Finish(function, p, kRows, values, output);
  }
  if (clamps) {
    const float32x4_t lo = vdupq_n_f32(function.alpha), hi = vdupq_n_f32(function.beta);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) acc[r][i] = Clamp4(acc[r][i], lo, hi);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r, output += p.output_stride) {
    StorePartialHalf8(output, Float8{acc[r][0], acc[r][1]}, 8);
    StorePartialHalf8(output + 8, Float8{acc[r][2], acc[r][3]}, 8);
  }
}

#if defined(__aarch64__)
constexpr uint32_t kPanelRows = 8;  // 16 sums, 2 weights, 8 rows in 32 registers

// Element kLane of the rows is one step of depth.
template <int kLane>
static inline void MultiplyTallLane(const uint16_t* weights, const float32x4_t* x,
                                    float32x4_t (*acc)[2]) {
  const Float8 w = LoadHalf8(weights + kLane * kChannelBlock);
#pragma GCC unroll 8
  for (uint32_t r = 0; r < kPanelRows; ++r) {
    acc[r][0] = MultiplyAddLane<kLane>(acc[r][0], w.low, x[r]);
    acc[r][1] = MultiplyAddLane<kLane>(acc[r][1], w.high, x[r]);
  }
}

// 8 rows x 8 outputs, twice. Weights are widened by the units that multiply: here once for 8 rows,
// in a panel of 4 rows x 16 outputs once for 4.
__attribute__((noinline)) static void TallSums(const PartF16& part, const PanelF16& p,
                                               float* values) {
  const size_t step = part.row_step, run = part.run;
  for (uint32_t first = 0; first < kChannelBlock; first += 8) {
    const float* bias = part.bias + (size_t)p.block * kChannelBlock + first;
    const float* rows = part.tile + p.row * step;
    const uint16_t* weights = p.weights + first;
    float32x4_t acc[kPanelRows][2], x[kPanelRows];
#pragma GCC unroll 8
    for (uint32_t r = 0; r < kPanelRows; ++r) {
      acc[r][0] = vld1q_f32(bias);
      acc[r][1] = vld1q_f32(bias + 4);
    }
    for (size_t i = 0; i < part.runs; ++i, rows += part.run_step) {
      size_t k = 0;
      for (; k + 4 <= run; k += 4, weights += 4 * kChannelBlock) {
#pragma GCC unroll 8
        for (uint32_t r = 0; r < kPanelRows; ++r) x[r] = vld1q_f32(rows + r * step + k);
        MultiplyTallLane<0>(weights, x, acc);
        MultiplyTallLane<1>(weights, x, acc);
        MultiplyTallLane<2>(weights, x, acc);
        MultiplyTallLane<3>(weights, x, acc);
      }
      for (; k < run; ++k, weights += kChannelBlock) {
#pragma GCC unroll 8
        for (uint32_t r = 0; r < kPanelRows; ++r) x[r] = vdupq_n_f32(rows[r * step + k]);
        MultiplyTallLane<0>(weights, x, acc);
      }
    }
#pragma GCC unroll 8
    for (uint32_t r = 0; r < kPanelRows; ++r) {
      vst1q_f32(values + r * kChannelBlock + first, acc[r][0]);
      vst1q_f32(values + r * kChannelBlock + first + 4, acc[r][1]);
    }
  }
}

static void TallPanel(const PartF16& part, const PanelF16& p) {
  float values[kPanelRows * kChannelBlock];
  TallSums(part, p, values);
  Finish(FloatFunction{part.args->function, part.args->alpha, part.args->beta}, p, kPanelRows,
         values, p.output);
}
#else
constexpr uint32_t kPanelRows = 2;  // 8 sums, 4 weights in 16
#endif

struct NeonF16 : LevelF16<HalfRun, kRulesF16Neon> {
  static void Run(const PartF16& part, const PanelF16& panel, uint32_t rows, uint32_t) {
#if defined(__aarch64__)
    if (rows == kPanelRows) return TallPanel(part, panel);
    const uint32_t four = rows & 4;
    if (four != 0) Panel<4>(part, panel, 0);
    for (uint32_t row = four; row < rows; ++row) Panel<1>(part, panel, row);
#else
    if (rows == kPanelRows) return Panel<kPanelRows>(part, panel, 0);
    Panel<1>(part, panel, 0);
#endif
  }
};

struct NeonWinograd {
  struct Lanes {
    typedef float32x4_t Floats;
    static constexpr uint32_t kLanes = 4;
    static inline Floats Load(const float* from) { return vld1q_f32(from); }
    static inline Floats LoadHalves(const uint16_t* from) {
      return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(from)));
    }
    static inline void Store(float* to, Floats x) { vst1q_f32(to, x); }
  };
  static constexpr uint32_t kTogether = 1;
  // The last panel's rows behind the tiles are there, and nobody reads their sums.
  static void Multiply(const WinogradProducts& products) {
    PartF16 part = {};
    part.tile = products.v;
    part.row_step = products.in_c;
    part.runs = 1;
    part.run = products.in_c;
    part.bias = products.bias;
    PanelF16 panel = {};
    panel.weights = products.weights;
    for (; panel.row < products.tiles; panel.row += kPanelRows) {
      float* sums = products.sums + (size_t)panel.row * kChannelBlock;
#if defined(__aarch64__)
      TallSums(part, panel, sums);
#else
      float32x4_t acc[kPanelRows][4];
      Sums<kPanelRows>(part, panel, 0, acc);
      StoreSums<kPanelRows>(acc, sums);
#endif
    }
  }
  static void Finish(const ConvF16Args& args, float* values, uint32_t rows, const PanelF16& panel) {
    octet::Finish(FloatFunction{args.function, args.alpha, args.beta}, panel, rows, values,
                  panel.output);
  }
};

}  // namespace

#if defined(__aarch64__)
void conv_f16_neon_8x1(const ConvF16Args& args, Share share) {
  RunConv<NeonF16>(args, share);
}
#else
void conv_f16_neon_2x1(const ConvF16Args& args, Share share) {
  RunConv<NeonF16>(args, share);
}
#endif

void conv_f16_neon(const ConvF16Args& args, Share share) {
  const ConvChoice choice = ChooseConv(kRulesF16Neon, args.g, args.winograd ? 2 : 0, share.count);
  if (choice.way == ConvWay::kWinograd) {
    return RunWinogradF16<NeonWinograd>(args, share, Isa::kNeon);
  }
  RunConv<NeonF16>(args, share, choice.panel_blocks);
}

}  // namespace octet
