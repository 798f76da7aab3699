// How a convolution is cut: where the rows of a tile come from, how many output pixels a tile has,
// how many of its rows and which outputs meet in a panel, what a thread computes and in which
// order. conv/driver.inl.h walks along the plan made here; conv/x86_amx.cc alone cuts rectangles of
// its own.
#ifndef OCTET_KERNELS_CONV_TILING_H_
#define OCTET_KERNELS_CONV_TILING_H_

#include "runtime/core/isa.h"
#include "runtime/format/scratch.h"
#include "runtime/kernels/conv/conv.h"

namespace octet {

constexpr uint32_t kBlock = 16;  // output channels of a block of weights
constexpr uint32_t kNoLimit = UINT32_MAX;

// What differs between levels.
struct ConvRules {
  Isa isa;
  bool fp16;
  uint32_t tile_rows;    // output pixels of a tile: a multiple of the rows of every panel
  uint32_t narrow_taps;  // fewer channels behind a tap are not worth a pointer
  // Weights of this size stay in the level 2 cache beside the activations.
  uint64_t resident_bytes;
  bool own_tiles;        // the level makes tiles in a layout of its own, in scratch
  bool strips;           // Rows::kStrips pays
  bool groups_together;  // small groups may share a tile's pointers
  bool full_first;       // full panels are the fast ones; else rows are spread evenly over panels
  bool whole_tiles;      // the level cuts the rows of a tile into panels
  bool wide;             // weights are widened to floats (conv/f16_wide.inl.h)
  bool steps;            // of the rows of strips, at one distance, only the first has pointers
};
constexpr uint64_t kKiB = 1024;
// clang-format off
//                                         isa               fp16 tile taps  resident    own    strips groups full   whole  wide   steps
constexpr ConvRules kRulesAvx2 =          {Isa::kAvx2,       false, 10, 0,  512 * kKiB, false, false, false, false, false, false, false};
constexpr ConvRules kRulesAvxVnni =       {Isa::kAvxVnni,    false, 24, 0,  512 * kKiB, false, true,  true,  false, false, false, true};
constexpr ConvRules kRulesAvx512Vnni =    {Isa::kAvx512Vnni, false, 24, 0,  512 * kKiB, false, true,  true,  false, false, false, true};
constexpr ConvRules kRulesNeon =          {Isa::kNeon,       false, 32, 16, 256 * kKiB, false, false, false, true,  false, false, false};
constexpr ConvRules kRulesDotprod =       {Isa::kDotprod,    false, 30, 16, 256 * kKiB, false, true,  false, true,  true,  false, false};
constexpr ConvRules kRulesI8mm =          {Isa::kI8mm,       false, 32, 0,  512 * kKiB, true,  false, false, true,  false, false, false};
constexpr ConvRules kRulesF16Avx2 =       {Isa::kAvx2,       true,  96, 0, 1024 * kKiB, true,  false, false, false, false, true,  false};
constexpr ConvRules kRulesF16Avx512Vnni = {Isa::kAvx512Vnni, true,  96, 0, 1024 * kKiB, true,  false, false, false, false, true,  false};
constexpr ConvRules kRulesF16Neon =       {Isa::kNeon,       true,  16, 0,   1u << 30,  true,  false, false, true,  false, false, false};
constexpr ConvRules kRulesF16Dotprod =    {Isa::kDotprod,    true,  32, 0,   1u << 30,  true,  false, false, true,  false, false, false};
// clang-format on
static_assert(kRulesF16Avx2.tile_rows == kWideTileRows &&
                  kRulesF16Avx512Vnni.tile_rows == kWideTileRows &&
                  kRulesF16Neon.tile_rows <= kTileRowsF16,
              "fits scratch");
static_assert(kRulesF16Dotprod.tile_rows <= 2 * kTileRowsF16, "rows are halves there");

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

// First layers (1 to 3 channels) and other windows over few channels: a row of the window is one
// run of kernel_w x in_c bytes, so that it can be one tap of the GEMM. Under a strip of an output
// row, the kernel_h image rows are copied side by side with their padding, after which every window
// lies inside: one pointer for each row of the window, in place of one for each tap, and no
// packing. Runs that are no multiple of 4 bytes read into the next pixel, where they meet zero
// weights: their weights are laid out anew, in scratch, once for a few blocks of outputs.
struct StripPlan {
  uint32_t run_bytes;   // kernel_w * in_c
  uint32_t run_groups;  // of 4 bytes
  size_t pitch;         // from one copied row to the next
  uint32_t columns;     // most output pixels of a strip; 0: no strips
  uint32_t blocks;      // most blocks whose weights fit scratch; 0: weights are used in place
};

enum class Rows {
  kPointed,  // a pointer for every tap of every pixel, into the image or to a pixel of padding
  kPacked,   // windows flattened into scratch: one tap
  kStrips,   // StripPlan
  kOwn,      // as the level likes, in scratch
};

struct ConvPlan {
  ConvGeometry g;
  uint64_t taps, group_in, group_out;
  uint64_t depth, deep;  // values of a window; rounded up to 16: from one packed row to the next
  uint32_t blocks;       // of 16 outputs, per group
  size_t block_step;     // weights of a block
  Rows rows;
  StripPlan strip;
  size_t row_step;        // bytes from row to row of a tile whose first alone has pointers; else 0
  uint32_t tile_rows;     // most output pixels of a tile
  uint32_t panel_blocks;  // panels have so many, but for the last of a group
  uint32_t together;      // groups that take a tile in turn
  Range pixels, chunks;   // this share's: output pixels, panels across the outputs of a group
  uint32_t parts;         // of the chunks: each meets all pixels before the next does
  bool whole_lines;       // shares are lines of the output
  // Scratch as in format/scratch.h.
  const uint8_t** pointers;  // [tap][tile_rows]
  uint8_t* padding;          // of a pixel
  uint8_t* packed;           // [tile_rows][deep]
};

static inline uint64_t DivideUp(uint64_t a, uint64_t b) {
  return (a + b - 1) / b;
}

constexpr uint32_t kStripBytes = 16384;  // of image rows: they stay in the level 1 cache

// What the layer is like, whoever computes which part of it.
ConvPlan PlanLayer(const ConvGeometry& g, const ConvRules& rules, uint32_t panel_blocks,
                   uint8_t* scratch);
// Where the layer has no strips, .columns is 0.
StripPlan PlanStrips(const ConvPlan& plan, uint32_t part_blocks);
// This share's pixels and outputs, and the order they are taken in; false: there are none.
// `part_blocks`: most blocks of a part.
bool PlanLoops(const ConvRules& rules, uint32_t part_blocks, Share share, ConvPlan* plan);

// Rows of the tile at `pixel`, within this share.
static inline uint32_t TileRows(const ConvPlan& plan, uint64_t pixel) {
  const uint64_t left = plan.pixels.end - pixel;
  return left < plan.tile_rows ? (uint32_t)left : plan.tile_rows;
}

}  // namespace octet

#endif  // OCTET_KERNELS_CONV_TILING_H_
