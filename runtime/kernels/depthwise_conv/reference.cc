// Depthwise convolution in portable C++: one accumulator a channel, taps in their order, blocks of
// 16 channels.
#include <string.h>

#include "runtime/core/half.h"
#include "runtime/kernels/depthwise_conv/depthwise_conv.h"
#include "runtime/kernels/function.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/window.h"
#include "runtime/quant/requantize.h"

namespace octet {
namespace {

uint64_t BlocksOf(const ConvGeometry& g) {
  return ((uint64_t)g.out_c + kChannelBlock - 1) / kChannelBlock;
}

// Channels of a block that exist: 16 but for the last one.
uint32_t LanesOf(const ConvGeometry& g, uint64_t block) {
  const uint64_t left = g.out_c - block * kChannelBlock;
  return left < kChannelBlock ? (uint32_t)left : kChannelBlock;
}

// One output pixel, one block of channels.
void BlockS8(const ConvS8Args& args, uint64_t pixel, uint64_t block) {
  const ConvGeometry& g = args.g;
  const blob::ChannelBlockS8& channels = args.channels[block];
  const uint32_t lanes = LanesOf(g, block);
  const int8_t* w = args.weights + block * g.kernel_h * g.kernel_w * kChannelBlock;
  const Pixel p = PixelOf(g, pixel);
  int32_t acc[kChannelBlock];
  memcpy(acc, channels.bias, sizeof(acc));
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
    for (uint32_t kx = 0; kx < g.kernel_w; ++kx, w += kChannelBlock) {
      const int64_t source = SourcePixel(g, p, ky, kx);
      if (source < 0) {
        for (uint32_t c = 0; c < kChannelBlock; ++c) acc[c] += args.in_zero_point * w[c];
        continue;
      }
      const uint8_t* x = args.input + (uint64_t)source * g.in_c + block * kChannelBlock;
      if (lanes == kChannelBlock) {
        for (uint32_t c = 0; c < kChannelBlock; ++c) acc[c] += (int8_t)(x[c] ^ args.sign) * w[c];
      } else {
        for (uint32_t c = 0; c < lanes; ++c) acc[c] += (int8_t)(x[c] ^ args.sign) * w[c];
      }
    }
  }
  uint8_t* output = args.output + pixel * g.out_c + block * kChannelBlock;
  for (uint32_t c = 0; c < lanes; ++c) {
    const int32_t value =
        Requantize(PreShift(acc[c], args.pre_shift), channels.multiplier[c], channels.shift[c]);
    int8_t q = ToInt8(value, args.out_zero_point, args.clamp_lo, args.clamp_hi);
    if (args.table != nullptr) q = args.table[q + 128];
    output[c] = (uint8_t)((uint8_t)q ^ args.sign);
  }
}

void BlockF16(const ConvF16Args& args, uint64_t pixel, uint64_t block) {
  const ConvGeometry& g = args.g;
  const uint32_t lanes = LanesOf(g, block);
  const uint16_t* w = args.weights + block * g.kernel_h * g.kernel_w * kChannelBlock;
  const Pixel p = PixelOf(g, pixel);
  float acc[kChannelBlock];
  memcpy(acc, args.bias + block * kChannelBlock, sizeof(acc));
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
    for (uint32_t kx = 0; kx < g.kernel_w; ++kx, w += kChannelBlock) {
      const int64_t source = SourcePixel(g, p, ky, kx);
      if (source < 0) continue;
      const uint16_t* x = args.input + (uint64_t)source * g.in_c + block * kChannelBlock;
      for (uint32_t c = 0; c < lanes; ++c) acc[c] += HalfToFloat(x[c]) * HalfToFloat(w[c]);
    }
  }
  uint16_t* output = args.output + pixel * g.out_c + block * kChannelBlock;
  for (uint32_t c = 0; c < lanes; ++c) {
    output[c] = FloatToHalf(ApplyHalfFunction(args.function, acc[c], args.alpha, args.beta));
  }
}

}  // namespace

void depthwise_conv_s8_reference(const DepthwiseConvS8Args& args, Share share) {
  const uint64_t blocks = BlocksOf(args.g);
  const Range range = RangeOf(OutputPixels(args.g) * blocks, share);
  for (uint64_t i = range.begin; i < range.end; ++i) BlockS8(args, i / blocks, i % blocks);
}

void depthwise_conv_f16_reference(const DepthwiseConvF16Args& args, Share share) {
  const uint64_t blocks = BlocksOf(args.g);
  const Range range = RangeOf(OutputPixels(args.g) * blocks, share);
  for (uint64_t i = range.begin; i < range.end; ++i) BlockF16(args, i / blocks, i % blocks);
}

}  // namespace octet
