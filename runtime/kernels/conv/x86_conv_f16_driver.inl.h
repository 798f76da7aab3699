// FP16 convolution for all x86 levels: a tile of output pixels is widened to rows of taps x
// channels floats in scratch once, then multiplied by one block of 16 output channels after
// another, some pixels at a time, weights widened on the way into the registers. Every sum runs
// over k in order, so that neither tile nor thread count shows in the result.
//
// Included by conv/f16_x86_<level>.cc, which first defines kMaxRows and the class Sums: the sums of
// 16 outputs of one pixel.
#include "runtime/format/scratch.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/window.h"

namespace octet {
namespace {

constexpr uint32_t kBlock = 16;
constexpr uint32_t kMaxTileRows = 12;  // of the kTileRowsF16 that scratch holds
static_assert(kMaxTileRows <= kTileRowsF16, "tile fits scratch");

struct Panel {
  const float* rows;
  size_t row_step;
  uint64_t depth;
  const uint16_t* weights;
  const float* bias;
  uint16_t* output;
  size_t output_step;
  uint64_t channels;  // 1..16
};

template <int kRows>
static void RunPanel(const ConvF16Args& args, const Panel& p) {
  Sums sums[kRows];
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) sums[r].Start(p.bias);
  const float* x = p.rows;
  const uint16_t* weights = p.weights;
  for (uint64_t k = 0; k < p.depth; ++k, ++x, weights += kBlock) {
    Sums::Weights w;
    w.Load(weights);
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) sums[r].Add(x[(size_t)r * p.row_step], w);
  }
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
    uint16_t* to = p.output + (size_t)r * p.output_step;
    StoreHalves(to, Apply8(args.function, sums[r].Low(), args.alpha, args.beta), p.channels);
    if (p.channels > 8) {
      StoreHalves(to + 8, Apply8(args.function, sums[r].High(), args.alpha, args.beta),
                  p.channels - 8);
    }
  }
}

typedef void (*PanelFn)(const ConvF16Args&, const Panel&);

static inline void Widen(const uint16_t* from, uint64_t count, float* to) {
  uint64_t i = 0;
  for (; i + 8 <= count; i += 8) _mm256_storeu_ps(to + i, LoadHalves(from + i, 8));
  if (i == count) return;
  if (count >= 8) {  // the last eight once more
    _mm256_storeu_ps(to + count - 8, LoadHalves(from + count - 8, 8));
    return;
  }
  for (; i < count; ++i) to[i] = _cvtsh_ss(from[i]);
}

static void WidenRow(const ConvGeometry& g, const uint16_t* input, uint64_t channels,
                     uint64_t pixel, float* row) {
  const Pixel p = PixelOf(g, pixel);
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
    // A window row inside the image is one run of bytes where nothing is dilated or grouped.
    const int64_t first = SourcePixel(g, p, ky, 0);
    if (g.dilation_w == 1 && channels == g.in_c && first >= 0 &&
        SourcePixel(g, p, ky, g.kernel_w - 1) >= 0) {
      Widen(input + (uint64_t)first * g.in_c, g.kernel_w * channels, row);
      row += g.kernel_w * channels;
      continue;
    }
    for (uint32_t kx = 0; kx < g.kernel_w; ++kx, row += channels) {
      const int64_t source = SourcePixel(g, p, ky, kx);
      if (source < 0) {
        memset(row, 0, channels * sizeof(float));
      } else {
        Widen(input + (uint64_t)source * g.in_c, channels, row);
      }
    }
  }
}

// Weights of this size stay in the level 2 cache from one tile of pixels to the next.
constexpr uint64_t kResidentWeightBytes = 1024 * 1024;

// panels[rows - 1], rows up to kMaxRows.
static void RunConvF16(const ConvF16Args& args, Share share, const PanelFn* panels) {
  const ConvGeometry& g = args.g;
  const uint64_t group_in = g.in_c / g.groups, group_out = g.out_c / g.groups;
  if (!GroupsFitKernels(g.groups, g.in_c, g.out_c, true)) {
    conv_f16_reference(args, share);
    return;
  }
  const uint64_t taps = (uint64_t)g.kernel_h * g.kernel_w;
  const uint64_t depth = taps * group_in;
  const uint64_t deep = (depth + 15) & ~(uint64_t)15;
  const uint64_t blocks = (group_out + kBlock - 1) / kBlock;
  float* tile = reinterpret_cast<float*>(args.scratch + RoundUp64(taps * kTileRows * 8) +
                                         RoundUp64(((uint64_t)g.in_c + 64) * 4));
  const uint64_t pixels = OutputPixels(g);
  // Few pixels (fully connected layers): threads take blocks of outputs instead.
  const bool by_blocks = pixels < 2 * (uint64_t)kMaxTileRows * share.count;
  const Range work = by_blocks ? Range{0, pixels} : RangeOf(pixels, share);
  const Range outputs = by_blocks ? RangeOf(blocks, share) : Range{0, blocks};
  if (outputs.begin == outputs.end) return;
  // All pixels against part of the outputs at a time where their weights would not stay in cache;
  // rows are widened once for each part.
  const uint64_t block_bytes = depth * kBlock * 2;
  uint64_t part = outputs.end - outputs.begin;
  if (part * block_bytes > 2 * kResidentWeightBytes && work.end - work.begin > kMaxTileRows) {
    part = kResidentWeightBytes / block_bytes > 4 ? kResidentWeightBytes / block_bytes : 4;
  }
  for (uint64_t group = 0, begin = outputs.begin; group < g.groups;) {
    const uint64_t end = outputs.end - begin < part ? outputs.end : begin + part;
    for (uint64_t first = work.begin; first < work.end; first += kMaxTileRows) {
      const uint64_t left = work.end - first;
      const uint64_t rows = left < kMaxTileRows ? left : kMaxTileRows;
      for (uint64_t r = 0; r < rows; ++r) {
        WidenRow(g, args.input + group * group_in, group_in, first + r, tile + r * deep);
      }
      for (uint64_t block = begin; block < end; ++block) {
        const uint64_t channel = group * group_out + block * kBlock;
        const uint64_t rest = group_out - block * kBlock;
        Panel p;
        p.row_step = deep;
        p.depth = depth;
        p.weights = args.weights + channel * depth;
        p.bias = args.bias + channel;
        p.output_step = g.out_c;
        p.channels = rest < kBlock ? rest : kBlock;
        for (uint64_t r = 0; r < rows; r += kMaxRows) {
          const uint64_t count = rows - r < kMaxRows ? rows - r : kMaxRows;
          p.rows = tile + r * deep;
          p.output = args.output + (first + r) * g.out_c + channel;
          panels[count - 1](args, p);
        }
      }
    }
    begin = end;
    if (begin == outputs.end) {
      begin = outputs.begin;
      ++group;
    }
  }
}

}  // namespace
}  // namespace octet
