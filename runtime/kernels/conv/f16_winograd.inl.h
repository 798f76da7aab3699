// Winograd's method for FP16 convolutions of 3x3 and stride 1, tiles of 2 x 2 output pixels
// (format/FORMAT.md, "FP16 arithmetic", has the numbers): what the vector levels share. 16 products
// in place of 36.
//
// V is rounded to 13 bits and U has 11, so every product is an exact float: fused or not, sums over
// the channels in their order are the same. What a tile is computed with is nobody else's, so that
// neither parts nor threads show in the result.
//
// A level is a struct of
//   Lanes       Floats, a vector of kLanes floats, with Load, Store and LoadHalves
//   kTogether   most blocks of 16 outputs that Multiply takes
//   Multiply(WinogradProducts)                    sums of one position
//   Finish(args, values, rows, panel)             rows of 16 sums each to the output
// Included by conv/f16_*.cc; everything has internal linkage.
#ifndef OCTET_KERNELS_CONV_F16_WINOGRAD_INL_H_
#define OCTET_KERNELS_CONV_F16_WINOGRAD_INL_H_

#include "runtime/kernels/conv/driver.inl.h"

namespace octet {
namespace {

constexpr uint32_t kPositions = kWinogradPositionsF16;

struct WinogradPlanF16 {
  uint32_t tiles_x, blocks;
  uint64_t tile_count;
  size_t rows;  // most tiles of a part, by eights: of V and sums
  const uint16_t* zeros;
  float *v, *sums, *lines, *weights;
};

// sums[block][tile][16], `sums_step` from one block to the next, of one position.
struct WinogradProducts {
  const uint16_t* weights;  // of the first block, `block_step` before those of the next
  const uint16_t* next;     // of the next position
  size_t block_step, sums_step;
  const float* v;  // [tile][in_c]
  const float* bias;
  float *sums, *widened;
  uint32_t in_c, tiles, blocks;
};

static inline WinogradPlanF16 PlanWinogradF16(const ConvF16Args& args, Isa level) {
  const ConvGeometry& g = args.g;
  const WinogradPartsF16 parts = WinogradPartsOfF16(level, g.in_c, g.out_h, g.out_w);
  const auto at = [&](uint64_t offset) { return reinterpret_cast<float*>(args.scratch + offset); };
  WinogradPlanF16 plan;
  plan.tiles_x = (g.out_w + 1) / 2;
  plan.blocks = (g.out_c + kChannelBlock - 1) / kChannelBlock;
  plan.tile_count = WinogradTileCount(2, g.out_h, g.out_w);
  plan.rows = (size_t)parts.tiles;
  memset(args.scratch, 0, (size_t)g.in_c * 2);
  plan.zeros = reinterpret_cast<const uint16_t*>(args.scratch);
  plan.v = at(parts.v);
  plan.sums = at(parts.sums);
  plan.lines = at(parts.lines);
  plan.weights = at(parts.weights);
  return plan;
}

// To 13 bits, the nearest (Veltkamp's splitting, by 2^11 + 1).
template <typename Floats>
static inline Floats To13Bits(Floats x) {
  const Floats high = x * 2049.0f;
  return high - (high - x);
}

// Tiles of one line, whose first has tile column `x`.
struct WinogradRun {
  uint32_t y, x, tiles;
};

static inline WinogradRun RunAt(const WinogradPlanF16& plan, uint64_t tile, uint64_t end) {
  const uint32_t x = (uint32_t)(tile % plan.tiles_x);
  const uint64_t left = end - tile, line = plan.tiles_x - x;
  return WinogradRun{(uint32_t)(tile / plan.tiles_x), x, (uint32_t)(left < line ? left : line)};
}

// V of a run: down the columns, which neighbouring tiles share, then along the lines.
template <typename Lanes>
static void TransformRun(const ConvF16Args& args, const WinogradPlanF16& plan,
                         const WinogradRun& run, float* v) {
  typedef typename Lanes::Floats Floats;
  const ConvGeometry& g = args.g;
  const int64_t top = (int64_t)run.y * 2 - g.pad_top, left = (int64_t)run.x * 2 - g.pad_left;
  const size_t position = plan.rows * g.in_c;
  const uint16_t* lines[4];
  size_t steps[4];
#pragma GCC unroll 1
  for (int i = 0; i < 4; ++i) {
    const bool inside = top + i >= 0 && top + i < g.in_h;
    lines[i] = inside ? args.input + (size_t)(top + i) * g.in_w * g.in_c : plan.zeros;
    steps[i] = inside ? g.in_c : 0;
  }
  for (uint32_t c = 0;;) {
    const auto column = [&](int64_t x, Floats* to) {
      if (x < 0 || x >= g.in_w) {
        for (int i = 0; i < 4; ++i) to[i] = Floats{};
        return;
      }
      Floats d[4];
      for (int i = 0; i < 4; ++i) d[i] = Lanes::LoadHalves(lines[i] + (size_t)x * steps[i] + c);
      to[0] = d[0] - d[2];
      to[1] = d[1] + d[2];
      to[2] = d[2] - d[1];
      to[3] = d[1] - d[3];
    };
    Floats a[4], b[4], next[4], last[4];
    float* to = v + c;
    // The first round makes the columns that the first tile does not share.
    for (uint32_t t = 0; t <= run.tiles; ++t) {
      column(left + 2 * (int64_t)t, next);
      column(left + 2 * (int64_t)t + 1, last);
      if (t != 0) {
        float* line = to;
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i, line += 4 * position) {
          Lanes::Store(line, To13Bits(a[i] - next[i]));
          Lanes::Store(line + position, To13Bits(b[i] + next[i]));
          Lanes::Store(line + 2 * position, To13Bits(next[i] - b[i]));
          Lanes::Store(line + 3 * position, To13Bits(b[i] - last[i]));
        }
        to += g.in_c;
      }
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        a[i] = next[i];
        b[i] = last[i];
      }
    }
    if (c + Lanes::kLanes >= g.in_c) break;
    c += Lanes::kLanes;  // the last channels once more
    if (c + Lanes::kLanes > g.in_c) c = g.in_c - Lanes::kLanes;
  }
}

