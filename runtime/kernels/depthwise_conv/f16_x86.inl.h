// FP16 depthwise convolution on x86: 16 channels at a time, their weights widened once for many
// pixels. A level brings V, the vector that slides along the rows of 3 and 5 columns:
//   Floats, kLanes                    8 or 16 floats
//   Load(float*), Store(float*, Floats), Widen(uint16_t*), MultiplyAdd(x, y, sum)
//   All(float), AtLeast(lo, Floats), AtMost(hi, Floats), Narrow(Floats, uint16_t*)
//   Apply(..)                         any function on many values
// Products of halves are exact in float: fused or not gives the same bits. Internal linkage.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/x86_float.inl.h"
// Behind what it needs.
#include "runtime/kernels/depthwise_conv/f16_x86_sliding.inl.h"

namespace octet {
namespace {

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
      const float* w = weights + ((size_t)ky * g.kernel_w + kx) * kChannelBlock;
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
    for (int kx = 0; kx < 3; ++kx, x += steps.right, w += kChannelBlock) {
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
      Store(args, Sum3x3(bias, from, steps, weights), kChannelBlock, to);
    }
    return;
  }
  // Several pixels' functions at a time.
  constexpr uint32_t kTogether = 16;
  alignas(32) float values[kTogether * kChannelBlock];
  for (uint32_t first = 0; first < pixels; first += kTogether) {
    const uint32_t count = pixels - first < kTogether ? pixels - first : kTogether;
    for (uint32_t i = 0; i < count; ++i, from += step) {
      const Sums sums = Sum3x3(bias, from, steps, weights);
      _mm256_store_ps(values + i * kChannelBlock, sums.low);
      _mm256_store_ps(values + i * kChannelBlock + 8, sums.high);
    }
    apply_function_avx2(args.function, args.alpha, args.beta, values, count * kChannelBlock);
    for (uint32_t i = 0; i < count; ++i, to += g.out_c) {
      HalfRows::Narrow(values + i * kChannelBlock, kChannelBlock, to);
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

// The first `count` (1..15) of a block's halves.
static inline void StoreRest(const uint16_t* block, uint64_t count, uint16_t* to) {
  const uint64_t four = count & 8, two = count & 12, one = count & 14;
  if (count & 8) memcpy(to, block, 8 * sizeof(*to));
  if (count & 4) memcpy(to + four, block + four, 4 * sizeof(*to));
  if (count & 2) memcpy(to + two, block + two, 2 * sizeof(*to));
  if (count & 1) to[one] = block[one];
}

// `count` outputs side by side of less than a vector of channels, the last ones: whole vectors are
// read, but for the image's last pixels, and of the results those are kept that there are.
template <typename V>
static void SlideRest(const ConvF16Args& args, OutputsOf of, const Window& window, uint32_t count,
                      uint64_t channels, uint16_t* to) {
  ConvF16Args in_blocks = args;
  in_blocks.g.out_c = kChannelBlock;
  uint16_t blocks[kMost * kChannelBlock];
  of(window, in_blocks, 1, blocks);
  for (uint32_t i = 0; i < count; ++i, to += args.g.out_c) {
    StoreRest(blocks + i * kChannelBlock, channels, to);
  }
}

// One behind the last element that whole vectors read.
template <typename V>
static inline int64_t EndOfReads(const ConvGeometry& g, const Window& window, uint32_t count) {
  const int64_t columns = (int64_t)(count - 1) * g.stride_w + g.kernel_w;
  const int64_t last = (columns < window.last ? columns : window.last) - 1;
  return window.start + (int64_t)((window.lines - 1) * window.down) + last * (int64_t)window.right +
         V::kLanes;
}

// How many of the `tiles` tiles from output x on, which reads from in_x on, have `count` outputs
// and all their columns inside the image; 1 where the first has not.
static inline uint32_t AlikeTiles(const ConvGeometry& g, uint32_t x, uint32_t count, uint32_t tiles,
                                  int64_t in_x) {
  if (in_x < 0) return 1;
  const uint32_t alike = (g.out_w - x) - (count - 1) * tiles;  // the others have one less
  const uint64_t columns = g.in_w - (uint64_t)in_x, step = (uint64_t)count * g.stride_w;
  const uint64_t one = (uint64_t)(count - 1) * g.stride_w + g.kernel_w;
  if (columns < one) return 1;
  const uint64_t inside = (columns - one) / step + 1;
  return inside < alike ? (uint32_t)inside : alike;
}

// A row of outputs (or two: `of`) of some blocks of channels, which share lines of the cache;
// `channels` of them.
template <typename V>
static void SlideRow(const ConvF16Args& args, const OutputsOf* of, uint32_t out_y, uint64_t channel,
                     uint64_t channels, const float* weights) {
  const ConvGeometry& g = args.g;
  const size_t taps = (size_t)g.kernel_h * g.kernel_w;
  const int64_t y = (int64_t)out_y * g.stride_h - g.pad_top;
  const Taps rows = TapsInside(y, g.kernel_h, g.dilation_h, g.in_h);
  Window window;
  window.input = args.input;
  window.down = (size_t)g.dilation_h * g.in_w * g.in_c;
  window.right = g.in_c;
  window.lines = rows.last - rows.first;
  const int64_t line = (y + (int64_t)rows.first * g.dilation_h) * g.in_w;
  const int64_t end = (int64_t)g.in_h * g.in_w * g.in_c;
  uint32_t tiles = (g.out_w + kMost - 1) / kMost;
  for (uint32_t x = 0, run; tiles != 0; tiles -= run) {
    const uint32_t count = (g.out_w - x + tiles - 1) / tiles;
    const int64_t in_x = (int64_t)x * g.stride_w - g.pad_left;
    window.first = in_x < 0 ? -in_x : 0;
    window.last = (int64_t)g.in_w - in_x;
    run = channels % V::kLanes == 0 ? AlikeTiles(g, x, count, tiles, in_x) : 1;
    for (uint64_t lane = 0; lane < channels; lane += V::kLanes) {
      window.start = (line + in_x) * (int64_t)g.in_c + (int64_t)(channel + lane);
      window.weights = weights + lane / kChannelBlock * taps * kChannelBlock +
                       (size_t)rows.first * g.kernel_w * kChannelBlock + lane % kChannelBlock;
      window.bias = args.bias + channel + lane;
      uint16_t* to = args.output + ((uint64_t)out_y * g.out_w + x) * g.out_c + channel + lane;
      if (channels - lane >= V::kLanes) {
        of[count - 1](window, args, run, to);
      } else if (window.lines != 0 && EndOfReads<V>(g, window, count) <= end) {
        SlideRest<V>(args, of[count - 1], window, count, channels - lane, to);
      } else {
        for (uint32_t i = 0; i < count; ++i) {
          AnyPixel(args, out_y, x + i, channel, channels, weights);
        }
      }
    }
    x += run * count;
  }
}

constexpr uint32_t kTogether = 2;  // blocks at a time: 64 bytes of a pixel

template <typename V>
static void RunDepthwiseF16(const DepthwiseConvF16Args& args, Share share) {
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
  const OutputsOf* const sliding = SlidingOf<V>(g);
  const OutputsOf* const two_rows = SlidingTwoRowsOf<V>(g);
  uint64_t rows_at_once = (kPixelsAtOnce + g.out_w - 1) / g.out_w;
  if (two_rows != nullptr && rows_at_once % 2 != 0) ++rows_at_once;
  alignas(64) float weights[kMaxTaps * kChannelBlock * kTogether];
  for (uint64_t first = rows.begin; first < rows.end; first += rows_at_once) {
    const uint64_t last = rows.end - first < rows_at_once ? rows.end : first + rows_at_once;
    uint64_t blocks = 1;
    for (uint64_t channel = 0; channel < g.in_c; channel += blocks * kChannelBlock) {
      const bool many = sliding != nullptr && g.in_c - channel >= kTogether * kChannelBlock;
      blocks = many ? kTogether : 1;
      const uint16_t* from = args.weights + channel * taps;
      for (uint64_t i = 0; i < blocks * taps * kChannelBlock; i += 8) {
        _mm256_store_ps(weights + i, LoadHalves(from + i, 8));
      }
      const uint64_t left = g.in_c - channel, most = blocks * kChannelBlock;
      const uint64_t count = left < most ? left : most;
      for (uint64_t y = first; y < last; ++y) {
        if (two_rows != nullptr && count % V::kLanes == 0 && y >= inside_y.begin && y + 1 < last &&
            y + 1 < inside_y.end) {
          SlideRow<V>(args, two_rows, (uint32_t)y++, channel, count, weights);
          continue;
        }
        if (sliding != nullptr) {
          SlideRow<V>(args, sliding, (uint32_t)y, channel, count, weights);
          continue;
        }
        const bool fast =
            square3 && count == kChannelBlock && y >= inside_y.begin && y < inside_y.end;
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

}  // namespace
}  // namespace octet
