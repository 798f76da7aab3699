// How the x86 levels cut FP16 convolutions. Widening a vector of weights takes the ports of two
// FMAs, so weights are widened to scratch: for strips (conv/f16.inl.h) all that a panel of outputs
// has, once for the layer, and strips once for each panel; for flattened windows once for a tile of
// them. Layers of few pixels widen weights on the way.
#ifndef OCTET_KERNELS_CONV_F16_WIDE_INL_H_
#define OCTET_KERNELS_CONV_F16_WIDE_INL_H_

#include "runtime/kernels/conv/f16.inl.h"

namespace octet {
namespace {

struct WidePlan {
  uint32_t blocks;   // of a panel
  uint32_t columns;  // of a strip; 0: windows are flattened
  uint32_t windows;  // most of a tile of those
  bool direct;       // weights are not widened to scratch
  bool whole;        // those of all outputs are in scratch at once, for all tiles of windows
};

constexpr uint64_t kLeastColumns = 4;  // narrower images are not taken in strips

// Columns of strips, equal but for the last, when `left` floats are there for one; 0: too few.
static inline uint32_t WideColumns(const ConvPlan& plan, uint64_t left) {
  const ConvGeometry& g = plan.g;
  if (g.dilation_w != 1 || plan.group_in != g.in_c) return 0;
  const uint64_t pixels = left / ((uint64_t)g.kernel_h * g.in_c);
  if (pixels < g.kernel_w) return 0;
  uint64_t columns = (pixels - g.kernel_w) / g.stride_w + 1;
  if (columns > plan.tile_rows) columns = plan.tile_rows;
  columns = DivideUp(g.out_w, DivideUp(g.out_w, columns));
  const bool few = columns < kLeastWideRows && columns < g.out_w;
  return few || columns < kLeastColumns ? 0 : (uint32_t)columns;
}

// By what is widened: strips widen stride_h lines under a line of the output for each panel, and
// weights once; windows are widened once, and weights for each tile of them.
static inline bool StripsCostLess(const ConvPlan& plan, const WidePlan& wide) {
  const ConvGeometry& g = plan.g;
  const uint64_t panels = DivideUp(plan.blocks, wide.blocks);
  const uint64_t pixels = (uint64_t)(wide.columns - 1) * g.stride_w + g.kernel_w;
  const uint64_t lines = (uint64_t)g.out_h * (g.stride_h < g.kernel_h ? g.stride_h : g.kernel_h);
  const uint64_t strips = DivideUp(g.out_w, wide.columns) * lines * pixels * g.in_c * panels;
  const uint64_t weights = plan.depth * plan.blocks * kBlock, outputs = (uint64_t)g.out_h * g.out_w;
  const uint64_t times = wide.whole ? 1 : DivideUp(outputs, wide.windows);
  return strips + weights <= plan.depth * outputs + weights * times;
}

// With panels of `blocks` blocks; false: scratch does not hold their weights beside enough rows.
static inline bool PlanWide(const ConvPlan& plan, uint32_t blocks, WidePlan* wide) {
  const uint64_t pixels = (uint64_t)plan.g.out_h * plan.g.out_w;
  const uint64_t rows = WideRows(plan.deep, pixels);
  const uint64_t room = ScratchConvWide(plan.depth, pixels) / sizeof(float);
  const uint64_t weights = plan.depth * blocks * kBlock;
  const uint64_t all_weights = plan.depth * plan.blocks * kBlock;
  *wide = WidePlan{blocks, 0, (uint32_t)rows, true, false};
  if (weights > room) return false;
  const uint64_t left = room - weights;
  uint64_t windows = left / plan.deep < rows ? left / plan.deep : rows;
  const uint64_t few = plan.deep <= 64 ? 48 : 32;  // what stays in the first cache beside weights
  if (rows >= few && all_weights + few * plan.deep <= room) {
    wide->whole = true;
    windows = few;
  }
  const uint32_t columns = WideColumns(plan, left);
  if (columns == 0 && windows < kLeastWideRows) return false;
  if (windows != 0) windows = DivideUp(pixels, DivideUp(pixels, windows));
  wide->direct = false;
  wide->windows = (uint32_t)windows;
  wide->columns = columns;
  if (windows >= kLeastWideRows && columns != 0 && !StripsCostLess(plan, *wide)) wide->columns = 0;
  return true;
}

// Two blocks share broadcasts as well as three do, and one does badly: two where they are even,
// three where that leaves two or none.
static inline WidePlan PlanWide(const ConvPlan& plan, uint32_t most) {
  WidePlan wide;
  if (most > 2 && plan.blocks % 2 != 0 && plan.blocks % 3 != 1 && PlanWide(plan, 3, &wide)) {
    return wide;
  }
  PlanWide(plan, plan.blocks < 2 || most < 2 ? 1 : 2, &wide);
  return wide;
}

struct PartWide : PartF16 {
  float* weights;                   // nullptr: those of the blob are widened on the way
  mutable const uint16_t* widened;  // of those in `weights`, the first
  bool whole;                       // `weights` are those of all panels, one behind the other
  mutable uint32_t widened_blocks;  // of those, so far
  // Run i of the rows is the (first_run + i) % runs-th in scratch: lines of a strip are a ring.
  size_t first_run;
  uint64_t above;  // where the strip would continue
};

template <typename Lanes, const ConvRules& kLevelRules>
struct LevelWide : LevelF16<Lanes, kLevelRules> {
  typedef LevelF16<Lanes, kLevelRules> Base;
  typedef PartWide Part;
  static void Refine(ConvPlan* plan) {
    const WidePlan wide = PlanWide(*plan, plan->panel_blocks);
    plan->panel_blocks = wide.blocks;
    plan->whole_lines = wide.columns != 0;
  }
  static uint32_t PartBlocks(const ConvPlan& plan) {
    return plan.whole_lines ? plan.panel_blocks : kNoLimit;
  }
  static void Begin(const ConvF16Args& args, const ConvPlan& plan, const ConvOutputs& outputs,
                    PanelF16*, PartWide* part) {
    WidePlan wide;
    PlanWide(plan, plan.panel_blocks, &wide);
    Base::Start(args, plan, outputs, wide.columns, part);
    part->windows = wide.windows;
    part->weights = nullptr;
    part->widened = nullptr;
    part->whole = wide.whole && wide.columns == 0;
    part->widened_blocks = 0;
    part->first_run = 0;
    part->above = UINT64_MAX;
    if (wide.direct) return;
    const size_t tile = wide.columns != 0 ? part->runs * part->run_step : wide.windows * plan.deep;
    part->weights = reinterpret_cast<float*>(plan.packed) + ((tile + 15) & ~(size_t)15);
  }
  static uint32_t Prepare(const ConvF16Args& args, const ConvPlan& plan, uint64_t group,
                          uint64_t pixel, PartWide* part) {
    const ConvGeometry& g = plan.g;
    if (part->columns == 0) return Base::Prepare(args, plan, group, pixel, part);
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
