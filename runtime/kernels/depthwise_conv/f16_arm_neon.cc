// FP16 depthwise convolution: one pixel x 8 channels at a time, taps in their order.
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/depthwise_conv/f16_units.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/window.h"

namespace octet {
namespace {

// Input pixel of every tap, or null in the padding.
static inline void PointTaps(const ConvF16Args& args, uint64_t pixel, const uint16_t** out) {
  const ConvGeometry& g = args.g;
  const Pixel p = PixelOf(g, pixel);
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
    for (uint32_t kx = 0; kx < g.kernel_w; ++kx) {
      const int64_t source = SourcePixel(g, p, ky, kx);
      *out++ = source < 0 ? nullptr : args.input + (size_t)source * g.in_c;
    }
  }
}

}  // namespace

void RunDepthwiseUnits(const DepthwiseConvF16Args& args, Range range) {
  const ConvGeometry& g = args.g;
  const size_t taps = (size_t)g.kernel_h * g.kernel_w;
  const uint64_t units = DepthwiseUnits(g);
  const uint16_t** pointers = reinterpret_cast<const uint16_t**>(args.scratch);
  const FloatFunction function = {args.function, args.alpha, args.beta};
  for (uint64_t i = range.begin; i < range.end; ++i) {
    const uint64_t pixel = i / units;
    const size_t channel = (size_t)(i % units) * 8;
    if (channel == 0 || i == range.begin) PointTaps(args, pixel, pointers);
    const uint32_t left = g.out_c - (uint32_t)channel;
    const uint32_t lanes = left < 8 ? left : 8;
    const uint16_t* weights =
        args.weights + channel / kChannelBlock * taps * kChannelBlock + channel % kChannelBlock;
    Float8 acc = {vld1q_f32(args.bias + channel), vld1q_f32(args.bias + channel + 4)};
    for (size_t t = 0; t < taps; ++t) {
      if (pointers[t] == nullptr) continue;
      const Float8 x = LoadPartialHalf8(pointers[t] + channel, lanes);
      const Float8 w = LoadHalf8(weights + t * kChannelBlock);
      acc.low = vfmaq_f32(acc.low, x.low, w.low);
      acc.high = vfmaq_f32(acc.high, x.high, w.high);
    }
    StorePartialHalf8(args.output + (size_t)pixel * g.out_c + channel, Apply8(function, acc),
                      lanes);
  }
}

void depthwise_conv_f16_neon(const DepthwiseConvF16Args& args, Share share) {
  RunDepthwiseUnits(args, RangeOf(OutputPixels(args.g) * DepthwiseUnits(args.g), share));
}

}  // namespace octet
