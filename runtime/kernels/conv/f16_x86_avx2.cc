// FP16 convolution with AVX2, FMA and F16C: a tile of output pixels is widened to rows of taps x
// channels floats in scratch once, then multiplied by one block of 16 output channels after
// another, 6 pixels at a time, weights widened on the way into the registers. Every sum runs over k
// in order, so that neither tile nor thread count shows in the result.
#include "runtime/format/scratch.h"
#include "runtime/kernels/conv/x86_float.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/window.h"

namespace octet {
namespace {

constexpr uint32_t kBlock = 16;
constexpr int kMaxRows = 6;            // 6 x 2 sums, 2 weights and 1 broadcast in 16 registers
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
  __m256 low[kRows], high[kRows];
  const __m256 bias_low = _mm256_loadu_ps(p.bias), bias_high = _mm256_loadu_ps(p.bias + 8);
#pragma GCC unroll 6
  for (int r = 0; r < kRows; ++r) {
    low[r] = bias_low;
    high[r] = bias_high;
  }
  const float* x = p.rows;
  const uint16_t* weights = p.weights;
  for (uint64_t k = 0; k < p.depth; ++k, ++x, weights += kBlock) {
    const __m256 w0 = LoadHalves(weights, 8), w1 = LoadHalves(weights + 8, 8);
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) {
      const __m256 value = _mm256_broadcast_ss(x + (size_t)r * p.row_step);
      low[r] = _mm256_fmadd_ps(value, w0, low[r]);
      high[r] = _mm256_fmadd_ps(value, w1, high[r]);
    }
  }
#pragma GCC unroll 6
  for (int r = 0; r < kRows; ++r) {
    uint16_t* to = p.output + (size_t)r * p.output_step;
    StoreHalves(to, Apply8(args.function, low[r], args.alpha, args.beta), p.channels);
    if (p.channels > 8) {
      StoreHalves(to + 8, Apply8(args.function, high[r], args.alpha, args.beta), p.channels - 8);
    }
  }
}

typedef void (*PanelFn)(const ConvF16Args&, const Panel&);

static void WidenRow(const ConvGeometry& g, const uint16_t* input, uint64_t channels,
                     uint64_t pixel, float* row) {
  const Pixel p = PixelOf(g, pixel);
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
    for (uint32_t kx = 0; kx < g.kernel_w; ++kx, row += channels) {
      const int64_t source = SourcePixel(g, p, ky, kx);
      if (source < 0) {
        memset(row, 0, channels * sizeof(float));
        continue;
      }
      const uint16_t* from = input + (uint64_t)source * g.in_c;
      uint64_t c = 0;
      for (; c + 8 <= channels; c += 8) _mm256_storeu_ps(row + c, LoadHalves(from + c, 8));
      for (; c < channels; ++c) row[c] = _cvtsh_ss(from[c]);
    }
  }
}

}  // namespace

void conv_f16_avx2(const ConvF16Args& args, Share share) {
  const ConvGeometry& g = args.g;
  const uint64_t group_in = g.in_c / g.groups, group_out = g.out_c / g.groups;
  // A block that spans groups would need another row for some of its lanes.
  if (g.groups > 1 && group_out % kBlock != 0) {
    conv_f16_reference(args, share);
    return;
  }
  const uint64_t taps = (uint64_t)g.kernel_h * g.kernel_w;
  const uint64_t depth = taps * group_in;
  const uint64_t deep = (depth + 15) & ~(uint64_t)15;
  const uint64_t blocks = (group_out + kBlock - 1) / kBlock;
  float* tile = reinterpret_cast<float*>(args.scratch + RoundUp64(taps * kTileRows * 8) +
                                         RoundUp64(((uint64_t)g.in_c + 64) * 4));
  static constexpr PanelFn kPanels[kMaxRows] = {RunPanel<1>, RunPanel<2>, RunPanel<3>,
                                                RunPanel<4>, RunPanel<5>, RunPanel<6>};
  const uint64_t pixels = OutputPixels(g);
  // Few pixels (fully connected layers): threads take blocks of outputs instead.
  const bool by_blocks = pixels < 2 * (uint64_t)kMaxTileRows * share.count;
  const Range work = by_blocks ? Range{0, pixels} : RangeOf(pixels, share);
  const Range outputs = by_blocks ? RangeOf(blocks, share) : Range{0, blocks};
  if (outputs.begin == outputs.end) return;
  for (uint64_t group = 0; group < g.groups; ++group) {
    for (uint64_t first = work.begin; first < work.end; first += kMaxTileRows) {
      const uint64_t left = work.end - first;
      const uint64_t rows = left < kMaxTileRows ? left : kMaxTileRows;
      for (uint64_t r = 0; r < rows; ++r) {
        WidenRow(g, args.input + group * group_in, group_in, first + r, tile + r * deep);
      }
      for (uint64_t block = outputs.begin; block < outputs.end; ++block) {
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
          kPanels[count - 1](args, p);
        }
      }
    }
  }
}

}  // namespace octet
