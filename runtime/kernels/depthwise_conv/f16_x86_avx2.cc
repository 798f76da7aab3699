// FP16 depthwise convolution with AVX2, FMA and F16C: 16 channels at a time, their weights widened
// once for all pixels.
#include "runtime/kernels/conv/x86_float.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/window.h"

namespace octet {
namespace {

constexpr uint32_t kBlock = 16;
constexpr uint64_t kMaxTaps = 64;

// Sums over the taps inside the image, in their order: those in the padding would add zero.
static inline void OnePixel(const ConvF16Args& args, uint64_t pixel, uint64_t channel,
                            uint64_t count, const float* weights) {
  const ConvGeometry& g = args.g;
  const Pixel p = PixelOf(g, pixel);
  __m256 low = _mm256_loadu_ps(args.bias + channel);
  __m256 high = _mm256_loadu_ps(args.bias + channel + 8);
  const float* w = weights;
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
    for (uint32_t kx = 0; kx < g.kernel_w; ++kx, w += kBlock) {
      const int64_t source = SourcePixel(g, p, ky, kx);
      if (source < 0) continue;
      const uint16_t* x = args.input + (uint64_t)source * g.in_c + channel;
      low = _mm256_fmadd_ps(LoadHalves(x, count), _mm256_load_ps(w), low);
      if (count > 8) {
        high = _mm256_fmadd_ps(LoadHalves(x + 8, count - 8), _mm256_load_ps(w + 8), high);
      }
    }
  }
  uint16_t* to = args.output + pixel * g.out_c + channel;
  StoreHalves(to, Apply8(args.function, low, args.alpha, args.beta), count);
  if (count > 8) {
    StoreHalves(to + 8, Apply8(args.function, high, args.alpha, args.beta), count - 8);
  }
}

}  // namespace

void depthwise_conv_f16_avx2(const DepthwiseConvF16Args& args, Share share) {
  const ConvGeometry& g = args.g;
  const uint64_t taps = (uint64_t)g.kernel_h * g.kernel_w;
  if (taps > kMaxTaps) {
    depthwise_conv_f16_reference(args, share);
    return;
  }
  const Range rows = RangeOf(g.out_h, share);
  alignas(32) float weights[kMaxTaps * kBlock];
  for (uint64_t channel = 0; channel < g.in_c; channel += kBlock) {
    const uint16_t* from = args.weights + channel * taps;
    for (uint64_t i = 0; i < taps * kBlock; i += 8) {
      _mm256_store_ps(weights + i, LoadHalves(from + i, 8));
    }
    const uint64_t count = g.in_c - channel < kBlock ? g.in_c - channel : kBlock;
    for (uint64_t p = rows.begin * g.out_w; p < rows.end * g.out_w; ++p) {
      OnePixel(args, p, channel, count, weights);
    }
  }
}

}  // namespace octet
