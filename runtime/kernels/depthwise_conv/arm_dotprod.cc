// Depthwise convolution with SDOT. Stride 1: two output rows at a time (arm_dotprod_pairs.inl.h).
// Stride 2, and what is left over: the three rows under one output row are interleaved column by
// column, so that one dot product adds three taps of four channels.
#include "runtime/kernels/depthwise_conv/arm_dotprod_pairs.inl.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

// One output row x 16 channels.
struct Strip {
  const uint8_t* row[3];  // input rows at column 0, this block's channels
  uint32_t in_w;
  size_t step;  // from one input column to the next, and from one output to the next
  Column padding;
  Column w[3];  // by kx
  int32x4_t start[4];
  Scale16 scale;
  Tail16 tail;
  uint8_t* output;
  uint32_t lanes;
};

template <bool kFull>
static inline int8x16_t LoadLanes(const uint8_t* from, uint32_t lanes) {
  return kFull ? LoadBytes(from) : LoadPartial16(from, lanes);
}

template <bool kFull>
static inline Column LoadColumn(const Strip& s, uint32_t x) {
  if (x >= s.in_w) return s.padding;  // -1 is beyond, too
  const size_t at = x * s.step;
  return Interleave(LoadLanes<kFull>(s.row[0] + at, s.lanes),
                    LoadLanes<kFull>(s.row[1] + at, s.lanes),
                    LoadLanes<kFull>(s.row[2] + at, s.lanes));
}

template <bool kFull>
static inline void StoreOutput(const Strip& s, uint8_t* to, const Column& a, const Column& b,
                               const Column& c) {
  int32x4_t acc[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    acc[i] = vdotq_s32(s.start[i], a.x[i], s.w[0].x[i]);
    acc[i] = vdotq_s32(acc[i], b.x[i], s.w[1].x[i]);
    acc[i] = vdotq_s32(acc[i], c.x[i], s.w[2].x[i]);
  }
  const int8x16_t q = RequantizeFinish16(acc, s.scale, s.tail);
  StorePartial16(to, q, kFull ? kChannelBlock : s.lanes);
}

// Outputs of a row with `x` = the input column under the first tap of the first output. Neighbours
// share two columns (stride 1) or one (stride 2): rounds of outputs in which every column keeps its
// registers.
template <bool kFull, uint32_t kStride>
static void RunStrip(const Strip& strip, uint32_t x, uint32_t count) {
  const Strip s = strip;  // a copy that no store can alias stays in registers
  uint8_t* to = s.output;
  Column a = LoadColumn<kFull>(s, x++), b, c;
  if (kStride == 1) {
    for (b = LoadColumn<kFull>(s, x++);; to += s.step) {
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
  for (;; to += s.step, x += 4) {
    b = LoadColumn<kFull>(s, x);
    c = LoadColumn<kFull>(s, x + 1);
    StoreOutput<kFull>(s, to, a, b, c);
    if (--count == 0) return;
    to += s.step;
    b = LoadColumn<kFull>(s, x + 2);
    a = LoadColumn<kFull>(s, x + 3);
    StoreOutput<kFull>(s, to, c, b, a);
    if (--count == 0) return;
  }
}

static void RunRow(const ConvS8Args& args, const DepthwisePlan& plan, uint32_t y, uint32_t block) {
  const ConvGeometry& g = args.g;
  const size_t channel = (size_t)block * kChannelBlock;
  const int8_t* weights = args.weights + (size_t)block * 9 * kChannelBlock;
  const int8x16_t zero_point = vdupq_n_s8((int8_t)args.in_zero_point);
  Strip s;
  s.in_w = g.in_w;
  s.step = g.in_c;
  s.padding = Interleave(zero_point, zero_point, zero_point);
  for (int i = 0; i < 4; ++i) s.start[i] = vld1q_s32(args.channels[block].bias + 4 * i);
  int8x16_t w[3][3];
  for (uint32_t ky = 0; ky < 3; ++ky) {
    const int64_t row = (int64_t)y * g.stride_h + ky - g.pad_top;
    const bool inside = row >= 0 && row < g.in_h;
    s.row[ky] = args.input + (inside ? (size_t)row * g.in_w * g.in_c : 0) + channel;
    for (uint32_t kx = 0; kx < 3; ++kx) {
      w[ky][kx] = vld1q_s8(weights + (3 * ky + kx) * kChannelBlock);
      if (inside) continue;
      // A row of padding counts once for all outputs: zero point x weight.
      AddProducts(s.start, vmull_s8(vget_low_s8(zero_point), vget_low_s8(w[ky][kx])),
                  MultiplyHigh8(zero_point, w[ky][kx]));
      w[ky][kx] = vdupq_n_s8(0);
    }
  }
  for (int kx = 0; kx < 3; ++kx) s.w[kx] = Interleave(w[0][kx], w[1][kx], w[2][kx]);
  s.scale = LoadScale16(args.channels[block]);
  s.tail = plan.tail;
  s.output = args.output + (size_t)y * g.out_w * g.out_c + channel;
  const uint32_t first = 0u - g.pad_left;
  s.lanes = LanesOf(g, block);
  if (s.lanes == kChannelBlock) {
    (g.stride_w == 1 ? RunStrip<true, 1> : RunStrip<true, 2>)(s, first, g.out_w);
  } else {
    (g.stride_w == 1 ? RunStrip<false, 1> : RunStrip<false, 2>)(s, first, g.out_w);
  }
  if (args.table != nullptr) ApplyTableToRow(args, y, block);
}

}  // namespace

void depthwise_conv_s8_dotprod(const DepthwiseConvS8Args& args, Share share) {
  const ConvGeometry& g = args.g;
  if (!IsStripWindow(args)) {
    RunDepthwiseAnyWindow(args, share);
    return;
  }
  const DepthwisePlan plan = PlanDepthwise(args);
  if (TakesPairs(args, share)) {
    RunPairs(args, plan, share);
    return;
  }
  const Range range = RangeOf((uint64_t)g.out_h * plan.blocks, share);
  for (uint64_t i = range.begin; i < range.end; ++i) {
    const uint32_t y = (uint32_t)(i / plan.blocks);
    const uint32_t block = (uint32_t)(i % plan.blocks);
    RunRow(args, plan, y, block);
  }
}

}  // namespace octet