// Two lines of the output, `tiles` tiles long, from their sums with one block.
template <typename Lanes>
static inline void TransformSums(const WinogradPlanF16& plan, const float* sums, uint32_t tiles) {
  typedef typename Lanes::Floats Floats;
  const size_t position = plan.rows * kChannelBlock;
  float* to = plan.lines;
  float* below = to + (size_t)tiles * 2 * kChannelBlock;
  for (uint32_t t = 0; t < tiles;
       ++t, to += 2 * kChannelBlock, below += 2 * kChannelBlock, sums += kChannelBlock) {
#pragma GCC unroll 1
    for (uint32_t o = 0; o < kChannelBlock; o += Lanes::kLanes) {
      Floats upper[4], lower[4];
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        const float* m = sums + (size_t)j * position + o;
        const Floats m1 = Lanes::Load(m + 4 * position), m2 = Lanes::Load(m + 8 * position);
        upper[j] = Lanes::Load(m) + m1 + m2;
        lower[j] = m1 - m2 - Lanes::Load(m + 12 * position);
      }
      Lanes::Store(to + o, upper[0] + upper[1] + upper[2]);
      Lanes::Store(to + kChannelBlock + o, upper[1] - upper[2] - upper[3]);
      Lanes::Store(below + o, lower[0] + lower[1] + lower[2]);
      Lanes::Store(below + kChannelBlock + o, lower[1] - lower[2] - lower[3]);
    }
  }
}

