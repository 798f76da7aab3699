// Winograd's method for 3x3 convolutions of stride 1, in integers and exact (format/FORMAT.md,
// "Other layouts of weights", has the matrices): what the levels share. Output is made in tiles of
// m x m pixels, m = 2 or 4, from input tiles of (m + 2) x (m + 2).
//
// Why the bytes equal those of the direct convolution. Every step is linear over the integers and
//   A^T (sum over c of (G w G^T) * (B^T d B)) A = k * sum over taps and c of w * d,
// k = 4 (m = 2) or 576 (m = 4). V = B^T d B fits int16: |V| <= 128 * 4 or 128 * 100, partial sums
// included. U fits int16: |U| <= 127 * 9 or 127 * 144 (-128 as well). Sums wrap mod 2^32, which
// loses nothing: with |acc| < 2^29 the value 4 acc is one int32, and acc follows by an exact shift;
// with |acc| < 2^25, 576 acc times the inverse of 9 is 64 acc mod 2^32, one int32 again. The
// converter proves these bounds from the weights. Padding reads the zero point, as the direct
// kernels do, so bias (which holds -zero_point * weight_sum) is added to acc as it is there.
//
// A level is a struct of static functions:
//   template <int m> TransformInput(const uint8_t* const* pixels, uint32_t in_c, uint8_t sign,
//                                   int16_t* v, size_t position_stride, size_t channel_stride)
//       pixels[(m + 2)^2] point at in_c arena bytes (q ^ sign); V of position p and channels
//       8 i .. 8 i + 7 goes to v[p * position_stride + i * channel_stride + 0 .. 7].
//   Multiply(const int16_t* u, const int16_t* v, size_t tiles, uint32_t in_c, int32_t* products,
//            size_t product_stride)
//       products[t * product_stride + o] = sum over c of v[c / 8][t][c % 8] * u[c][o], t < tiles,
//       o < 16.
//   template <int m> Finish(const int32_t* products, const WinogradOutput& out)
//       products[(m + 2)^2][16] of one tile -> m x m pixels, of which those inside the image are
//       stored.
// Included by conv/<arch>_<isa>.cc; everything has internal linkage.
#ifndef OCTET_KERNELS_CONV_WINOGRAD_INL_H_
#define OCTET_KERNELS_CONV_WINOGRAD_INL_H_

#include <string.h>

#include "runtime/kernels/conv/scratch.h"
#include "runtime/kernels/convolution.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

constexpr uint32_t kInverseOf9 = 954437177u;  // 9 * 954437177 = 2 * 2^32 + 1

// Where the results of a tile go.
struct WinogradOutput {
  const ConvS8Args* args;
  const blob::ChannelBlockS8* channels;
  uint8_t* output;          // first pixel of the tile, first channel of the block
  uint32_t rows, columns;   // inside the image: 1 .. m
  uint32_t channels_count;  // to be stored: 1 .. 16
};

struct WinogradPlan {
  uint32_t tiles_x;
  uint64_t tile_count;
  uint64_t most;    // tiles at a time
  uint32_t blocks;  // of 16 outputs
  uint8_t* padding;
  int16_t* v;
  int32_t* products;
};

// pixels[size * size] of a tile that may leave the image.
static inline void PointEdgeTile(const ConvS8Args& args, const WinogradPlan& plan, int64_t top,
                                 int64_t left, int size, const uint8_t** pixels) {
  const ConvGeometry& g = args.g;
  for (int64_t y = top; y < top + size; ++y) {
    const bool row_inside = y >= 0 && y < g.in_h;
    for (int64_t x = left; x < left + size; ++x) {
      *pixels++ = row_inside && x >= 0 && x < g.in_w
                      ? args.input + ((size_t)y * g.in_w + (size_t)x) * g.in_c
                      : plan.padding;
    }
  }
}

// V of tiles [first, first + tiles).
template <typename Level, int m>
static inline void WinogradInput(const ConvS8Args& args, const WinogradPlan& plan, uint64_t first,
                                 size_t tiles) {
  constexpr int kSize = m + 2;
  const ConvGeometry& g = args.g;
  for (size_t t = 0; t < tiles; ++t) {
    const int64_t top = (int64_t)((first + t) / plan.tiles_x) * m - g.pad_top;
    const int64_t left = (int64_t)((first + t) % plan.tiles_x) * m - g.pad_left;
    const uint8_t* pixels[kSize * kSize];
    if (top >= 0 && left >= 0 && top + kSize <= g.in_h && left + kSize <= g.in_w) {
      const uint8_t* row = args.input + ((size_t)top * g.in_w + (size_t)left) * g.in_c;
      for (int i = 0; i < kSize; ++i, row += (size_t)g.in_w * g.in_c) {
        for (int j = 0; j < kSize; ++j) pixels[i * kSize + j] = row + (size_t)j * g.in_c;
      }
    } else {
      PointEdgeTile(args, plan, top, left, kSize, pixels);
    }
    Level::template TransformInput<m>(pixels, g.in_c, args.sign, plan.v + t * 8, tiles * g.in_c,
                                      tiles * 8);
  }
}

