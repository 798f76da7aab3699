// The convolution of all levels, int8 and FP16: an indirect GEMM. Output pixels are taken in tiles,
// whose rows the level finds or makes; panels multiply some rows by 1.. blocks of 16 output
// channels and finish the sums in registers. conv/tiling.h decides how a layer is cut.
//
// A level is a struct of constants and static functions:
//   Args        ConvS8Args or ConvF16Args
//   kRules      its line of conv/rules.h
//   Part        what its panels need of the layer and a part of its outputs
//   FillPadding(args, plan)                      before all
//   Begin(args, plan, outputs, panel*, Part*)    before the tiles of a part; may put other weights
//                                                into the panel
//   Prepare(args, plan, group, pixel, Part*)     makes the tile at a pixel; returns its rows
//   Next(plan, part, pixel, rows)                kRules.wide: the pixel of the tile after it
//   Run(part, panel, rows, blocks)               rows of a panel; kRules.whole_tiles: of a tile
// Included by conv/<arch>_<isa>.cc; everything has internal linkage, because one external copy
// compiled for AVX-512 would serve every level.
#ifndef OCTET_KERNELS_CONV_DRIVER_INL_H_
#define OCTET_KERNELS_CONV_DRIVER_INL_H_

#include <string.h>

#include "runtime/kernels/conv/tiling.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

// `rows` output pixels x `blocks` blocks of output channels.
template <typename Args>
struct ConvPanel {
  const uint8_t* const* pointers;  // [taps][tile_rows], this panel's first row
  uint64_t taps;
  size_t tap_bytes;   // behind each pointer, a multiple of 4
  size_t row_step;    // from each row to the next, where only the tile's first has pointers; else 0
  size_t row_offset;  // from that row to this panel's first
  decltype(Args::weights) weights;
  size_t block_step;  // from one block of weights to the next
  decltype(Args::output) output;
  size_t output_stride;
  uint32_t output_channels;  // written: at most 16 * blocks
  uint32_t row;              // the first one's place in the tile
  uint32_t block;            // the first one's place in the part
};
typedef ConvPanel<ConvS8Args> PanelS8;
typedef ConvPanel<ConvF16Args> PanelF16;

// Blocks [block, block + blocks) of each of `groups` groups.
struct ConvOutputs {
  uint64_t group;
  uint32_t groups, block, blocks;
  uint64_t first;  // of the layer's blocks
};

// A tile's rows against the part's outputs.
template <typename Level>
static void RunTile(const ConvPlan& plan, const typename Level::Part& part, uint32_t blocks,
                    uint64_t channels, uint32_t rows, ConvPanel<typename Level::Args> panel) {
  constexpr ConvPanels kPanels = PanelsOf(Level::kRules);
  const uint8_t* const* const pointers = panel.pointers;
  const auto output = panel.output;
  const size_t stride = panel.output_stride;
  for (uint32_t done = 0; done < blocks; done += plan.panel_blocks) {
    const uint32_t left = blocks - done;
    const uint32_t count = left < plan.panel_blocks ? left : plan.panel_blocks;
    const uint64_t rest = channels - (uint64_t)done * kChannelBlock;
    panel.output_channels = rest < count * kChannelBlock ? (uint32_t)rest : count * kChannelBlock;
    const uint32_t most = kPanels.rows[count - 1];
    const uint32_t panels = Level::kRules.full_first || rows <= most ? 0 : (rows + most - 1) / most;
    for (uint32_t i = 1, row = 0; row < rows; ++i) {
      uint32_t next = panels == 0 ? row + most : rows * i / panels;
      if (next > rows) next = rows;
      if (Level::kRules.whole_tiles) next = rows;
      panel.row = row;
      panel.pointers = pointers + row;
      if constexpr (Level::kRules.steps) {
        if (plan.row_step != 0) panel.pointers = pointers;
        panel.row_offset = row * plan.row_step;
      }
      panel.output = output + row * stride + (size_t)done * kChannelBlock;
      Level::Run(part, panel, next - row, count);
      row = next;
    }
    panel.weights += count * panel.block_step;
    panel.block += count;
  }
}

