// How a convolution is cut, by the rules of its level (conv/rules.h): where the rows of a tile come
// from, how many output pixels a tile has, how many of its rows and which outputs meet in a panel,
// what a thread computes and in which order. conv/driver.inl.h walks along the plan made here;
// conv/x86_amx.cc alone cuts rectangles of its own.
#ifndef OCTET_KERNELS_CONV_TILING_H_
#define OCTET_KERNELS_CONV_TILING_H_

#include "runtime/kernels/conv/rules.h"
#include "runtime/kernels/conv/scratch.h"
#include "runtime/kernels/convolution.h"

namespace octet {

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
  uint64_t weights_at;  // theirs in scratch, behind the pointers
};

// FP16 at the levels that widen weights to scratch (conv/f16_wide.inl.h).
struct WidePlan {
  uint32_t blocks;   // of a panel
  uint32_t columns;  // of a strip; 0: windows are flattened
  uint32_t windows;  // most of a tile that is no strip
  uint32_t lines;    // of the output, which a tile of whole lines of the input gives; 0: flattened
  uint64_t tile;     // floats of one
  uint64_t slice;    // floats of the weights that are multiplied at a time
  bool direct;       // weights are not widened to scratch
  bool whole;  // those of all outputs are in scratch at once, for all tiles that are no strips
};

enum class Rows {
  kPointed,  // a pointer for every tap of every pixel, into the image or to a pixel of padding
  kPacked,   // windows flattened into scratch: one tap
  kStrips,   // StripPlan
  kOwn,      // in the layout of the level, in scratch
};

struct ConvPlan {
  ConvGeometry g;
  uint64_t taps, group_in, group_out;
  uint64_t depth, deep;  // values of a window; rounded up to 16: from one packed row to the next
  uint32_t blocks;       // of 16 outputs, per group
  size_t block_step;     // weights of a block
  Rows rows;
  StripPlan strip;
  WidePlan wide;
  uint32_t columns;       // FP16, avx2: output pixels of a strip; 0: windows are flattened
  size_t row_step;        // bytes from row to row of a tile whose first alone has pointers; else 0
  uint32_t tile_rows;     // most output pixels of a tile
  uint32_t panel_blocks;  // panels have so many, but for the last of a group
  uint32_t part_blocks;   // most of a part of the outputs
  uint32_t together;      // groups that take a tile in turn
  Range pixels, chunks;   // this share's: output pixels, panels across the outputs of a group
  uint32_t parts;         // of the chunks: each meets all pixels before the next does
  bool whole_lines;       // shares are lines of the output
  ConvParts parts_at;
  const uint8_t** pointers;  // [tap][tile_rows]
  uint8_t* padding;          // of a pixel
  uint8_t* packed;           // [tile_rows][deep]
};

constexpr uint32_t kStripBytes = 16384;  // of image rows: they stay in the level 1 cache

// What the layer is like, whoever computes which part of it. panel_blocks: of the widest panels
// that are used.
ConvPlan PlanLayer(const ConvGeometry& g, const ConvRules& rules, uint32_t panel_blocks,
                   uint8_t* scratch);
// One of these follows, so that programs of one level do not hold the others': `wide` levels; those
// of other FP16 levels, in tiles of about equal width across a row of the output, narrow outputs in
// fuller ones across their rows, and in multiples of panel_rows; int8 ones that have strips.
void CutWide(ConvPlan* plan);
void CutHalves(uint32_t panel_rows, ConvPlan* plan);
void CutBytes(const ConvRules& rules, ConvPlan* plan);
// This share's pixels and outputs, and the order they are taken in; false: there are none.
bool PlanLoops(const ConvRules& rules, Share share, ConvPlan* plan);

// Rows of the tile at `pixel`, within this share.
static inline uint32_t TileRows(const ConvPlan& plan, uint64_t pixel) {
  const uint64_t left = plan.pixels.end - pixel;
  return left < plan.tile_rows ? (uint32_t)left : plan.tile_rows;
}

}  // namespace octet

#endif  // OCTET_KERNELS_CONV_TILING_H_
