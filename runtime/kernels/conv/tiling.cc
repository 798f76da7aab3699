#include "runtime/kernels/conv/tiling.h"

namespace octet {
namespace {

// Wider runs gain nothing: their pointers and loops cost little beside the products.
constexpr uint32_t kMaxStripChannels = 64;

// Windows of whole groups of 4: where a row of the image has next to no remainder of a panel.
// Others would be packed, which costs as much as multiplying some groups by a block of outputs, and
// strips have more groups.
bool StripsPay(const ConvRules& rules, const ConvPlan& plan) {
  if (rules.strips == Strips::kEvery) return true;
  const ConvGeometry& g = plan.g;
  if (plan.rows == Rows::kPointed) return g.out_w >= plan.tile_rows;
  constexpr uint64_t kGroupsOfPacking = 16;
  const uint64_t run_groups = CeilDiv((uint64_t)g.kernel_w * plan.group_in, 4);
  return (g.kernel_h * run_groups - CeilDiv(plan.depth, 4)) * plan.blocks <= kGroupsOfPacking;
}

// Where the layer has no strips, .columns is 0.
StripPlan PlanStrips(const ConvPlan& plan) {
  const ConvGeometry& g = plan.g;
  StripPlan s = {};
  const uint64_t run_bytes = (uint64_t)g.kernel_w * g.in_c;
  if (g.groups != 1 || g.dilation_w != 1 || plan.taps == 1 || g.in_c > kMaxStripChannels ||
      (g.in_c % 4 != 0 && g.in_c > 4) || g.kernel_h > 16 || run_bytes > 256) {
    return s;
  }
  s.run_bytes = (uint32_t)run_bytes;
  s.run_groups = (s.run_bytes + 3) / 4;
  s.pitch = kStripBytes / g.kernel_h & ~(size_t)63;
  // A strip of n columns reads (n - 1) * stride_w * in_c + run_bytes bytes of a row, rounded up.
  const uint64_t step = (uint64_t)g.stride_w * g.in_c;
  if (s.pitch < run_bytes + 4) return s;
  const uint64_t columns = (s.pitch - 4 - run_bytes) / step + 1;
  s.weights_at = PointerBytes(g.kernel_h);
  const uint64_t blocks = (plan.parts_at.bytes - s.weights_at) /
                          ((uint64_t)g.kernel_h * s.run_groups * 4 * kChannelBlock);
  if (s.run_bytes % 4 != 0) {
    if (blocks < plan.panel_blocks && blocks < plan.blocks) return s;
    s.blocks = blocks < plan.part_blocks ? (uint32_t)blocks : plan.part_blocks;
  }
  s.columns = columns < g.out_w ? (uint32_t)columns : g.out_w;
  return s;
}

// Output pixels of a tile where the level avx2 interleaves lines (conv/x86_avx2_tile.inl.h), 0: it
// interleaves windows. Narrower tiles lose more in the loops over the weights than that saves.
uint32_t InterleavedColumns(const ConvPlan& plan) {
  constexpr uint32_t kLeast = 8;
  const ConvGeometry& g = plan.g;
  const uint32_t beside = (g.kernel_w - 1) / g.stride_w;
  const uint32_t residues = g.stride_w < g.kernel_w ? g.stride_w : g.kernel_w;
  // Scratch has room for the windows, which is enough where they share pixels.
  if (plan.rows != Rows::kPointed || kAvx2Slots * residues > plan.tile_rows * g.kernel_w ||
      g.dilation_w != 1 || plan.depth > 4 * kAvx2MostGroups || beside + kLeast > kAvx2Slots) {
    return 0;
  }
  uint32_t most = kAvx2Slots - beside;
  if (most > plan.tile_rows) most = plan.tile_rows;
  const uint32_t columns = CeilDiv32(g.out_w, CeilDiv32(g.out_w, most));
  return columns < kLeast ? 0 : columns;
}

constexpr uint64_t kLeastColumns = 4;  // narrower images are not taken in strips

// Columns of strips, equal but for the last, when `left` floats are there for one; 0: too few.
uint32_t WideColumns(const ConvPlan& plan, uint64_t left) {
  const ConvGeometry& g = plan.g;
  if (g.dilation_w != 1 || plan.group_in != g.in_c) return 0;
  const uint64_t pixels = left / ((uint64_t)g.kernel_h * g.in_c);
  if (pixels < g.kernel_w) return 0;
  uint64_t columns = (pixels - g.kernel_w) / g.stride_w + 1;
  if (columns > plan.tile_rows) columns = plan.tile_rows;
  columns = CeilDiv(g.out_w, CeilDiv(g.out_w, columns));
  const bool few = columns < kLeastWideRows && columns < g.out_w;
  return few || columns < kLeastColumns ? 0 : (uint32_t)columns;
}

// Compares how much each way widens. Strips widen stride_h lines for each line of the output and
// panel, and weights once. Windows are widened once, and weights for each tile of windows.
bool StripsCostLess(const ConvPlan& plan, const WidePlan& wide) {
  const ConvGeometry& g = plan.g;
  const uint64_t panels = CeilDiv(plan.blocks, wide.blocks);
  const uint64_t pixels = (uint64_t)(wide.columns - 1) * g.stride_w + g.kernel_w;
  const uint64_t lines = (uint64_t)g.out_h * (g.stride_h < g.kernel_h ? g.stride_h : g.kernel_h);
  const uint64_t strips = CeilDiv(g.out_w, wide.columns) * lines * pixels * g.in_c * panels;
  const uint64_t weights = plan.depth * plan.blocks * kChannelBlock,
                 outputs = (uint64_t)g.out_h * g.out_w;
  const uint64_t times = wide.whole ? 1 : CeilDiv(outputs, wide.windows);
  return strips + weights <= plan.depth * outputs + weights * times;
}

// Lines of the output, as many of them as equal tiles of most_windows windows give, whose windows
// lie in whole lines of the input with their padding, of which there is room for `room` floats; 0:
// flattened windows or strips do better.
uint32_t WideLines(const ConvPlan& plan, uint64_t room, uint64_t most_windows) {
  const ConvGeometry& g = plan.g;
  if (plan.taps == 1 || g.dilation_w != 1 || plan.group_in != g.in_c) return 0;
  const uint64_t pixels = (uint64_t)(g.out_w - 1) * g.stride_w + g.kernel_w;
  const uint64_t above = (uint64_t)(g.kernel_h - 1) * g.dilation_h + 1;
  const uint64_t fit = room / (pixels * g.in_c);
  if (fit < above) return 0;
  uint64_t lines = (fit - above) / g.stride_h + 1;
  if (lines > most_windows / g.out_w) lines = most_windows / g.out_w;
  if (lines > g.out_h) lines = g.out_h;
  if (lines < 2 && lines != g.out_h) return 0;
  return (uint32_t)CeilDiv(g.out_h, CeilDiv(g.out_h, lines));
}

// With panels of `blocks` blocks.
void PlanWide(const ConvPlan& plan, uint32_t blocks, WidePlan* wide) {
  const ConvGeometry& g = plan.g;
  const uint64_t pixels = (uint64_t)g.out_h * g.out_w;
  const ConvPartsWide parts = WidePartsOf(plan.depth, pixels);
  const uint64_t room = parts.floats, weights = plan.depth * blocks * kChannelBlock;
  const uint64_t all_weights = plan.depth * plan.blocks * kChannelBlock;
  const uint64_t slice = weights < kWideSliceFloats ? weights : kWideSliceFloats;
  *wide = WidePlan{blocks, 0, (uint32_t)parts.rows, 0, 0, 0, true, false};
  if (pixels < kLeastWideRows) return;
  wide->direct = false;
  wide->lines = WideLines(plan, room - slice, kWideTileRows);
  uint64_t windows = wide->lines * (uint64_t)g.out_w;
  if (wide->lines != 0) {
    const uint64_t lines = (wide->lines - 1) * g.stride_h + (g.kernel_h - 1) * g.dilation_h + 1;
    wide->tile = lines * ((g.out_w - 1) * g.stride_w + g.kernel_w) * g.in_c;
    wide->whole = windows < pixels && all_weights + wide->tile <= room;
  } else {
    windows = (room - slice) / plan.deep < parts.rows ? (room - slice) / plan.deep : parts.rows;
    windows = CeilDiv(pixels, CeilDiv(pixels, windows));
    wide->tile = windows * plan.deep;
  }
  wide->windows = (uint32_t)windows;
  if (wide->lines == 0 && weights <= room) {
    wide->columns = WideColumns(plan, room - weights);
    if (wide->columns != 0 && !StripsCostLess(plan, *wide)) wide->columns = 0;
    if (wide->columns != 0)
      wide->tile = g.kernel_h * ((wide->columns - 1) * g.stride_w + g.kernel_w) * g.in_c;
  }
  wide->tile = (wide->tile + 15) & ~(uint64_t)15;
  wide->slice = room - wide->tile < kWideLongSlice ? room - wide->tile : kWideLongSlice;
}

// Panels of two blocks share broadcasts as well as those of three; one block shares none. So two
// where the count is even, three where that leaves two blocks or none.
WidePlan PlanWide(const ConvPlan& plan, uint32_t most) {
  WidePlan wide;
  const bool three = most > 2 && plan.blocks % 2 != 0 && plan.blocks % 3 != 1;
  PlanWide(plan, three ? 3 : plan.blocks < 2 || most < 2 ? 1 : 2, &wide);
  return wide;
}

}  // namespace

ConvPlan PlanLayer(const ConvGeometry& g, const ConvRules& rules, uint32_t panel_blocks,
                   uint8_t* scratch) {
  ConvPlan plan = {};
  plan.g = g;
  plan.taps = (uint64_t)g.kernel_h * g.kernel_w;
  plan.group_in = g.in_c / g.groups;
  plan.group_out = g.out_c / g.groups;
  plan.depth = plan.taps * plan.group_in;
  plan.deep = DeepOf(plan.depth);
  plan.blocks = (uint32_t)CeilDiv(plan.group_out, kChannelBlock);
  plan.block_step = (size_t)(rules.fp16 ? plan.depth : CeilDiv(plan.depth, 4) * 4) * kChannelBlock;
  plan.tile_rows = rules.tile_rows;
  plan.panel_blocks = panel_blocks;
  plan.part_blocks = rules.part_blocks;
  plan.together = 1;
  const bool narrow =
      plan.group_in % 4 != 0 || (plan.taps > 1 && plan.group_in < rules.narrow_taps);
  plan.rows = rules.own_tiles ? Rows::kOwn : narrow ? Rows::kPacked : Rows::kPointed;
  plan.parts_at = TilePartsOf(plan.taps, g.in_c, plan.depth, rules.fp16);
  plan.pointers = reinterpret_cast<const uint8_t**>(scratch);
  plan.padding = scratch + plan.parts_at.padding;
  plan.packed = scratch + plan.parts_at.packed;
  return plan;
}

void CutWide(ConvPlan* plan) {
  plan->packed -= plan->parts_at.packed;
  plan->wide = PlanWide(*plan, plan->panel_blocks);
  plan->columns = plan->wide.columns;
  plan->panel_blocks = plan->wide.blocks;
  plan->whole_lines = plan->columns != 0 || plan->wide.lines != 0;
  if (plan->columns != 0) {
    plan->part_blocks = plan->panel_blocks;
  } else if (plan->wide.windows != 0) {
    plan->tile_rows = plan->wide.windows;
  }
}

void CutHalves(uint32_t panel_rows, ConvPlan* plan) {
  const ConvGeometry& g = plan->g;
  if (g.dilation_w != 1 || plan->group_in != g.in_c) return;
  uint64_t columns = CeilDiv(g.out_w, CeilDiv(g.out_w, plan->tile_rows));
  // Rows of floats that are larger than the first cache when flattened are not worth fuller tiles.
  constexpr uint64_t kFlattened = 64 * kKiB;
  const bool large =
      plan->tile_rows <= kTileRowsF16 && plan->depth * plan->tile_rows * sizeof(float) > kFlattened;
  const bool wide = large || columns * 3 >= (uint64_t)plan->tile_rows * 2;
  columns = CeilDiv(columns, panel_rows) * panel_rows;
  const uint64_t pixels = (columns - 1) * g.stride_w + g.kernel_w;
  const uint64_t room = (plan->parts_at.bytes - plan->parts_at.packed) / sizeof(float);
  if (wide && g.kernel_h * pixels * g.in_c <= room) plan->columns = (uint32_t)columns;
}

void CutBytes(const ConvRules& rules, ConvPlan* plan) {
  if (rules.strips == Strips::kInterleaved) {
    plan->columns = InterleavedColumns(*plan);
    plan->whole_lines = plan->columns != 0;
    return;
  }
  if (StripsPay(rules, *plan)) plan->strip = PlanStrips(*plan);
}

bool PlanLoops(const ConvRules& rules, Share share, ConvPlan* plan) {
  const ConvGeometry& g = plan->g;
  uint32_t part_blocks = plan->part_blocks;
  const uint64_t chunks = CeilDiv(plan->blocks, plan->panel_blocks);
  const uint64_t pixels = (uint64_t)g.out_h * g.out_w;
  plan->pixels = {0, pixels};
  plan->chunks = {0, chunks};
  if (plan->strip.columns != 0) {
    plan->rows = Rows::kStrips;
    if (plan->strip.blocks != 0) part_blocks = plan->strip.blocks;
    plan->whole_lines = true;
    if (rules.steps) plan->row_step = (size_t)g.stride_w * g.in_c;
  }
  // Few rows, or an image that is one tile: dividing the outputs keeps every thread on weights of
  // its own.
  const bool few = plan->whole_lines ? plan->wide.lines == g.out_h
                                     : pixels < 2 * (uint64_t)rules.tile_rows * share.count;
  if (few && chunks >= share.count) {
    plan->chunks = RangeOf(chunks, share);
  } else if (plan->whole_lines) {
    const Range lines = RangeOf(g.out_h, share);
    plan->pixels = {lines.begin * g.out_w, lines.end * g.out_w};
  } else {
    plan->pixels = RangeOf(pixels, share);
  }
  const uint64_t rows = plan->pixels.end - plan->pixels.begin;
  const uint64_t columns = plan->chunks.end - plan->chunks.begin;
  if (rows == 0 || columns == 0) return false;
  // All pixels against a part of the outputs at a time when the weights would not stay in cache
  // from one tile to the next.
  const uint64_t last = plan->chunks.end * plan->panel_blocks;
  const uint64_t blocks =
      (last < plan->blocks ? last : plan->blocks) - plan->chunks.begin * plan->panel_blocks;
  const uint64_t bytes = blocks * plan->block_step * (rules.fp16 ? 2 : 1);
  const uint64_t part_chunks =
      part_blocks < plan->panel_blocks ? 1 : part_blocks / plan->panel_blocks;
  uint64_t parts = CeilDiv(columns, part_chunks);
  if (bytes > 2 * rules.resident_bytes && rows > rules.tile_rows) {
    const uint64_t resident = CeilDiv(bytes, rules.resident_bytes);
    if (parts < resident) parts = resident;
  }
  plan->parts = (uint32_t)(parts < columns ? parts : columns);
  // Small groups cost more to point at than to multiply: as many of them as have their constants
  // prepared together take a tile in turn, whose pointers only move on by a group.
  if (rules.groups_together && plan->rows == Rows::kPointed && columns == chunks &&
      plan->parts == 1 && plan->blocks <= part_blocks / 2) {
    plan->together = part_blocks / plan->blocks;
  }
  return true;
}

}  // namespace octet
