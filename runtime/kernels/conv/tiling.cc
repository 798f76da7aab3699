#include "runtime/kernels/conv/tiling.h"

namespace octet {
namespace {

// Wider runs gain nothing: their pointers and loops cost little beside the products.
constexpr uint32_t kMaxStripChannels = 64;

}  // namespace

StripPlan PlanStrips(const ConvPlan& plan, uint32_t part_blocks) {
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
  const uint64_t blocks =
      (ScratchConv(plan.taps, g.in_c, plan.depth, false) - (uint64_t)g.kernel_h * kTileRows * 8) /
      ((uint64_t)g.kernel_h * s.run_groups * 4 * kBlock);
  if (s.run_bytes % 4 != 0) {
    if (blocks < plan.panel_blocks && blocks < plan.blocks) return s;
    s.blocks = blocks < part_blocks ? (uint32_t)blocks : part_blocks;
  }
  s.columns = columns < g.out_w ? (uint32_t)columns : g.out_w;
  return s;
}

ConvPlan PlanLayer(const ConvGeometry& g, const ConvRules& rules, uint32_t panel_blocks,
                   uint8_t* scratch) {
  ConvPlan plan = {};
  plan.g = g;
  plan.taps = (uint64_t)g.kernel_h * g.kernel_w;
  plan.group_in = g.in_c / g.groups;
  plan.group_out = g.out_c / g.groups;
  plan.depth = plan.taps * plan.group_in;
  plan.deep = (plan.depth + 15) & ~(uint64_t)15;
  plan.blocks = (uint32_t)DivideUp(plan.group_out, kBlock);
  plan.block_step = (size_t)(rules.fp16 ? plan.depth : DivideUp(plan.depth, 4) * 4) * kBlock;
  plan.tile_rows = rules.tile_rows;
  plan.panel_blocks = panel_blocks;
  plan.together = 1;
  const bool narrow =
      plan.group_in % 4 != 0 || (plan.taps > 1 && plan.group_in < rules.narrow_taps);
  plan.rows = rules.own_tiles ? Rows::kOwn : narrow ? Rows::kPacked : Rows::kPointed;
  plan.pointers = reinterpret_cast<const uint8_t**>(scratch);
  plan.padding = scratch + RoundUp64(plan.taps * kTileRows * 8);
  plan.packed = plan.padding + RoundUp64(((uint64_t)g.in_c + 64) * (rules.fp16 ? 4 : 1));
  if (rules.wide) plan.packed = scratch;
  return plan;
}

bool PlanLoops(const ConvRules& rules, uint32_t part_blocks, Share share, ConvPlan* plan) {
  const ConvGeometry& g = plan->g;
  const uint64_t chunks = DivideUp(plan->blocks, plan->panel_blocks);
  const uint64_t pixels = (uint64_t)g.out_h * g.out_w;
  plan->pixels = {0, pixels};
  plan->chunks = {0, chunks};
  if (plan->strip.columns != 0) {
    plan->rows = Rows::kStrips;
    if (plan->strip.blocks != 0) part_blocks = plan->strip.blocks;
    plan->whole_lines = true;
    if (rules.steps) plan->row_step = (size_t)g.stride_w * g.in_c;
  }
  if (plan->whole_lines) {
    const Range lines = RangeOf(g.out_h, share);
    plan->pixels = {lines.begin * g.out_w, lines.end * g.out_w};
  } else if (pixels < 2 * (uint64_t)rules.tile_rows * share.count && chunks >= share.count) {
    // Few rows: dividing the outputs keeps every thread on weights of its own.
    plan->chunks = RangeOf(chunks, share);
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
  uint64_t parts = DivideUp(columns, part_chunks);
  if (bytes > 2 * rules.resident_bytes && rows > rules.tile_rows) {
    const uint64_t resident = DivideUp(bytes, rules.resident_bytes);
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
