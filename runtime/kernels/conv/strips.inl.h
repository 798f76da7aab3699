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

// Image rows under a strip. Strips that are whole lines of the output lie one above the other, so
// rows that the next one has in common with this one stay: row ky of the window is the
// (first + ky) % kernel_h-th here.
struct StripRows {
  uint64_t below = UINT64_MAX;  // the first pixel of the strip that rows stay for
  uint32_t first = 0;
  alignas(64) uint8_t bytes[kStripBytes];
};

// `pixels` pixels of image row y from column x on, padding outside the image, and 4 bytes more.
static void CopyStripRow(const ConvS8Args& args, int64_t y, int64_t x, uint32_t pixels,
                         uint8_t* to) {
  const ConvGeometry& g = args.g;
  const uint8_t padding = (uint8_t)args.in_zero_point ^ args.sign;
  const int64_t end = x + pixels;
  const int64_t first = x < 0 ? 0 : x, last = end < g.in_w ? end : g.in_w;
  const size_t bytes = (size_t)pixels * g.in_c + 4;
  if (y < 0 || y >= g.in_h || first >= last) {
    memset(to, padding, bytes);
    return;
  }
  const size_t before = (size_t)(first - x) * g.in_c, inside = (size_t)(last - first) * g.in_c;
  memset(to, padding, before);
  memcpy(to + before, args.input + ((size_t)y * g.in_w + (size_t)first) * g.in_c, inside);
  memset(to + before + inside, padding, bytes - before - inside);
}

// The rows under `columns` output pixels from pixel p on.
static void CopyStrip(const ConvS8Args& args, const StripPlan& s, uint64_t pixel, Pixel p,
                      uint32_t columns, StripRows* rows) {
  const ConvGeometry& g = args.g;
  const bool goes_on = pixel == rows->below && g.dilation_h == 1 && g.stride_h < g.kernel_h;
  const uint32_t kept = goes_on ? g.kernel_h - g.stride_h : 0;
  rows->first = goes_on ? (rows->first + g.stride_h) % g.kernel_h : 0;
  rows->below = columns == g.out_w ? pixel + columns : UINT64_MAX;
  const int64_t y = (int64_t)p.y * g.stride_h - g.pad_top;
  const int64_t x = (int64_t)p.x * g.stride_w - g.pad_left;
  const uint32_t pixels = (columns - 1) * g.stride_w + g.kernel_w;
  for (uint32_t ky = kept; ky < g.kernel_h; ++ky) {
    CopyStripRow(args, y + (int64_t)ky * g.dilation_h, x, pixels,
                 rows->bytes + (rows->first + ky) % g.kernel_h * s.pitch);
  }
}

// The tile at `pixel`, within one strip; returns its rows, all of the strip where only the first
// has pointers. Strips are copied as their first pixel comes by.
static uint32_t PointStrip(const ConvS8Args& args, const ConvPlan& plan, uint64_t pixel,
                           StripRows* strip) {
  const ConvGeometry& g = plan.g;
  const StripPlan& s = plan.strip;
  const Pixel p = PixelOf(g, pixel);
  const uint32_t done = p.x % s.columns, first = p.x - done;
  const uint32_t columns = g.out_w - first < s.columns ? g.out_w - first : s.columns;
  if (done == 0) CopyStrip(args, s, pixel, p, columns, strip);
  const uint32_t most = plan.row_step != 0 ? columns : plan.tile_rows;
  const uint32_t rows = columns - done < most ? columns - done : most;
  const size_t step = (size_t)g.stride_w * g.in_c;
  uint32_t at = strip->first;
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
    const uint8_t* from = strip->bytes + at * s.pitch + done * step;
    const uint8_t** to = plan.pointers + (size_t)ky * plan.tile_rows;
    Progress(to, from, step, plan.row_step != 0 ? 1 : rows);
    if (++at == g.kernel_h) at = 0;
  }
  return rows;
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_STRIPS_INL_H_
