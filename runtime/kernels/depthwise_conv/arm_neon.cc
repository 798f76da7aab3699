// Depthwise convolution for cores without SDOT. Windows of 3x3 slide along an output row, 8
// channels at a time, weights and the columns that neighbours share in registers: products of two
// taps meet in 16 bits (SMULL, SMLAL) and are added to 32-bit sums (SADDW).
#include "runtime/kernels/depthwise_conv/arm_depthwise_s8.inl.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

constexpr uint32_t kUnit = 8;

// One output row x up to 8 channels.
struct Strip {
  const uint8_t* row[3];  // input rows at column 0, this unit's channels
  uint32_t in_w;
  size_t step;  // from one input column to the next, and from one output to the next
  int8x8_t padding;
  int8x8_t w[9];
  int32x4_t start[2];
  int32x4_t multiplier[2], left_shift[2];
  int16x8_t zero_point;
  int8x8_t lo, hi;
  uint8_t* output;
  uint32_t lanes;
};

struct Column {
  int8x8_t x[3];
};

template <bool kFull>
static inline int8x8_t LoadUnit(const uint8_t* from, uint32_t lanes) {
  return kFull ? vld1_s8(reinterpret_cast<const int8_t*>(from))
               : vget_low_s8(LoadPartial16(from, lanes));
}

template <bool kFull>
static inline Column LoadColumn(const Strip& s, uint32_t x) {
  if (x >= s.in_w) return Column{{s.padding, s.padding, s.padding}};  // -1 is beyond, too
  const size_t at = x * s.step;
  return Column{{LoadUnit<kFull>(s.row[0] + at, s.lanes), LoadUnit<kFull>(s.row[1] + at, s.lanes),
                 LoadUnit<kFull>(s.row[2] + at, s.lanes)}};
}

static inline void AddUnit(int32x4_t* acc, int16x8_t products) {
  acc[0] = vaddw_s16(acc[0], vget_low_s16(products));
  acc[1] = AddHigh16(acc[1], products);
}

template <bool kFull>
static inline void StoreOutput(const Strip& s, uint8_t* to, const Column& a, const Column& b,
                               const Column& c) {
  int32x4_t acc[2] = {s.start[0], s.start[1]};
  AddUnit(acc, vmlal_s8(vmull_s8(a.x[0], s.w[0]), b.x[0], s.w[1]));
  AddUnit(acc, vmlal_s8(vmull_s8(a.x[1], s.w[3]), b.x[1], s.w[4]));
  AddUnit(acc, vmlal_s8(vmull_s8(a.x[2], s.w[6]), b.x[2], s.w[7]));
  AddUnit(acc, vmlal_s8(vmull_s8(c.x[0], s.w[2]), c.x[1], s.w[5]));
  AddUnit(acc, vmull_s8(c.x[2], s.w[8]));
  const int16x4_t low = vqmovn_s32(Requantize4(acc[0], s.multiplier[0], s.left_shift[0]));
  const int16x4_t high = vqmovn_s32(Requantize4(acc[1], s.multiplier[1], s.left_shift[1]));
  int8x8_t q = vqmovn_s16(vqaddq_s16(vcombine_s16(low, high), s.zero_point));
  q = vmin_s8(vmax_s8(q, s.lo), s.hi);
  if (kFull) {
    vst1_u8(to, vreinterpret_u8_s8(q));
  } else {
    StorePartial16(to, vcombine_s8(q, q), s.lanes);
  }
}

// Outputs of a row with `first` = the input column under the first tap of the first output.
template <bool kFull, uint32_t kStride>
static void RunStrip(const Strip& strip, uint32_t first, uint32_t count) {
  const Strip s = strip;  // a copy that no store can alias stays in registers
  uint8_t* to = s.output;
  uint32_t x = first;
  Column a = LoadColumn<kFull>(s, x), b, c;
  if (kStride == 1) {
    b = LoadColumn<kFull>(s, x + 1);
    // Three outputs a round, so that the columns keep their registers.
    for (x += 2;; to += s.step) {
      c = LoadColumn<kFull>(s, x++);
      StoreOutput<kFull>(s, to, a, b, c);
      if (--count == 0) return;
      to += s.step;
      a = LoadColumn<kFull>(s, x++);
      StoreOutput<kFull>(s, to, b, c, a);
      if (--count == 0) return;
      to += s.step;
      b = LoadColumn<kFull>(s, x++);
      StoreOutput<kFull>(s, to, c, a, b);
      if (--count == 0) return;
    }
  }
  for (x += 1;; to += s.step) {
    b = LoadColumn<kFull>(s, x);
    c = LoadColumn<kFull>(s, x + 1);
    StoreOutput<kFull>(s, to, a, b, c);
    if (--count == 0) return;
    to += s.step;
    b = LoadColumn<kFull>(s, x + 2);
    a = LoadColumn<kFull>(s, x + 3);
    x += 4;
    StoreOutput<kFull>(s, to, c, b, a);
    if (--count == 0) return;
  }
}

