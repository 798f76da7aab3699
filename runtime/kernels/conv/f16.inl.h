// What the FP16 convolutions of all levels share under conv/driver.inl.h: what a tile of output
// pixels reads is widened to floats in scratch, weights on the way into the registers. Every sum
// runs over the depth in its order, so that neither tile nor thread count shows in the result.
//
// A tile inside one row of the output reads kernel_h runs of neighbouring pixels, whose windows
// overlap: these are widened as they lie, with their padding, and a window is kernel_h runs of
// kernel_w x channels floats in them (strips). Where that does not do, every window is flattened to
// a row of taps x channels.
#ifndef OCTET_KERNELS_CONV_F16_INL_H_
#define OCTET_KERNELS_CONV_F16_INL_H_

#include "runtime/kernels/conv/driver.inl.h"

namespace octet {
namespace {

template <typename Lanes>
static void WidenRow(const ConvGeometry& g, const uint16_t* input, uint64_t channels, Pixel p,
                     float* row) {
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
    // A window row inside the image is one run of bytes where nothing is dilated or grouped.
    const int64_t first = SourcePixel(g, p, ky, 0);
    if (g.dilation_w == 1 && channels == g.in_c && first >= 0 &&
        SourcePixel(g, p, ky, g.kernel_w - 1) >= 0) {
      Lanes::Widen(input + (size_t)first * g.in_c, (uint32_t)(g.kernel_w * channels), row);
      row += g.kernel_w * channels;
      continue;
    }
    for (uint32_t kx = 0; kx < g.kernel_w; ++kx, row += channels) {
      const int64_t source = SourcePixel(g, p, ky, kx);
      if (source < 0) {
        memset(row, 0, (size_t)channels * sizeof(float));
      } else {
        Lanes::Widen(input + (size_t)source * g.in_c, (uint32_t)channels, row);
      }
    }
  }
}

struct PartF16 {
  const ConvF16Args* args;
  const float* tile;
  // Row r of the tile: `runs` runs of `run` floats, `run_step` apart, from tile + r * row_step on.
  size_t row_step, runs, run, run_step;
  const float* bias;
  uint32_t columns;  // of a strip; 0: windows are flattened
  uint32_t windows;  // most of a tile of those
};

// The `pixels` pixels of image row y from column x on, zeros outside the image.
template <typename Lanes>
static void WidenStrip(const ConvF16Args& args, int64_t y, int64_t x, size_t pixels, float* to) {
  const ConvGeometry& g = args.g;
  const int64_t end = x + (int64_t)pixels;
  const int64_t first = x < 0 ? 0 : x, last = end < g.in_w ? end : g.in_w;
  if (y < 0 || y >= g.in_h || first >= last) {
    memset(to, 0, pixels * g.in_c * sizeof(float));
    return;
  }
  const size_t before = (size_t)(first - x) * g.in_c, inside = (size_t)(last - first) * g.in_c;
  memset(to, 0, before * sizeof(float));
  Lanes::Widen(args.input + ((size_t)y * g.in_w + (size_t)first) * g.in_c, (uint32_t)inside,
               to + before);
  memset(to + before + inside, 0, (size_t)(end - last) * g.in_c * sizeof(float));
}

// Lanes::Widen(const uint16_t* from, uint32_t count, float* to) writes no more than `count`.
template <typename Lanes, const ConvRules& kLevelRules>
struct LevelF16 {
  static constexpr ConvRules kRules = kLevelRules;
  typedef ConvF16Args Args;
  typedef PartF16 Part;
  static void FillPadding(const ConvF16Args&, const ConvPlan&) {}
  static void Begin(const ConvF16Args& args, const ConvPlan& plan, const ConvOutputs& outputs,
                    PanelF16*, PartF16* part) {
    Start(args, plan, outputs, part);
  }
  static void Start(const ConvF16Args& args, const ConvPlan& plan, const ConvOutputs& outputs,
                    PartF16* part) {
    const ConvGeometry& g = plan.g;
    const uint32_t columns = plan.columns;
    *part = PartF16{&args,
                    reinterpret_cast<const float*>(plan.packed),
                    (size_t)plan.deep,
                    1,
                    (size_t)plan.depth,
                    0,
                    args.bias + outputs.first * kChannelBlock,
                    columns,
                    plan.tile_rows};
    if (columns == 0) return;
    part->row_step = (size_t)g.stride_w * g.in_c;
    part->runs = g.kernel_h;
    part->run = (size_t)g.kernel_w * g.in_c;
    part->run_step = part->row_step * (columns - 1) + part->run;
  }
  static uint32_t Prepare(const ConvF16Args& args, const ConvPlan& plan, uint64_t group,
                          uint64_t pixel, PartF16* part) {
    const ConvGeometry& g = plan.g;
    uint32_t rows = TileRows(plan, pixel);
    float* to = reinterpret_cast<float*>(plan.packed);
    Pixel p = PixelOf(g, pixel);
    if (part->columns == 0) {
      if (rows > part->windows) rows = part->windows;
      for (uint32_t r = 0; r < rows; ++r, to += plan.deep) {
        WidenRow<Lanes>(g, args.input + group * plan.group_in, plan.group_in, p, to);
        if (++p.x != g.out_w) continue;
        p.x = 0;
        ++p.y;
      }
      return rows;
    }
    if (rows > part->columns) rows = part->columns;
    if (rows > g.out_w - p.x) rows = g.out_w - p.x;
    const int64_t x = (int64_t)p.x * g.stride_w - g.pad_left;
    int64_t y = (int64_t)p.y * g.stride_h - g.pad_top;
    const size_t pixels = (size_t)(rows - 1) * g.stride_w + g.kernel_w;
    for (uint32_t ky = 0; ky < g.kernel_h; ++ky, y += g.dilation_h, to += part->run_step) {
      WidenStrip<Lanes>(args, y, x, pixels, to);
    }
    return rows;
  }
};

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_F16_INL_H_