// Tiles [first, end) of the output's block `block`, whose sums are there.
template <typename Level>
static void FinishTilesF16(const ConvF16Args& args, const WinogradPlanF16& plan, uint64_t first,
                           uint64_t end, uint32_t block, const float* sums) {
  const ConvGeometry& g = args.g;
  PanelF16 panel = {};
  panel.output_stride = g.out_c;
  const uint32_t channels = g.out_c - block * kChannelBlock;
  panel.output_channels = channels < kChannelBlock ? channels : kChannelBlock;
  for (uint64_t tile = first; tile < end;) {
    const WinogradRun run = RunAt(plan, tile, end);
    TransformSums<typename Level::Lanes>(plan, sums + (tile - first) * kChannelBlock, run.tiles);
    const uint32_t left = g.out_w - run.x * 2;
    const uint32_t pixels = run.tiles * 2 < left ? run.tiles * 2 : left;
    for (uint32_t i = 0; i < 2 && run.y * 2 + i < g.out_h; ++i) {
      panel.output = args.output + ((size_t)(run.y * 2 + i) * g.out_w + run.x * 2) * g.out_c +
                     block * kChannelBlock;
      Level::Finish(args, plan.lines + (size_t)i * run.tiles * 2 * kChannelBlock, pixels, panel);
    }
    tile += run.tiles;
  }
}

template <typename Level>
static inline void RunPartF16(const ConvF16Args& args, const WinogradPlanF16& plan, uint64_t first,
                              uint64_t end, Range blocks) {
  static constexpr float kNoBias[Level::kTogether * kChannelBlock] = {};
  const ConvGeometry& g = args.g;
  for (uint64_t tile = first; tile < end;) {
    const WinogradRun run = RunAt(plan, tile, end);
    TransformRun<typename Level::Lanes>(args, plan, run, plan.v + (size_t)(tile - first) * g.in_c);
    tile += run.tiles;
  }
  WinogradProducts products;
  products.block_step = (size_t)g.in_c * kChannelBlock;
  products.sums_step = kPositions * plan.rows * kChannelBlock;
  products.widened = plan.weights;
  products.in_c = g.in_c;
  products.tiles = (uint32_t)(end - first);
  for (uint64_t block = blocks.begin, next; block < blocks.end; block = next) {
    // By twos, the last three together.
    const uint64_t left = blocks.end - block;
    products.blocks = left > 3 && Level::kTogether > 2 ? 2 : (uint32_t)left;
    if (products.blocks > Level::kTogether) products.blocks = Level::kTogether;
    next = block + products.blocks;
    for (uint32_t p = 0; p < kPositions; ++p) {
      products.weights = args.weights + (p * (uint64_t)plan.blocks + block) * products.block_step;
      const uint64_t next_position = (p + 1) % kPositions;
      products.next = args.weights + (next_position * plan.blocks + block) * products.block_step;
      products.v = plan.v + p * plan.rows * g.in_c;
      // The sums of this position are in every pixel with factor 1.
      products.bias = p == 5 ? args.bias + block * kChannelBlock : kNoBias;
      products.sums = plan.sums + p * plan.rows * kChannelBlock;
      Level::Multiply(products);
    }
    for (uint32_t i = 0; i < products.blocks; ++i) {
      FinishTilesF16<Level>(args, plan, first, end, (uint32_t)block + i,
                            plan.sums + i * products.sums_step);
    }
  }
}

template <typename Level>
[[gnu::noinline]] static void RunWinogradF16(const ConvF16Args& args, Share share, Isa level) {
  const WinogradPlanF16 plan = PlanWinogradF16(args, level);
  Range tiles = {0, plan.tile_count}, blocks = {0, plan.blocks};
  // Few tiles: every thread reads weights of its own, and all transform the input.
  const uint64_t chunks = CeilDiv(plan.blocks, Level::kTogether);
  if (plan.tile_count < 2 * plan.rows * share.count && chunks >= share.count) {
    const Range part = RangeOf(chunks, share);
    blocks.begin = part.begin * Level::kTogether;
    if (part.end * Level::kTogether < blocks.end) blocks.end = part.end * Level::kTogether;
  } else {
    tiles = RangeOf(plan.tile_count, share);
  }
  if (blocks.begin >= blocks.end) return;
  const uint64_t count = tiles.end - tiles.begin, parts = CeilDiv(count, plan.rows);
  for (uint64_t i = 0; i < parts; ++i) {
    RunPartF16<Level>(args, plan, tiles.begin + count * i / parts,
                      tiles.begin + count * (i + 1) / parts, blocks);
  }
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_F16_WINOGRAD_INL_H_