// A tile's pointers move on by a group. The padding is as long as a pixel, so that pointers to it
// may as well.
static inline void NextGroup(const ConvPlan& plan, uint32_t rows) {
  for (uint64_t tap = 0; tap < plan.taps; ++tap) {
    const uint8_t** row = plan.pointers + tap * plan.tile_rows;
    for (uint32_t r = 0; r < rows; ++r) row[r] += plan.group_in;
  }
}

// This share's pixels against some outputs.
template <typename Level>
static void RunPart(const typename Level::Args& args, const ConvPlan& plan,
                    const ConvOutputs& outputs) {
  typename Level::Part part;
  ConvPanel<typename Level::Args> panel = {};
  panel.taps = plan.rows == Rows::kPointed ? plan.taps : 1;
  panel.tap_bytes =
      plan.rows == Rows::kPointed ? (size_t)plan.group_in : plan.block_step / kChannelBlock;
  panel.row_step = plan.row_step;
  panel.block_step = plan.block_step;
  panel.output_stride = plan.g.out_c;
  panel.weights = args.weights + outputs.first * plan.block_step;
  Level::Begin(args, plan, outputs, &panel, &part);
  const auto weights = panel.weights;
  const uint64_t channels = plan.group_out - (uint64_t)outputs.block * kChannelBlock;
  const uint32_t groups = Level::kRules.groups_together ? outputs.groups : 1;
  for (uint64_t pixel = plan.pixels.begin, next; pixel < plan.pixels.end; pixel = next) {
    const uint32_t rows = Level::Prepare(args, plan, outputs.group, pixel, &part);
    next = pixel + rows;
    if constexpr (Level::kRules.wide) next = Level::Next(plan, part, pixel, rows);
    panel.pointers = plan.pointers;
    panel.weights = weights;
    panel.block = 0;
    panel.output = args.output + pixel * plan.g.out_c + outputs.group * plan.group_out +
                   (uint64_t)outputs.block * kChannelBlock;
    for (uint32_t i = 0; i < groups; ++i) {
      if (i != 0) {
        NextGroup(plan, rows);
        panel.weights += outputs.blocks * panel.block_step;
        panel.block += outputs.blocks;
        panel.output += plan.group_out;
      }
      RunTile<Level>(plan, part, outputs.blocks, channels, rows, panel);
    }
  }
}

static inline void RunReference(const ConvS8Args& args, Share share) {
  conv_s8_reference(args, share);
}
static inline void RunReference(const ConvF16Args& args, Share share) {
  conv_f16_reference(args, share);
}

// `panel_blocks`: blocks of the widest panels that are used.
template <typename Level>
static void RunConv(const typename Level::Args& args, Share share,
                    uint32_t panel_blocks = PanelsOf(Level::kRules).most_blocks) {
  constexpr ConvRules kRules = Level::kRules;
  const ConvGeometry& g = args.g;
  if (!GroupsFitKernels(g.groups, g.in_c, g.out_c, kRules.fp16)) return RunReference(args, share);
  ConvPlan plan = PlanLayer(g, kRules, panel_blocks, args.scratch);
  if constexpr (kRules.wide) {
    CutWide(&plan);
  } else if constexpr (kRules.fp16) {
    CutHalves(kRules.full_first ? PanelsOf(kRules).rows[0] : 1, &plan);
  } else if constexpr (kRules.strips != Strips::kNone) {
    CutBytes(kRules, &plan);
  }
  if (!PlanLoops(kRules, share, &plan)) return;
  Level::FillPadding(args, plan);
  const uint64_t chunks = plan.chunks.end - plan.chunks.begin;
  for (uint64_t group = 0; group < g.groups; group += plan.together) {
    for (uint32_t i = 0; i < plan.parts; ++i) {
      ConvOutputs outputs;
      outputs.group = group;
      const uint64_t left = g.groups - group;
      outputs.groups = left < plan.together ? (uint32_t)left : plan.together;
      const uint64_t first = plan.chunks.begin + chunks * i / plan.parts;
      const uint64_t last = (plan.chunks.begin + chunks * (i + 1) / plan.parts) * plan.panel_blocks;
      outputs.block = (uint32_t)first * plan.panel_blocks;
      outputs.blocks = (last < plan.blocks ? (uint32_t)last : plan.blocks) - outputs.block;
      outputs.first = group * plan.blocks + outputs.block;
      RunPart<Level>(args, plan, outputs);
    }
  }
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_DRIVER_INL_H_
