// Tiles of Rows::kStrips (conv/tiling.h). Included by conv/*.cc of one instruction set; internal
// linkage.
#ifndef OCTET_KERNELS_CONV_STRIPS_INL_H_
#define OCTET_KERNELS_CONV_STRIPS_INL_H_

#include "runtime/kernels/conv/driver.inl.h"
#include "runtime/kernels/conv/rows.inl.h"

namespace octet {
namespace {

// [kernel_h * kernel_w * in_c / 4][16][4] -> [kernel_h][run_groups][16][4].
static void SpreadWeights(const ConvPlan& plan, const StripPlan& s, const int8_t* from,
                          uint32_t blocks, int8_t* to) {
  const size_t from_bytes = plan.block_step;
  const size_t to_bytes = (size_t)plan.g.kernel_h * s.run_groups * 4 * kChannelBlock;
  memset(to, 0, blocks * to_bytes);
  for (uint32_t b = 0; b < blocks; ++b, from += from_bytes, to += to_bytes) {
    for (uint32_t ky = 0; ky < plan.g.kernel_h; ++ky) {
      for (uint32_t i = 0; i < s.run_bytes; ++i) {
        const size_t k = (size_t)ky * s.run_bytes + i;
        const size_t t = (size_t)ky * s.run_groups * 4 + i;
        const int8_t* source = from + k / 4 * 4 * kChannelBlock + k % 4;
        int8_t* target = to + t / 4 * 4 * kChannelBlock + t % 4;
        for (uint32_t o = 0; o < kChannelBlock; ++o) target[4 * o] = source[4 * o];
      }
    }
  }
}

// What the panels of a part read in place of the layer's weights.
static void BeginStrips(const ConvS8Args& args, const ConvPlan& plan, const ConvOutputs& outputs,
                        PanelS8* panel) {
  const StripPlan& s = plan.strip;
  panel->taps = plan.g.kernel_h;
  panel->tap_bytes = s.run_groups * 4;
  panel->block_step = (size_t)plan.g.kernel_h * s.run_groups * 4 * kChannelBlock;
  if (s.blocks == 0) return;
  int8_t* spread = reinterpret_cast<int8_t*>(args.scratch + s.weights_at);
  SpreadWeights(plan, s, panel->weights, outputs.blocks, spread);
  panel->weights = spread;
}

// The image rows under `columns` output pixels of row y from column x on.
static void CopyStrip(const ConvS8Args& args, const StripPlan& s, uint64_t y, uint32_t x,
                      uint32_t columns, uint8_t* to) {
  const ConvGeometry& g = args.g;
  const uint8_t padding = (uint8_t)args.in_zero_point ^ args.sign;
  const int64_t first = (int64_t)x * g.stride_w - g.pad_left;
  const int64_t end = first + (int64_t)(columns - 1) * g.stride_w + g.kernel_w;
  const int64_t inside_first = first < 0 ? 0 : first;
  const int64_t inside_end = end < g.in_w ? end : g.in_w;
  const size_t bytes = (size_t)(end - first) * g.in_c;
  const size_t before = (size_t)((inside_first < end ? inside_first : end) - first) * g.in_c;
  const size_t inside =
      inside_first < inside_end ? (size_t)(inside_end - inside_first) * g.in_c : 0;
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky, to += s.pitch) {
    const int64_t row = (int64_t)(y * g.stride_h) - g.pad_top + (int64_t)ky * g.dilation_h;
    if (row < 0 || row >= g.in_h || inside == 0) {
      memset(to, padding, bytes + 4);
      continue;
    }
    memset(to, padding, before);
    memcpy(to + before, args.input + ((size_t)row * g.in_w + (size_t)inside_first) * g.in_c,
           inside);
    memset(to + before + inside, padding, bytes - before - inside + 4);
  }
}

// The tile at `pixel`, within one strip; returns its rows, all of the strip where only the first
// has pointers. Strips are copied as their first pixel comes by.
static uint32_t PointStrip(const ConvS8Args& args, const ConvPlan& plan, uint64_t pixel,
                           uint8_t* strip) {
  const ConvGeometry& g = plan.g;
  const StripPlan& s = plan.strip;
  const Pixel p = PixelOf(g, pixel);
  const uint32_t done = p.x % s.columns, first = p.x - done;
  const uint32_t columns = g.out_w - first < s.columns ? g.out_w - first : s.columns;
  if (done == 0) CopyStrip(args, s, p.y, first, columns, strip);
  const uint32_t most = plan.row_step != 0 ? columns : plan.tile_rows;
  const uint32_t rows = columns - done < most ? columns - done : most;
  const size_t step = (size_t)g.stride_w * g.in_c;
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
    const uint8_t* from = strip + ky * s.pitch + done * step;
    const uint8_t** to = plan.pointers + (size_t)ky * plan.tile_rows;
    Progress(to, from, step, plan.row_step != 0 ? 1 : rows);
  }
  return rows;
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_STRIPS_INL_H_
