// What the int8 depthwise convolutions of the ARM levels share: any window, one pixel x 16 channels
// at a time with taps found by pointers, and what surrounds their strips. Included by
// depthwise_conv/arm_*.cc only; internal linkage.
#ifndef OCTET_KERNELS_DEPTHWISE_CONV_ARM_DEPTHWISE_S8_INL_H_
#define OCTET_KERNELS_DEPTHWISE_CONV_ARM_DEPTHWISE_S8_INL_H_

#include <string.h>

#include "runtime/kernels/arm_requantize.inl.h"
#include "runtime/kernels/depthwise_conv/depthwise_conv.h"
#include "runtime/kernels/depthwise_conv/scratch.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/window.h"

namespace octet {
namespace {

struct DepthwisePlan {
  uint32_t taps;
  uint32_t blocks;  // of 16 channels, the last one perhaps partial
  Tail16 tail;
  const uint8_t** pointers;  // [taps] of one pixel
  uint8_t* padding;          // a pixel of zero-point bytes
};

static inline DepthwisePlan PlanDepthwise(const ConvS8Args& args) {
  const ConvGeometry& g = args.g;
  DepthwisePlan plan;
  plan.taps = (uint32_t)g.kernel_h * g.kernel_w;
  plan.blocks = (uint32_t)(((uint64_t)g.out_c + kChannelBlock - 1) / kChannelBlock);
  plan.tail = MakeTail16(args.out_zero_point, args.clamp_lo, args.clamp_hi);
  plan.pointers = reinterpret_cast<const uint8_t**>(args.scratch);
  plan.padding = args.scratch + DepthwisePartsOf(plan.taps, g.in_c, false).padding;
  memset(plan.padding, args.in_zero_point, g.in_c);
  return plan;
}

static inline uint32_t LanesOf(const ConvGeometry& g, uint32_t block) {
  const uint32_t left = g.out_c - block * kChannelBlock;
  return left < kChannelBlock ? left : kChannelBlock;
}

// Two products with a weight of -128 do not fit 16 bits.
static inline bool WeightsAreSmall(const int8_t* weights, uint32_t taps) {
  int8x16_t least = vdupq_n_s8(0);
  for (uint32_t t = 0; t < taps; ++t)
    least = vminq_s8(least, vld1q_s8(weights + t * kChannelBlock));
  return Smallest(least) > -128;
}

static inline void PointTaps(const ConvS8Args& args, const DepthwisePlan& plan, uint64_t pixel) {
  const ConvGeometry& g = args.g;
  const Pixel p = PixelOf(g, pixel);
  const uint8_t** out = plan.pointers;
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
    for (uint32_t kx = 0; kx < g.kernel_w; ++kx) {
      const int64_t source = SourcePixel(g, p, ky, kx);
      *out++ = source < 0 ? plan.padding : args.input + (size_t)source * g.in_c;
    }
  }
}

static inline void AddProducts(int32x4_t* acc, int16x8_t low, int16x8_t high) {
  acc[0] = vaddw_s16(acc[0], vget_low_s16(low));
  acc[1] = AddHigh16(acc[1], low);
  acc[2] = vaddw_s16(acc[2], vget_low_s16(high));
  acc[3] = AddHigh16(acc[3], high);
}

template <bool kFull>
static inline void Taps(const DepthwisePlan& plan, const int8_t* weights, size_t channel,
                        uint32_t lanes, bool small_weights, int32x4_t* acc) {
  const auto load = [lanes](const uint8_t* from) {
    return kFull ? LoadBytes(from) : LoadPartial16(from, lanes);
  };
  uint32_t t = 0;
  if (small_weights) {
    for (; t + 2 <= plan.taps; t += 2) {
      const int8x16_t x0 = load(plan.pointers[t] + channel);
      const int8x16_t x1 = load(plan.pointers[t + 1] + channel);
      const int8x16_t w0 = vld1q_s8(weights + t * kChannelBlock);
      const int8x16_t w1 = vld1q_s8(weights + (t + 1) * kChannelBlock);
      const int16x8_t low = vmull_s8(vget_low_s8(x0), vget_low_s8(w0));
      AddProducts(acc, vmlal_s8(low, vget_low_s8(x1), vget_low_s8(w1)),
                  MultiplyAddHigh8(MultiplyHigh8(x0, w0), x1, w1));
    }
  }
  for (; t < plan.taps; ++t) {
    const int8x16_t x = load(plan.pointers[t] + channel);
    const int8x16_t w = vld1q_s8(weights + t * kChannelBlock);
    AddProducts(acc, vmull_s8(vget_low_s8(x), vget_low_s8(w)), MultiplyHigh8(x, w));
  }
}

static inline void PixelBlock(const ConvS8Args& args, const DepthwisePlan& plan, uint64_t pixel,
                              uint32_t block) {
  const int8_t* weights = args.weights + (size_t)block * plan.taps * kChannelBlock;
  const blob::ChannelBlockS8& channels = args.channels[block];
  const uint32_t lanes = LanesOf(args.g, block);
  const size_t channel = (size_t)block * kChannelBlock;
  const bool small_weights = WeightsAreSmall(weights, plan.taps);
  int32x4_t acc[4];
  for (int i = 0; i < 4; ++i) acc[i] = vld1q_s32(channels.bias + 4 * i);
  if (lanes == kChannelBlock) {
    Taps<true>(plan, weights, channel, lanes, small_weights, acc);
  } else {
    Taps<false>(plan, weights, channel, lanes, small_weights, acc);
  }
  if (args.pre_shift != 0) {
    for (int i = 0; i < 4; ++i) acc[i] = PreShift4(acc[i], args.pre_shift);
  }
  int8x16_t q = RequantizeFinish16(acc, LoadScale16(channels), plan.tail);
  if (args.table != nullptr) ApplyTable(&q, 1, args.table);
  StorePartial16(args.output + (size_t)pixel * args.g.out_c + channel, q, lanes);
}

// Windows that slide along an output row in registers. Strips have no pre-shift, which few layers
// need, and count columns in 32 bits, wrapping below 0.
static inline bool IsStripWindow(const ConvS8Args& args) {
  const ConvGeometry& g = args.g;
  return g.kernel_h == 3 && g.kernel_w == 3 && g.dilation_h == 1 && g.dilation_w == 1 &&
         g.stride_w <= 2 && g.in_w < 1u << 31 && args.pre_shift == 0;
}

// A block of an output row, pixel by pixel.
static inline void PixelRow(const ConvS8Args& args, const DepthwisePlan& plan, uint32_t y,
                            uint32_t block) {
  for (uint32_t x = 0; x < args.g.out_w; ++x) {
    const uint64_t pixel = (uint64_t)y * args.g.out_w + x;
    PointTaps(args, plan, pixel);
    PixelBlock(args, plan, pixel, block);
  }
}

// The fused table, over a block of an output row that has just been written.
static inline void ApplyTableToRow(const ConvS8Args& args, uint32_t y, uint32_t block) {
  const ConvGeometry& g = args.g;
  const uint32_t lanes = LanesOf(g, block);
  uint8_t* row = args.output + (size_t)y * g.out_w * g.out_c + (size_t)block * kChannelBlock;
  constexpr uint32_t kBatch = 8;
  for (uint32_t x = 0; x < g.out_w; x += kBatch) {
    const uint32_t count = g.out_w - x < kBatch ? g.out_w - x : kBatch;
    int8x16_t q[kBatch];
    uint8_t* at = row + (size_t)x * g.out_c;
    for (uint32_t i = 0; i < count; ++i) q[i] = LoadPartial16(at + (size_t)i * g.out_c, lanes);
    ApplyTable(q, (int)count, args.table);
    for (uint32_t i = 0; i < count; ++i) StorePartial16(at + (size_t)i * g.out_c, q[i], lanes);
  }
}

static inline void RunDepthwiseAnyWindow(const ConvS8Args& args, Share share) {
  const DepthwisePlan plan = PlanDepthwise(args);
  const Range range = RangeOf(OutputPixels(args.g) * plan.blocks, share);
  for (uint64_t i = range.begin; i < range.end; ++i) {
    const uint32_t block = (uint32_t)(i % plan.blocks);
    if (block == 0 || i == range.begin) PointTaps(args, plan, i / plan.blocks);
    PixelBlock(args, plan, i / plan.blocks, block);
  }
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_DEPTHWISE_CONV_ARM_DEPTHWISE_S8_INL_H_