// Output of tiles [first, first + tiles) from their products with one block.
template <typename Level, int m>
static inline void WinogradFinish(const ConvS8Args& args, const WinogradPlan& plan, uint64_t first,
                                  size_t tiles, uint32_t block, const int32_t* products) {
  constexpr size_t kPositions = (m + 2) * (m + 2);
  const ConvGeometry& g = args.g;
  WinogradOutput out;
  out.args = &args;
  out.channels = args.channels + block;
  out.channels_count = g.out_c - block * 16 < 16 ? g.out_c - block * 16 : 16;
  for (size_t t = 0; t < tiles; ++t) {
    const uint32_t y = (uint32_t)((first + t) / plan.tiles_x) * m;
    const uint32_t x = (uint32_t)((first + t) % plan.tiles_x) * m;
    out.rows = g.out_h - y < m ? g.out_h - y : m;
    out.columns = g.out_w - x < m ? g.out_w - x : m;
    out.output = args.output + ((size_t)y * g.out_w + x) * g.out_c + (size_t)block * 16;
    Level::template Finish<m>(products + t * kPositions * 16, out);
  }
}

// Tiles [first, first + tiles), whose V are there, x one block of outputs.
template <typename Level, int m>
static inline void WinogradBlock(const ConvS8Args& args, const WinogradPlan& plan, uint64_t first,
                                 size_t tiles, uint32_t block) {
  constexpr size_t kPositions = (m + 2) * (m + 2);
  const ConvGeometry& g = args.g;
  for (size_t p = 0; p < kPositions; ++p) {
    Level::Multiply(args.transformed + (p * plan.blocks + block) * g.in_c * 16,
                    plan.v + p * tiles * g.in_c, tiles, g.in_c, plan.products + p * 16,
                    kPositions * 16);
  }
  WinogradFinish<Level, m>(args, plan, first, tiles, block, plan.products);
}

static inline WinogradPlan PlanWinograd(const ConvS8Args& args, uint32_t m) {
  const ConvGeometry& g = args.g;
  const WinogradParts parts = WinogradPartsOf(m, g.in_c, g.out_h, g.out_w);
  WinogradPlan plan;
  plan.tiles_x = (g.out_w + m - 1) / m;
  plan.tile_count = WinogradTileCount(m, g.out_h, g.out_w);
  plan.most = parts.tiles;
  plan.blocks = (g.out_c + 15) / 16;
  plan.padding = args.scratch;
  plan.v = reinterpret_cast<int16_t*>(args.scratch + parts.v);
  plan.products = reinterpret_cast<int32_t*>(args.scratch + parts.products);
  memset(plan.padding, (uint8_t)args.in_zero_point ^ args.sign, g.in_c);
  return plan;
}

template <typename Level, int m>
static inline void RunWinogradTiles(const ConvS8Args& args, Share share) {
  const WinogradPlan plan = PlanWinograd(args, m);
  Range tiles = {0, plan.tile_count};
  Range blocks = {0, plan.blocks};
  // Few tiles: dividing the outputs lets every thread read weights of its own, which are many times
  // the input that all of them transform.
  if (plan.tile_count < 12 * (uint64_t)share.count && plan.blocks >= share.count) {
    blocks = RangeOf(plan.blocks, share);
  } else {
    tiles = RangeOf(plan.tile_count, share);
  }
  const uint64_t count = tiles.end - tiles.begin;
  if (blocks.begin == blocks.end) return;
  const uint64_t parts = CeilDiv(count, plan.most);
  for (uint64_t i = 0; i < parts; ++i) {
    const uint64_t first = tiles.begin + count * i / parts;
    const size_t part = (size_t)(tiles.begin + count * (i + 1) / parts - first);
    WinogradInput<Level, m>(args, plan, first, part);
    for (uint64_t block = blocks.begin; block < blocks.end; ++block) {
      WinogradBlock<Level, m>(args, plan, first, part, (uint32_t)block);
    }
  }
}

// args.winograd is 2 or 4.
template <typename Level>
static inline void RunWinograd(const ConvS8Args& args, Share share) {
  if (args.winograd == 2) {
    RunWinogradTiles<Level, 2>(args, share);
  } else {
    RunWinogradTiles<Level, 4>(args, share);
  }
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_WINOGRAD_INL_H_
