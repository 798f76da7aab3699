// How the x86 levels cut FP16 convolutions. Widening a vector of weights takes the ports of up to
// two FMAs, so weights are widened to scratch, once for a tile of up to 208 pixels, a slice of the
// depth at a time; where all of a layer's fit beside a tile, once for the layer. A tile is
//   whole lines of a small image, in which all windows of some lines of the output lie;
//   a strip down a wide image (conv/f16.inl.h): the weights of a panel are widened once for all;
//   flattened windows, of pointwise layers among others.
// Layers of fewer than kLeastWideRows pixels widen weights on the way.
#ifndef OCTET_KERNELS_CONV_F16_WIDE_INL_H_
#define OCTET_KERNELS_CONV_F16_WIDE_INL_H_

#include "runtime/kernels/conv/f16.inl.h"

namespace octet {
namespace {

// How many runs and how much of a run are a slice of the depth.
struct WideSlices {
  size_t runs, run;
};
// most: steps.
static inline WideSlices SlicesOf(size_t runs, size_t run, size_t most) {
  if (run > most) return WideSlices{1, CeilDiv(run, CeilDiv(run, most))};
  return WideSlices{CeilDiv(runs, CeilDiv(runs, most / run)), run};
}

struct PartWide : PartF16 {
  float* weights;  // nullptr: those of the blob are widened on the way
  bool kept;       // in `weights` is room for those of the part, else for a slice
  WideSlices slices;
  mutable uint32_t widened_blocks;  // of those, so far
  // Run i of the rows is the (first_run + i) % runs-th in scratch: lines of a strip are a ring.
  size_t first_run;
  uint64_t above;      // where the strip would continue
  size_t line, lines;  // of whole lines of the input: floats of one, and most of a tile
  bool dense;          // the windows of a tile are one run of the input
  const float* row[kWideTileRows];  // of a tile
};

template <typename Lanes, const ConvRules& kLevelRules>
struct LevelWide : LevelF16<Lanes, kLevelRules> {
  typedef LevelF16<Lanes, kLevelRules> Base;
  typedef PartWide Part;
  static void Begin(const ConvF16Args& args, const ConvPlan& plan, const ConvOutputs& outputs,
                    PanelF16*, PartWide* part) {
    const WidePlan& wide = plan.wide;
    Base::Start(args, plan, outputs, part);
    part->windows = wide.windows;
    part->weights = nullptr;
    part->kept = wide.whole || wide.columns != 0;
    part->widened_blocks = 0;
    part->first_run = 0;
    part->above = UINT64_MAX;
    for (uint32_t r = 0; r < plan.tile_rows; ++r) part->row[r] = part->tile + r * part->row_step;
    if (wide.lines != 0) BeginLines(plan, part);
    const ConvGeometry& g = plan.g;
    part->dense = IsPointwise(g) && plan.group_in == g.in_c && plan.deep == g.in_c;
    if (wide.direct) return;
    // With AVX2 blocks are multiplied one by one, by weights of the first cache.
    constexpr bool kOneByOne = kLevelRules.isa == Isa::kAvx2;
    const uint64_t slice =
        kOneByOne && wide.slice > kWideSliceFloats ? kWideSliceFloats : wide.slice;
    part->slices = SlicesOf(part->runs, part->run,
                            slice / (kOneByOne ? kChannelBlock : wide.blocks * kChannelBlock));
    part->weights = reinterpret_cast<float*>(plan.packed) + wide.tile;
  }
  static void BeginLines(const ConvPlan& plan, PartWide* part) {
    const ConvGeometry& g = plan.g;
    part->line = ((size_t)(g.out_w - 1) * g.stride_w + g.kernel_w) * g.in_c;
    part->lines = (plan.wide.lines - 1) * g.stride_h + (g.kernel_h - 1) * g.dilation_h + 1;
    part->runs = g.kernel_h;
    part->run = (size_t)g.kernel_w * g.in_c;
    part->run_step = g.dilation_h * part->line;
    uint32_t r = 0;
    for (uint32_t y = 0; y < plan.wide.lines; ++y) {
      for (uint32_t x = 0; x < g.out_w; ++x, ++r) {
        part->row[r] = part->tile + y * g.stride_h * part->line + (size_t)x * g.stride_w * g.in_c;
      }
    }
  }
  static uint32_t PrepareLines(const ConvF16Args& args, const ConvPlan& plan, uint64_t pixel,
                               const PartWide& part) {
    const ConvGeometry& g = plan.g;
    const uint32_t rows = TileRows(plan, pixel);
    const uint32_t unused = (plan.wide.lines - rows / g.out_w) * g.stride_h;
    const int64_t y = (int64_t)(pixel / g.out_w) * g.stride_h - g.pad_top;
    float* to = reinterpret_cast<float*>(plan.packed);
    for (uint32_t i = 0; i < part.lines - unused; ++i, to += part.line) {
      WidenStrip<Lanes>(args, y + i, -(int64_t)g.pad_left, part.line / g.in_c, to);
    }
    return rows;
  }
  static uint32_t Prepare(const ConvF16Args& args, const ConvPlan& plan, uint64_t group,
                          uint64_t pixel, PartWide* part) {
    const ConvGeometry& g = plan.g;
    if (plan.wide.lines != 0) return PrepareLines(args, plan, pixel, *part);
    if (part->columns == 0) {
      if (!part->dense) return Base::Prepare(args, plan, group, pixel, part);
      const uint32_t windows = TileRows(plan, pixel);
      Lanes::Widen(args.input + pixel * g.in_c, windows * g.in_c,
                   reinterpret_cast<float*>(plan.packed));
      return windows;
    }
    const Pixel p = PixelOf(g, pixel);
    const uint32_t left = g.out_w - p.x, rows = left < part->columns ? left : part->columns;
    const int64_t x = (int64_t)p.x * g.stride_w - g.pad_left;
    const int64_t y = (int64_t)p.y * g.stride_h - g.pad_top;
    const size_t pixels = (size_t)(rows - 1) * g.stride_w + g.kernel_w;
    const bool goes_on = pixel == part->above && g.dilation_h == 1 && g.stride_h < g.kernel_h;
    part->first_run = goes_on ? (part->first_run + g.stride_h) % part->runs : 0;
    part->above = pixel + g.out_w;
    float* to = reinterpret_cast<float*>(plan.packed);
    for (uint32_t ky = goes_on ? g.kernel_h - g.stride_h : 0; ky < g.kernel_h; ++ky) {
      WidenStrip<Lanes>(args, y + (int64_t)ky * g.dilation_h, x, pixels,
                        to + (part->first_run + ky) % part->runs * part->run_step);
    }
    return rows;
  }
  // Down the image, then from the next column on.
  static uint64_t Next(const ConvPlan& plan, const PartWide& part, uint64_t pixel, uint32_t rows) {
    if (part.columns == 0) return pixel + rows;
    const uint64_t below = pixel + plan.g.out_w;
    if (below < plan.pixels.end) return below;
    const uint64_t next = plan.pixels.begin + pixel % plan.g.out_w + rows;
    return next < plan.pixels.begin + plan.g.out_w ? next : plan.pixels.end;
  }
};

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_F16_WIDE_INL_H_
