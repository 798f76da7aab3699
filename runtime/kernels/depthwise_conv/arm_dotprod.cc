// Depthwise convolution with SDOT: the three rows under a 3x3 window are interleaved column by
// column, [channel][ky 0, 1, 2, none], so that one dot product adds three taps of four channels; an
// interleaved column serves every output that covers it.
#include "runtime/kernels/depthwise_conv/arm_depthwise_s8.inl.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

// 16 channels x [ky 0, 1, 2, none].
struct Column {
  int8x16_t x[4];
};

static inline Column Interleave(int8x16_t top, int8x16_t middle, int8x16_t bottom) {
  const int8x16_t none = vdupq_n_s8(0);
  const int16x8_t a = vreinterpretq_s16_s8(vzip1q_s8(top, middle));
  const int16x8_t b = vreinterpretq_s16_s8(vzip2q_s8(top, middle));
  const int16x8_t c = vreinterpretq_s16_s8(vzip1q_s8(bottom, none));
  const int16x8_t d = vreinterpretq_s16_s8(vzip2q_s8(bottom, none));
  return Column{{vreinterpretq_s8_s16(vzip1q_s16(a, c)), vreinterpretq_s8_s16(vzip2q_s16(a, c)),
                 vreinterpretq_s8_s16(vzip1q_s16(b, d)), vreinterpretq_s8_s16(vzip2q_s16(b, d))}};
}

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
};

static inline Column LoadColumn(const Strip& s, uint32_t x) {
  if (x >= s.in_w) return s.padding;  // -1 is beyond, too
  const size_t at = x * s.step;
  return Interleave(LoadBytes(s.row[0] + at), LoadBytes(s.row[1] + at), LoadBytes(s.row[2] + at));
}

static inline void StoreOutput(const Strip& s, uint8_t* to, const Column& a, const Column& b,
                               const Column& c) {
  int32x4_t acc[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    acc[i] = vdotq_s32(s.start[i], a.x[i], s.w[0].x[i]);
    acc[i] = vdotq_s32(acc[i], b.x[i], s.w[1].x[i]);
    acc[i] = vdotq_s32(acc[i], c.x[i], s.w[2].x[i]);
  }
  vst1q_u8(to, vreinterpretq_u8_s8(RequantizeFinish16(acc, s.scale, s.tail)));
}

// Outputs of a row with `x` = the input column under the first tap of the first output. Neighbours
// share two columns (stride 1) or one (stride 2): rounds of outputs in which every column keeps its
// registers.
template <uint32_t kStride>
static void RunStrip(const Strip& strip, uint32_t x, uint32_t count) {
  const Strip s = strip;  // a copy that no store can alias stays in registers
  uint8_t* to = s.output;
  Column a = LoadColumn(s, x++), b, c;
  if (kStride == 1) {
    for (b = LoadColumn(s, x++);; to += s.step) {
      c = LoadColumn(s, x++);
      StoreOutput(s, to, a, b, c);
      if (--count == 0) return;
      to += s.step;
      a = LoadColumn(s, x++);
      StoreOutput(s, to, b, c, a);
      if (--count == 0) return;
      to += s.step;
      b = LoadColumn(s, x++);
      StoreOutput(s, to, c, a, b);
      if (--count == 0) return;
    }
  }
  for (;; to += s.step, x += 4) {
    b = LoadColumn(s, x);
    c = LoadColumn(s, x + 1);
    StoreOutput(s, to, a, b, c);
    if (--count == 0) return;
    to += s.step;
    b = LoadColumn(s, x + 2);
    a = LoadColumn(s, x + 3);
    StoreOutput(s, to, c, b, a);
    if (--count == 0) return;
  }
}

static void RunRow(const ConvS8Args& args, const DepthwisePlan& plan, uint32_t y, uint32_t block) {
  const ConvGeometry& g = args.g;
  const size_t channel = (size_t)block * kBlock;
  const int8_t* weights = args.weights + (size_t)block * 9 * kBlock;
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
      w[ky][kx] = vld1q_s8(weights + (3 * ky + kx) * kBlock);
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
  (g.stride_w == 1 ? RunStrip<1> : RunStrip<2>)(s, first, g.out_w);
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
  const Range range = RangeOf((uint64_t)g.out_h * plan.blocks, share);
  for (uint64_t i = range.begin; i < range.end; ++i) {
    const uint32_t y = (uint32_t)(i / plan.blocks);
    const uint32_t block = (uint32_t)(i % plan.blocks);
    if (LanesOf(g, block) == kBlock) {
      RunRow(args, plan, y, block);
    } else {
      PixelRow(args, plan, y, block);
    }
  }
}

}  // namespace octet
