// FP16 depthwise convolution with AVX2, FMA and F16C: 16 channels at a time, their weights widened
// once for all pixels.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/x86_float.inl.h"

namespace octet {
namespace {

constexpr uint32_t kBlock = 16;
constexpr uint64_t kMaxTaps = 64;
// Weights are widened once for about so many pixels of a block of channels; more would walk through
// more of the image than caches hold before the next block comes.
constexpr uint32_t kPixelsAtOnce = 64;

struct Sums {
  __m256 low, high;
};

static inline void Store(const ConvF16Args& args, const Sums& sums, uint64_t count, uint16_t* to) {
  StoreHalves(to, Apply8(args.function, sums.low, args.alpha, args.beta), count);
  if (count > 8) {
    StoreHalves(to + 8, Apply8(args.function, sums.high, args.alpha, args.beta), count - 8);
  }
}

// Taps [first, last) of one dimension that lie inside the image.
struct Taps {
  uint32_t first, last;
};

static inline Taps TapsInside(int64_t start, uint32_t kernel, uint32_t dilation, uint32_t size) {
  Taps taps = {0, kernel};
  while (taps.first < kernel && start + (int64_t)taps.first * dilation < 0) ++taps.first;
  while (taps.last > taps.first && start + (int64_t)(taps.last - 1) * dilation >= size) --taps.last;
  return taps;
}

// Sums over the taps inside the image, in their order: those in the padding would add zero.
static void AnyPixel(const ConvF16Args& args, uint32_t out_y, uint32_t out_x, uint64_t channel,
                     uint64_t count, const float* weights) {
  const ConvGeometry& g = args.g;
  const int64_t y = (int64_t)out_y * g.stride_h - g.pad_top;
  const int64_t x = (int64_t)out_x * g.stride_w - g.pad_left;
  const Taps rows = TapsInside(y, g.kernel_h, g.dilation_h, g.in_h);
  const Taps columns = TapsInside(x, g.kernel_w, g.dilation_w, g.in_w);
  Sums sums = {_mm256_loadu_ps(args.bias + channel), _mm256_loadu_ps(args.bias + channel + 8)};
  for (uint32_t ky = rows.first; ky < rows.last; ++ky) {
    const uint64_t line = (uint64_t)(y + (int64_t)ky * g.dilation_h) * g.in_w;
    for (uint32_t kx = columns.first; kx < columns.last; ++kx) {
      const float* w = weights + ((size_t)ky * g.kernel_w + kx) * kBlock;
      const uint64_t pixel = line + (uint64_t)(x + (int64_t)kx * g.dilation_w);
      const uint16_t* from = args.input + pixel * g.in_c + channel;
      sums.low = _mm256_fmadd_ps(LoadHalves(from, count), _mm256_load_ps(w), sums.low);
      if (count > 8) {
        sums.high =
            _mm256_fmadd_ps(LoadHalves(from + 8, count - 8), _mm256_load_ps(w + 8), sums.high);
      }
    }
  }
  Store(args, sums, count, args.output + ((uint64_t)out_y * g.out_w + out_x) * g.out_c + channel);
}

struct Steps {
  size_t down, right;  // from a tap to the next
};

static inline Sums Sum3x3(const Sums& bias, const uint16_t* line, const Steps& steps,
                          const float* w) {
  Sums sums = bias;
#pragma GCC unroll 3
  for (int ky = 0; ky < 3; ++ky, line += steps.down) {
    const uint16_t* x = line;
#pragma GCC unroll 3
    for (int kx = 0; kx < 3; ++kx, x += steps.right, w += kBlock) {
      sums.low = _mm256_fmadd_ps(LoadHalves(x, 8), _mm256_load_ps(w), sums.low);
      sums.high = _mm256_fmadd_ps(LoadHalves(x + 8, 8), _mm256_load_ps(w + 8), sums.high);
    }
  }
  return sums;
}

// `pixels` outputs side by side whose 3x3 windows lie inside the image, 16 channels of them.
static void Inside3x3(const ConvF16Args& args, const uint16_t* from, uint64_t channel,
                      uint32_t pixels, const float* weights, uint16_t* to) {
  const ConvGeometry& g = args.g;
  const Steps steps = {(size_t)g.dilation_h * g.in_w * g.in_c, (size_t)g.dilation_w * g.in_c};
  const size_t step = (size_t)g.stride_w * g.in_c;
  const Sums bias = {_mm256_loadu_ps(args.bias + channel),
                     _mm256_loadu_ps(args.bias + channel + 8)};
  if (IsInLine(args.function)) {
    for (uint32_t i = 0; i < pixels; ++i, from += step, to += g.out_c) {
      Store(args, Sum3x3(bias, from, steps, weights), kBlock, to);
    }
    return;
  }
  // Several pixels' functions at a time.
  constexpr uint32_t kTogether = 16;
  alignas(32) float values[kTogether * kBlock];
  for (uint32_t first = 0; first < pixels; first += kTogether) {
    const uint32_t count = pixels - first < kTogether ? pixels - first : kTogether;
    for (uint32_t i = 0; i < count; ++i, from += step) {
      const Sums sums = Sum3x3(bias, from, steps, weights);
      _mm256_store_ps(values + i * kBlock, sums.low);
      _mm256_store_ps(values + i * kBlock + 8, sums.high);
    }
    apply_function_avx2(args.function, args.alpha, args.beta, values, count * kBlock);
    for (uint32_t i = 0; i < count; ++i, to += g.out_c) {
      HalfRows::Narrow(values + i * kBlock, kBlock, to);
    }
  }
}

// Outputs [begin, end) of one dimension whose windows lie inside the image.
static Range WindowsInside(uint32_t outputs, uint32_t stride, uint32_t kernel, uint32_t dilation,
                           uint32_t pad, uint32_t size) {
  Range r = {0, outputs};
  while (r.begin < outputs && r.begin * stride < pad) ++r.begin;
  const uint64_t span = (uint64_t)(kernel - 1) * dilation;
  while (r.end > r.begin && (r.end - 1) * stride + span >= (uint64_t)size + pad) --r.end;
  return r;
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
  const Range inside_y =
      WindowsInside(g.out_h, g.stride_h, g.kernel_h, g.dilation_h, g.pad_top, g.in_h);
  const Range inside_x =
      WindowsInside(g.out_w, g.stride_w, g.kernel_w, g.dilation_w, g.pad_left, g.in_w);
  const bool square3 = g.kernel_h == 3 && g.kernel_w == 3;
  const uint64_t rows_at_once = (kPixelsAtOnce + g.out_w - 1) / g.out_w;
  alignas(32) float weights[kMaxTaps * kBlock];
  for (uint64_t first = rows.begin; first < rows.end; first += rows_at_once) {
    const uint64_t last = rows.end - first < rows_at_once ? rows.end : first + rows_at_once;
    for (uint64_t channel = 0; channel < g.in_c; channel += kBlock) {
      const uint16_t* from = args.weights + channel * taps;
      for (uint64_t i = 0; i < taps * kBlock; i += 8) {
        _mm256_store_ps(weights + i, LoadHalves(from + i, 8));
      }
      const uint64_t count = g.in_c - channel < kBlock ? g.in_c - channel : kBlock;
      for (uint64_t y = first; y < last; ++y) {
        const bool fast = square3 && count == kBlock && y >= inside_y.begin && y < inside_y.end;
        for (uint64_t x = 0; x < g.out_w;) {
          if (fast && x == inside_x.begin && inside_x.end > x) {
            const uint64_t in_y = y * g.stride_h - g.pad_top, in_x = x * g.stride_w - g.pad_left;
            Inside3x3(args, args.input + (in_y * g.in_w + in_x) * g.in_c + channel, channel,
                      (uint32_t)(inside_x.end - x), weights,
                      args.output + (y * g.out_w + x) * g.out_c + channel);
            x = inside_x.end;
          } else {
            AnyPixel(args, (uint32_t)y, (uint32_t)x++, channel, count, weights);
          }
        }
      }
    }
  }
}

}  // namespace octet
