// What the levels' convolutions are like: rows of tiles and panels, which layers they take by
// Winograd's method or in another way. ChooseConv picks the way of a layer from that, tiling.h cuts
// the layer, and scratch.h says what is kept where.
#ifndef OCTET_KERNELS_CONV_RULES_H_
#define OCTET_KERNELS_CONV_RULES_H_

#include "runtime/core/isa.h"
#include "runtime/core/round_up.h"
#include "runtime/format/blob.h"
#include "runtime/format/winograd.h"
#include "runtime/kernels/window.h"

namespace octet {

constexpr uint64_t kKiB = 1024;

// Most output pixels of a tile that scratch has room for; FP16 ones may be rows of floats.
constexpr uint32_t kTileRows = 32, kTileRowsF16 = 16;
constexpr uint32_t kWideTileRows = 208;  // of levels that widen weights (ConvRules::wide)

// Blocks of outputs whose constants the x86 levels prepare at a time.
constexpr uint32_t kPreparedBlocks = 16;

// Which layers that have transformed weights are taken by Winograd's method.
struct WinogradRule {
  uint32_t least_size;  // of output tiles, 2 or 4; 0: none
  uint32_t least_channels;
  uint64_t most_bytes;   // transformed weights: 3.6 or 8 times as many as plain ones
  uint32_t least_tiles;  // of the output, for each thread
  uint32_t least_block;  // tiles multiplied at a time
};
constexpr WinogradRule kNoWinograd = {0, 0, 0, 0, 0};
constexpr WinogradRule kEveryWinograd = {2, 0, UINT64_MAX, 0, 0};
// ResNet18 as a whole: 36 x 256 x 256 weights (4.7 MB) take 0.86 ms where the direct way takes 1.3,
// 36 x 512 x 512 (19 MB) 1.9 against 1.5.
constexpr WinogradRule kWinogradAvx2 = {2, 0, 8192 * kKiB, 0, 0};
// Only the large tile is worth its transforms beside VPDPBUSD, and only where many channels share
// them and many tiles the weights, which stay in a level 2 cache: in networks 80 x 80 x 64 takes
// 0.79 to 0.90 of the direct way's time, 28 x 28 x 128 0.80, but 20 x 20 x 128 0.96 to 1.15 and
// 80 x 80 x 32 1.09; 14 x 14 x 256, whose weights are 4.7 MB, 1.3 by itself.
constexpr WinogradRule kWinogradAvxVnni = {4, 64, 1536 * kKiB, 32, 0};
// The same, with weights that are cold where a network has run in between: 80 x 80 x 64 takes 0.83
// to 0.87 of the direct way's time, 56 x 56 x 64 0.87 to 1.03, 28 x 28 x 128 0.93 to 0.96, 40 x 40
// x 64 0.96 to 1.07, 20 x 20 x 128 1.4. There has to be room for two tiles.
constexpr WinogradRule kWinogradAvx512Vnni = {4, 64, 1536 * kKiB, 160, 2};

// Which layers are taken in strips (conv/tiling.h).
enum class Strips : uint8_t {
  kNone,
  kEvery,         // that has any
  kWherePacking,  // would cost more, or images are wide
  kInterleaved,   // windows that share pixels, whose lines are interleaved in scratch
};

constexpr uint32_t kNoLimit = UINT32_MAX;

// What differs between levels.
struct ConvRules {
  Isa isa;
  bool fp16;
  uint32_t tile_rows;    // output pixels of a tile: a multiple of the rows of every panel
  uint32_t narrow_taps;  // fewer channels behind a tap are not worth a pointer
  // Weights of this size stay in the level 2 cache beside the activations.
  uint64_t resident_bytes;
  uint32_t part_blocks;   // most of a part of the outputs, which meets all pixels at a time
  uint32_t least_pixels;  // layers of fewer are taken by the level below
  Strips strips;
  bool own_tiles;        // the level makes tiles in a layout of its own, in scratch
  bool groups_together;  // small groups may share a tile's pointers
  bool full_first;       // full panels are the fast ones; else rows are spread evenly over panels
  bool whole_tiles;      // the level cuts the rows of a tile into panels, or a tile is one
  bool wide;             // weights are widened to floats (conv/f16_wide.inl.h)
  bool steps;            // of the rows of strips, at one distance, only the first has pointers
  bool few_outputs;      // pointwise layers of few outputs have pixels as lanes
  WinogradRule winograd;
};
// clang-format off
//                                         isa               fp16 tile taps  resident    part           least strips                 own    groups full   whole  wide   steps  few    winograd
constexpr ConvRules kRulesAvx2 =          {Isa::kAvx2,       false, 10, 0,  512 * kKiB, kPreparedBlocks, 0, Strips::kInterleaved,  false, false, false, true,  false, false, false, kWinogradAvx2};
constexpr ConvRules kRulesAvxVnni =       {Isa::kAvxVnni,    false, 24, 0,  512 * kKiB, kPreparedBlocks, 0, Strips::kEvery,        false, true,  false, false, false, true,  false, kWinogradAvxVnni};
constexpr ConvRules kRulesAvx512Vnni =    {Isa::kAvx512Vnni, false, 24, 0,  512 * kKiB, kPreparedBlocks, 0, Strips::kEvery,        false, true,  false, false, false, true,  false, kWinogradAvx512Vnni};
constexpr ConvRules kRulesNeon =          {Isa::kNeon,       false, 32, 16, 256 * kKiB, kNoLimit,        0, Strips::kNone,         false, false, true,  false, false, false, false, kEveryWinograd};
constexpr ConvRules kRulesDotprod =       {Isa::kDotprod,    false, 30, 16, 256 * kKiB, kNoLimit,        0, Strips::kWherePacking, false, false, true,  true,  false, false, false, kNoWinograd};
// Below 4 pixels zipping weights costs more than SMMLA saves over SDOT.
constexpr ConvRules kRulesI8mm =          {Isa::kI8mm,       false, 32, 0,  512 * kKiB, kNoLimit,        4, Strips::kNone,         true,  false, true,  false, false, false, false, kNoWinograd};
constexpr ConvRules kRulesF16Avx2 =       {Isa::kAvx2,       true,  96, 0, 1024 * kKiB, kNoLimit,        0, Strips::kNone,         true,  false, false, true,  true,  false, true,  kEveryWinograd};
constexpr ConvRules kRulesF16Avx512Vnni = {Isa::kAvx512Vnni, true,  96, 0, 1024 * kKiB, kNoLimit,        0, Strips::kNone,         true,  false, false, true,  true,  false, true,  kEveryWinograd};
constexpr ConvRules kRulesF16Neon =       {Isa::kNeon,       true,  16, 0,   1u << 30,  kNoLimit,        0, Strips::kNone,         true,  false, true,  false, false, false, false, kEveryWinograd};
// Lines of 40 and 80 pixels are whole tiles. YOLO26n's layer of 590 KB of weights fetches 33,000
// lines of 64 bytes from beyond a second cache of 512 KiB, 198,000 where its weights are one part.
constexpr ConvRules kRulesF16Dotprod =    {Isa::kDotprod,    true,  40, 0,   256 * kKiB, kNoLimit,        0, Strips::kNone,         true,  false, true,  false, false, false, false, kNoWinograd};
// clang-format on

static constexpr bool TilesFitScratch(const ConvRules& rules) {
  if (rules.wide) return rules.tile_rows <= kWideTileRows;
  if (rules.fp16 && rules.isa == Isa::kDotprod) return true;  // it looks at the room itself
  if (rules.fp16) return rules.tile_rows <= kTileRowsF16;
  return rules.tile_rows <= kTileRows;
}
static_assert(TilesFitScratch(kRulesAvx2) && TilesFitScratch(kRulesAvxVnni) &&
                  TilesFitScratch(kRulesAvx512Vnni) && TilesFitScratch(kRulesNeon) &&
                  TilesFitScratch(kRulesDotprod) && TilesFitScratch(kRulesI8mm) &&
                  TilesFitScratch(kRulesF16Avx2) && TilesFitScratch(kRulesF16Avx512Vnni) &&
                  TilesFitScratch(kRulesF16Neon) && TilesFitScratch(kRulesF16Dotprod),
              "the room of conv/scratch.h");

// Most rows of a level's panels of 1, 2, .. blocks (conv/kernels.inc); 0: it has none.
constexpr uint32_t kMostPanelBlocks = 4;
struct ConvPanels {
  uint32_t rows[kMostPanelBlocks];
  uint32_t most_blocks;
};

static constexpr ConvPanels PanelsOf(const ConvRules& rules) {
  ConvPanels panels = {};
  [[maybe_unused]] const auto add = [&](bool fp16, Isa isa, uint32_t rows, uint32_t blocks) {
    if (fp16 != rules.fp16 || isa != rules.isa) return;
    panels.rows[blocks - 1] = rows;
    if (blocks > panels.most_blocks) panels.most_blocks = blocks;
  };
#define OCTET_CONV_PANEL(precision, word, isa, rows, blocks) \
  add(#precision[0] == 'f', isa, rows, blocks);
#include "runtime/kernels/conv/kernels.inc"
#undef OCTET_CONV_PANEL
  return panels;
}

enum class ConvWay {
  kTiles,       // conv/driver.inl.h
  kWinograd,    // conv/winograd.inl.h, conv/f16_winograd.inl.h
  kFewOutputs,  // conv/f16_few_x86.inl.h
  kBelow,       // the level below has a faster kernel
};

struct ConvChoice {
  ConvWay way;
  uint32_t
      panel_blocks;  // kTiles: blocks of the widest panels; levels that are `wide` may take less
};

// Bytes of a layer's transformed int8 weights, output tiles of m x m.
static inline uint64_t TransformedBytes(const ConvGeometry& g, uint32_t m) {
  return WinogradPositions(m) * g.in_c * CeilDiv(g.out_c, kChannelBlock) * kChannelBlock *
         sizeof(int16_t);
}

static inline bool TakesWinograd(const WinogradRule& rule, const ConvGeometry& g, uint32_t m,
                                 uint32_t threads) {
  if (m == 0 || rule.least_size == 0 || m < rule.least_size || g.in_c < rule.least_channels) {
    return false;
  }
  return TransformedBytes(g, m) <= rule.most_bytes &&
         WinogradTileCount(m, g.out_h, g.out_w) >= rule.least_tiles * (uint64_t)threads &&
         WinogradTileBlock(m, g.in_c, g.out_h, g.out_w) >= rule.least_block;
}

constexpr uint32_t kFewOutputs = 4;
constexpr uint64_t kLeastWideRows = 12;  // with fewer pixels scratch has no room for weights
static inline bool HasFewOutputs(const ConvGeometry& g) {
  return g.out_c <= kFewOutputs && IsPointwise(g) && g.groups <= 1 &&
         OutputPixels(g) >= kLeastWideRows;
}

// How a level takes a layer. winograd: m of its transformed weights, 0 where it has none.
static inline ConvChoice ChooseConv(const ConvRules& rules, const ConvGeometry& g,
                                    uint32_t winograd, uint32_t threads) {
  const uint32_t most = PanelsOf(rules).most_blocks;
  if (OutputPixels(g) < rules.least_pixels) return ConvChoice{ConvWay::kBelow, 0};
  if (TakesWinograd(rules.winograd, g, winograd, threads)) {
    return ConvChoice{ConvWay::kWinograd, 0};
  }
  if (rules.few_outputs && HasFewOutputs(g)) return ConvChoice{ConvWay::kFewOutputs, 0};
  // A panel of one block loads more than it multiplies: where panels of the most blocks would leave
  // one, narrower ones may not.
  const uint64_t blocks = CeilDiv(g.out_c / g.groups, kChannelBlock);
  const bool leaves_one = most > 2 && blocks > most && blocks % most == 1;
  const bool narrower = !rules.wide && leaves_one && blocks % (most - 1) != 1;
  return ConvChoice{ConvWay::kTiles, narrower ? most - 1 : most};
}

}  // namespace octet

#endif  // OCTET_KERNELS_CONV_RULES_H_
