// Convolution with SMMLA, which multiplies 2 pixels x 8 channels by 2 outputs x 8 channels. Both
// operands are made first: a tile of pixels is interleaved pair by pair into scratch, and as many
// weights as a level 1 cache holds (a chunk) have their groups of 4 channels zipped into groups of
// 8. All panels of the tile use a chunk before the next one is zipped; until the last, their sums
// wait on the stack.
#include "runtime/kernels/conv/arm_i8mm_panels.inl.h"
#include "runtime/kernels/conv/arm_pairs.inl.h"
#include "runtime/kernels/conv/arm_s8.inl.h"

namespace octet {
namespace {

// Where the results of a panel x half go.
struct Target {
  uint8_t* output;
  size_t stride;
  uint32_t rows, channels;  // channels 1 to 8
};

static inline void StorePair(const Target& to, uint32_t row, int8x16_t q) {
  uint8_t* out = to.output + row * to.stride;
  const bool both = row + 1 < to.rows;
  if (to.channels == kHalf) {
    vst1_s8(reinterpret_cast<int8_t*>(out), vget_low_s8(q));
    if (both) vst1_s8(reinterpret_cast<int8_t*>(out + to.stride), vget_high_s8(q));
  } else {
    StorePartial16(out, q, to.channels);
    if (both) StorePartial16(out + to.stride, vextq_s8(q, q, 8), to.channels);
  }
}

// Requantizes and stores.
template <int kPairs>
static void Finish(Sums* sums, const HalfScale& scale, const PartArm& layer, const Target& to) {
  if (layer.pre_shift != 0) {
    for (int p = 0; p < kPairs; ++p) {
      for (int i = 0; i < 4; ++i) sums->s[p][i] = PreShift4(sums->s[p][i], layer.pre_shift);
    }
  }
  Scale16 s;
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    s.multiplier[i] = scale.multiplier[i];
    s.left_shift[i] = scale.left_shift[i];
  }
  const Tail16 tail = layer.tail;
  int8x16_t q[kPairs];
#pragma GCC unroll 4
  for (int p = 0; p < kPairs; ++p) {
    q[p] = vqtbl1q_s8(RequantizeFinish16(sums->s[p], s, tail), scale.order);
  }
  if (layer.table != nullptr) ApplyTable(q, kPairs, layer.table);
  if (to.channels == kHalf && to.rows == 2 * kPairs) {
    uint8_t* out = to.output;
#pragma GCC unroll 4
    for (int p = 0; p < kPairs; ++p, out += 2 * to.stride) {
      vst1_s8(reinterpret_cast<int8_t*>(out), vget_low_s8(q[p]));
      vst1_s8(reinterpret_cast<int8_t*>(out + to.stride), vget_high_s8(q[p]));
    }
    return;
  }
  for (int p = 0; p < kPairs; ++p) StorePair(to, 2 * (uint32_t)p, q[p]);
}

struct PanelFns {
  void (*multiply)(const uint8_t*, const int8_t*, uint32_t, const int32x4_t*, size_t, Sums*);
  void (*finish)(Sums*, const HalfScale&, const PartArm&, const Target&);
};
constexpr PanelFns kPanels[kPanelPairs] = {{Multiply<1>, Finish<1>},
                                           {Multiply<2>, Finish<2>},
                                           {Multiply<3>, Finish<3>},
                                           {Multiply<4>, Finish<4>}};

// A tile of at most kTileRows pixels.
struct Tile {
  uint32_t panels;
  uint32_t row[kTilePanels + 1];  // first row of each panel; even but for the last
  bool full;                      // all panels are
};

static Tile DivideTile(uint32_t rows) {
  const uint32_t pairs = (rows + 1) / 2;
  Tile tile;
  tile.panels = (pairs + kPanelPairs - 1) / kPanelPairs;
  for (uint32_t i = 0; i < tile.panels; ++i) tile.row[i] = pairs * i / tile.panels * 2;
  tile.row[tile.panels] = rows;
  tile.full = rows == tile.panels * 2 * kPanelPairs;
  return tile;
}

struct PartI8mm : PartArm {
  Tile tile;
  uint32_t steps;         // of 8 channels
  uint64_t k_groups;      // of 4
  const uint8_t* packed;  // [panel][step][pair][2][8]
};

// A packed tile x one block of outputs.
__attribute__((noinline)) static void RunBlock(const PartI8mm& part, const PanelS8& p) {
  const Tile& tile = part.tile;
  const uint32_t lanes = p.output_channels;
  const blob::ChannelBlockS8& channels = part.channels[p.block];
  Chunk chunk;
  Sums sums[2][kTilePanels];
  const uint32_t halves = lanes > kHalf ? 2 : 1;
  const HalfScale scale[2] = {LoadHalf(channels, 0, part.tail), LoadHalf(channels, 1, part.tail)};
  for (uint32_t step = 0; step < part.steps; step += kChunk) {
    const uint32_t steps = part.steps - step < kChunk ? part.steps - step : kChunk;
    const uint64_t groups = part.k_groups - 2 * (uint64_t)step;
    ZipWeights(p.weights + (size_t)step * 128, groups < 2 * steps ? groups : 2 * steps, &chunk);
    for (uint32_t h = 0; h < halves; ++h) {
      const uint32_t left = lanes - h * kHalf;
      const Target half = {p.output + h * kHalf, p.output_stride, 0, left < kHalf ? left : kHalf};
      const bool last = step + steps == part.steps;
      const bool plain =
          last && half.channels == kHalf && part.pre_shift == 0 && part.table == nullptr;
      const int32x4_t* init = step == 0 ? scale[h].bias : sums[h][0].s[0];
      const size_t init_step = step == 0 ? 0 : 4;
      if (plain && tile.full) {
        constexpr size_t kStepBytes = 16 * kPanelPairs;
        MultiplyAndFinish(part.packed + step * kStepBytes, (part.steps - steps) * kStepBytes,
                          chunk.w[h], steps, init, init_step, &scale[h], part.clamps, half.output,
                          half.stride, tile.panels);
        continue;
      }
      for (uint32_t i = 0; i < tile.panels; ++i, init += 4 * init_step) {
        const uint32_t row = tile.row[i], rows = tile.row[i + 1] - row, pairs = (rows + 1) / 2;
        Sums* const s = &sums[h][i];
        const uint8_t* packed =
            part.packed + (size_t)row * 8 * part.steps + (size_t)step * 16 * pairs;
        uint8_t* to = half.output + row * half.stride;
        if (plain && rows == 2 * kPanelPairs) {
          MultiplyAndFinish(packed, 0, chunk.w[h], steps, init, init_step, &scale[h], part.clamps,
                            to, half.stride, 1);
          continue;
        }
        const PanelFns& panel = kPanels[pairs - 1];
        panel.multiply(packed, chunk.w[h], steps, init, init_step, s);
        if (last) panel.finish(s, scale[h], part, {to, half.stride, rows, half.channels});
      }
    }
  }
}

struct I8mm : LevelArm {
  static constexpr ConvRules kRules = kRulesI8mm;
  typedef PartI8mm Part;
  static void Begin(const ConvS8Args& args, const ConvPlan& plan, const ConvOutputs& outputs,
                    PanelS8*, Part* part) {
    BeginPart(args, outputs, part);
    part->steps = (uint32_t)CeilDiv(plan.depth, 8);
    part->k_groups = CeilDiv(plan.depth, 4);
    part->packed = plan.packed;
  }
  static uint32_t Prepare(const ConvS8Args& args, const ConvPlan& plan, uint64_t group,
                          uint64_t pixel, Part* part) {
    const uint32_t rows = TileRows(plan, pixel);
    const RowSource source = SourceOfGroup(args, plan, group);
    // The place of row pointers holds two flat rows.
    FlatRows flat = {args.scratch, (size_t)part->steps * 8};
    if (2 * (flat.bytes + kRowSlack) > plan.parts_at.padding) flat.rows = nullptr;
    part->tile = DivideTile(rows);
    for (uint32_t i = 0; i < part->tile.panels; ++i) {
      const uint32_t row = part->tile.row[i];
      PackPanel(flat, source, PixelOf(plan.g, pixel + row), part->tile.row[i + 1] - row,
                plan.packed + (size_t)row * 8 * part->steps);
    }
    return rows;
  }
  static void Run(const Part& part, const PanelS8& panel, uint32_t, uint32_t) {
    RunBlock(part, panel);
  }
};

}  // namespace

void conv_s8_i8mm_32x1(const ConvS8Args& args, Share share) {
  RunConv<I8mm>(args, share);
}

void conv_s8_i8mm(const ConvS8Args& args, Share share) {
  const ConvChoice choice = ChooseConv(kRulesI8mm, args.g, args.winograd, share.count);
  if (choice.way == ConvWay::kBelow) return conv_s8_dotprod(args, share);
  RunConv<I8mm>(args, share, choice.panel_blocks);
}

}  // namespace octet
