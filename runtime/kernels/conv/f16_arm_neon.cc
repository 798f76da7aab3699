// FP16 convolution: a tile of rows of taps x channels is widened to float in scratch, weights on
// the way into the registers, and fused multiplications add along the depth in its order, so that
// every tile shape and thread count gives the same bits.
#include "runtime/format/scratch.h"
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/window.h"

namespace octet {
namespace {

constexpr uint32_t kBlock = 16;
#if defined(__aarch64__)
constexpr int kPanelRows = 4;  // 16 sums, 4 weights, 4 rows in 32 registers
#else
constexpr int kPanelRows = 2;  // 8 sums, 4 weights in 16
#endif

struct Shape {
  size_t group_in, group_out, depth, deep;
  uint64_t blocks;  // of a group
};

static inline void WidenRun(float* to, const uint16_t* from, size_t count) {
  for (; count >= 8; count -= 8, from += 8, to += 8) {
    const Float8 x = LoadHalf8(from);
    vst1q_f32(to, x.low);
    vst1q_f32(to + 4, x.high);
  }
  if (count == 0) return;
  const Float8 x = LoadPartialHalf8(from, (uint32_t)count);
  float rest[8];
  vst1q_f32(rest, x.low);
  vst1q_f32(rest + 4, x.high);
  for (size_t i = 0; i < count; ++i) to[i] = rest[i];
}

static void GatherRow(const ConvF16Args& args, const Shape& s, uint64_t pixel, uint64_t group,
                      float* row) {
  const ConvGeometry& g = args.g;
  const Pixel p = PixelOf(g, pixel);
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
    for (uint32_t kx = 0; kx < g.kernel_w; ++kx, row += s.group_in) {
      const int64_t source = SourcePixel(g, p, ky, kx);
      if (source < 0) {
        memset(row, 0, s.group_in * sizeof(float));
      } else {
        WidenRun(row, args.input + (size_t)source * g.in_c + (size_t)group * s.group_in,
                 s.group_in);
      }
    }
  }
}

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

struct PanelF16 {
  const float* rows;
  size_t row_step, depth;
  const uint16_t* weights;
  const float* bias;
  uint16_t* output;
  size_t output_step;
  uint32_t channels;  // written: at most 16
};

template <int kRows>
static void Panel(const PanelF16& p, const FloatFunction& function) {
  float32x4_t acc[kRows][4];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) acc[r][i] = vld1q_f32(p.bias + 4 * i);
  }
  const uint16_t* weights = p.weights;
  size_t k = 0;
  float32x4_t x[kRows];
  for (; k + 4 <= p.depth; k += 4, weights += 4 * kBlock) {
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) x[r] = vld1q_f32(p.rows + (size_t)r * p.row_step + k);
    MultiplyLane<kRows, 0>(weights, x, acc);
    MultiplyLane<kRows, 1>(weights, x, acc);
    MultiplyLane<kRows, 2>(weights, x, acc);
    MultiplyLane<kRows, 3>(weights, x, acc);
  }
  for (; k < p.depth; ++k, weights += kBlock) {
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) x[r] = vdupq_n_f32(p.rows[(size_t)r * p.row_step + k]);
    MultiplyLane<kRows, 0>(weights, x, acc);
  }
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    uint16_t* to = p.output + (size_t)r * p.output_step;
    StorePartialHalf8(to, Apply8(function, Float8{acc[r][0], acc[r][1]}), p.channels);
    if (p.channels > 8) {
      StorePartialHalf8(to + 8, Apply8(function, Float8{acc[r][2], acc[r][3]}), p.channels - 8);
    }
  }
}

static void RunPanel(const PanelF16& p, const FloatFunction& function, uint64_t rows) {
  if (rows >= (uint64_t)kPanelRows) return Panel<kPanelRows>(p, function);
  if (rows >= 2) return Panel<2>(p, function);
  Panel<1>(p, function);
}

// Rows that one call of RunPanel() takes of `rows`.
static inline uint64_t PanelRowsOf(uint64_t rows) {
  return rows >= (uint64_t)kPanelRows ? (uint64_t)kPanelRows : rows >= 2 ? 2 : 1;
}

}  // namespace

void conv_f16_neon(const ConvF16Args& args, Share share) {
  const ConvGeometry& g = args.g;
  const uint64_t taps = (uint64_t)g.kernel_h * g.kernel_w;
  Shape s;
  s.group_in = g.in_c / g.groups;
  s.group_out = g.out_c / g.groups;
  if (!GroupsFitKernels(g.groups, g.in_c, g.out_c, true)) {
    conv_f16_reference(args, share);
    return;
  }
  s.depth = (size_t)(taps * s.group_in);
  s.deep = (s.depth + 15) & ~(size_t)15;
  s.blocks = (s.group_out + kBlock - 1) / kBlock;
  float* tile = reinterpret_cast<float*>(args.scratch + RoundUp64(taps * kTileRows * 8) +
                                         RoundUp64(((uint64_t)g.in_c + 64) * 4));
  const uint64_t pixels = OutputPixels(g);
  Range rows = {0, pixels}, blocks = {0, s.blocks};
  if (pixels < 2 * (uint64_t)kTileRowsF16 * share.count && s.blocks >= share.count) {
    blocks = RangeOf(s.blocks, share);
  } else {
    rows = RangeOf(pixels, share);
  }
  if (blocks.begin == blocks.end) return;
  const FloatFunction function = {args.function, args.alpha, args.beta};
  for (uint64_t group = 0; group < g.groups; ++group) {
    for (uint64_t first = rows.begin; first < rows.end; first += kTileRowsF16) {
      const uint64_t left = rows.end - first;
      const uint64_t count = left < kTileRowsF16 ? left : kTileRowsF16;
      for (uint64_t r = 0; r < count; ++r) {
        GatherRow(args, s, first + r, group, tile + (size_t)r * s.deep);
      }
      for (uint64_t b = blocks.begin; b < blocks.end; ++b) {
        const size_t block = (size_t)(group * s.group_out / kBlock + b);
        const size_t channels = s.group_out - (size_t)b * kBlock;
        PanelF16 p;
        p.row_step = s.deep;
        p.depth = s.depth;
        p.weights = args.weights + block * s.depth * kBlock;
        p.bias = args.bias + block * kBlock;
        p.output_step = g.out_c;
        p.channels = channels < kBlock ? (uint32_t)channels : kBlock;
        for (uint64_t r = 0; r < count; r += PanelRowsOf(count - r)) {
          p.rows = tile + (size_t)r * s.deep;
          p.output = args.output + (size_t)(first + r) * g.out_c + (size_t)(group * s.group_out) +
                     (size_t)b * kBlock;
          RunPanel(p, function, count - r);
        }
      }
    }
  }
}

}  // namespace octet