static void RunUnit(const ConvS8Args& args, const DepthwisePlan& plan, uint32_t y, uint32_t block,
                    uint32_t half) {
  const ConvGeometry& g = args.g;
  const size_t channel = (size_t)block * kChannelBlock + half * kUnit;
  const int8_t* weights = args.weights + (size_t)block * 9 * kChannelBlock + half * kUnit;
  const blob::ChannelBlockS8& channels = args.channels[block];
  const uint32_t left = g.out_c - (uint32_t)channel;
  Strip s;
  s.in_w = g.in_w;
  s.step = g.in_c;
  s.padding = vdup_n_s8((int8_t)args.in_zero_point);
  for (int i = 0; i < 2; ++i) {
    const uint32_t at = half * kUnit + 4 * (uint32_t)i;
    s.start[i] = vld1q_s32(channels.bias + at);
    s.multiplier[i] = vld1q_s32(channels.multiplier + at);
    s.left_shift[i] = vnegq_s32(vld1q_s32(channels.shift + at));
  }
  for (uint32_t ky = 0; ky < 3; ++ky) {
    const int64_t row = (int64_t)y * g.stride_h + ky - g.pad_top;
    const bool inside = row >= 0 && row < g.in_h;
    s.row[ky] = args.input + (inside ? (size_t)row * g.in_w * g.in_c : 0) + channel;
    for (uint32_t kx = 0; kx < 3; ++kx) {
      const int8x8_t w = vld1_s8(weights + (3 * ky + kx) * kChannelBlock);
      s.w[3 * ky + kx] = inside ? w : vdup_n_s8(0);
      // A row of padding counts once for all outputs: zero point x weight.
      if (!inside) AddUnit(s.start, vmull_s8(s.padding, w));
    }
  }
  s.zero_point = plan.tail.zero_point;
  s.lo = vget_low_s8(plan.tail.lo);
  s.hi = vget_low_s8(plan.tail.hi);
  s.output = args.output + (size_t)y * g.out_w * g.out_c + channel;
  s.lanes = left < kUnit ? left : kUnit;
  const uint32_t first = 0u - g.pad_left;
  if (s.lanes == kUnit) {
    (g.stride_w == 1 ? RunStrip<true, 1> : RunStrip<true, 2>)(s, first, g.out_w);
  } else {
    (g.stride_w == 1 ? RunStrip<false, 1> : RunStrip<false, 2>)(s, first, g.out_w);
  }
}

}  // namespace

void depthwise_conv_s8_neon(const DepthwiseConvS8Args& args, Share share) {
  const ConvGeometry& g = args.g;
  if (!IsStripWindow(args)) {
    RunDepthwiseAnyWindow(args, share);
    return;
  }
  const DepthwisePlan plan = PlanDepthwise(args);
  const Range range = RangeOf((uint64_t)g.out_h * plan.blocks, share);
  for (uint64_t i = range.begin; i < range.end; ++i) {
    const uint32_t y = (uint32_t)(i / plan.blocks);
    const uint32_t block = (uint32_t)(i % plan.blocks);
    if (WeightsAreSmall(args.weights + (size_t)block * 9 * kChannelBlock, 9)) {
      RunUnit(args, plan, y, block, 0);
      if (LanesOf(g, block) > kUnit) RunUnit(args, plan, y, block, 1);
      if (args.table != nullptr) ApplyTableToRow(args, y, block);
      continue;
    }
    PixelRow(args, plan, y, block);
  }
}

}  // namespace octet
