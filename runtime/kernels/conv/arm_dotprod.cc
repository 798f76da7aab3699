// Convolution with SDOT by element: a vector of weights holds 4 outputs x 4 channels, an element of
// a row's activations the same 4 channels, so neither is rearranged.
#include <stddef.h>
#include <stdint.h>

#include "runtime/kernels/conv/arm_dotprod_panels.inl.h"

namespace octet {
namespace {

// 4 channels, those of element kLane, of all rows x 4 * kQuads outputs.
template <int kRows, int kLane, int kQuads>
static inline void Multiply4(const int8_t* weights, const int8x16_t* x, int32x4_t (*acc)[kQuads]) {
#pragma GCC unroll 4
  for (int i = 0; i < kQuads; ++i) {
    const int8x16_t w = vld1q_s8(weights + 64 * kLane + 16 * i);
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) acc[r][i] = vdotq_laneq_s32(acc[r][i], w, x[r], kLane);
  }
}

template <int kRows>
static void Panel(const PanelS8& p, const PartArm& part) {
  int32x4_t acc[kRows][4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const int32x4_t bias = vld1q_s32(part.channels[p.block].bias + 4 * i);
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) acc[r][i] = bias;
  }
  const int8_t* weights = p.weights;
  const uint8_t* const* pointers = p.pointers;
  for (uint64_t tap = 0; tap < p.taps; ++tap, pointers += kTile) {
    const uint8_t* in[kRows];
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) in[r] = pointers[r];
    size_t left = p.tap_bytes;
    int8x16_t x[kRows];
    for (; left >= 16; left -= 16, weights += 256) {
#pragma GCC unroll 6
      for (int r = 0; r < kRows; ++r, in[r - 1] += 16) x[r] = LoadBytes(in[r]);
      Multiply4<kRows, 0, 4>(weights, x, acc);
      Multiply4<kRows, 1, 4>(weights, x, acc);
      Multiply4<kRows, 2, 4>(weights, x, acc);
      Multiply4<kRows, 3, 4>(weights, x, acc);
    }
    for (; left != 0; left -= 4, weights += 64) {
#pragma GCC unroll 6
      for (int r = 0; r < kRows; ++r, in[r - 1] += 4) x[r] = LoadReplicated4(in[r]);
      Multiply4<kRows, 0, 4>(weights, x, acc);
    }
  }
  StoreRows<kRows>(p, part, acc);
}

static inline void RunPanels(const PanelS8& p, const PartDotprod& part, uint32_t rows,
                             uint32_t panels, size_t slide, int32x4_t (*acc)[4]) {
  const PanelArgs args(p, slide, rows, acc == nullptr, part.large, acc);
  if (rows == 6) {
    Panels6(p, part, args, panels);
  } else {
    Panels5(p, part, args, panels);
  }
}

// Sums of 6 rows with the lower half of a block, where the layer has no more outputs.
static inline void HalfSums(const PanelS8& p, const PartArm& part, int32x4_t (*sums)[4]) {
  int32x4_t acc[6][2];
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    const int32x4_t bias = vld1q_s32(part.channels[p.block].bias + 4 * i);
#pragma GCC unroll 6
    for (int r = 0; r < 6; ++r) acc[r][i] = bias;
  }
  const int8_t* weights = p.weights;
  const uint8_t* const* pointers = p.pointers;
  for (uint64_t tap = 0; tap < p.taps; ++tap, pointers += kTile) {
    const uint8_t* in[6];
#pragma GCC unroll 6
    for (int r = 0; r < 6; ++r) in[r] = pointers[r];
    size_t left = p.tap_bytes;
    int8x16_t x[6];
    for (; left >= 16; left -= 16, weights += 256) {
#pragma GCC unroll 6
      for (int r = 0; r < 6; ++r, in[r - 1] += 16) x[r] = LoadBytes(in[r]);
      Multiply4<6, 0, 2>(weights, x, acc);
      Multiply4<6, 1, 2>(weights, x, acc);
      Multiply4<6, 2, 2>(weights, x, acc);
      Multiply4<6, 3, 2>(weights, x, acc);
    }
    for (; left != 0; left -= 4, weights += 64) {
#pragma GCC unroll 6
      for (int r = 0; r < 6; ++r, in[r - 1] += 4) x[r] = LoadReplicated4(in[r]);
      Multiply4<6, 0, 2>(weights, x, acc);
    }
  }
#pragma GCC unroll 6
  for (int r = 0; r < 6; ++r) {
    sums[r][0] = acc[r][0];
    sums[r][1] = acc[r][1];
  }
}

// Panels of six rows whose sums are not all stored by the assembly, one by one.
__attribute__((noinline)) static void RunPanelsAndStore(PanelS8 p, const PartDotprod& part,
                                                        uint32_t panels) {
  int32x4_t acc[6][4] = {};
  uint32_t x = part.x + p.row;
  for (; panels != 0; --panels) {
    if (p.output_channels <= 8) {
      HalfSums(p, part, acc);
    } else {
      const bool slides = part.slide != 0 && (part.strips || x % part.out_w + 6 <= part.out_w);
      RunPanels(p, part, 6, 1, slides ? part.slide : 0, acc);
    }
    StoreRows<6>(p, part, acc);
    x += 6;
    p.pointers += 6;
    p.output += 6 * p.output_stride;
  }
}

// Full panels of which some lie within a line of the image: as many as are alike at a time.
__attribute__((noinline)) static void RunMixedPanels(PanelS8 p, const PartDotprod& part,
                                                     uint32_t panels) {
  const uint32_t width = part.out_w;
  uint32_t x = (part.x + p.row) % width;
  while (panels != 0) {
    const bool slides = x + 6 <= width;
    uint32_t count = 0;
    do {
      ++count;
      x += 6;
      while (x >= width) x -= width;
    } while (count != panels && slides == (x + 6 <= width));
    RunPanels(p, part, 6, count, slides ? part.slide : 0, nullptr);
    panels -= count;
    p.pointers += 6 * count;
    p.output += 6 * count * p.output_stride;
  }
}

static inline void RunPlainPanels(const PanelS8& p, const PartDotprod& part, uint32_t panels) {
  if (part.slide == 0 || part.strips || part.rows == 5) {
    RunPanels(p, part, part.rows, panels, part.slide, nullptr);
  } else {
    RunMixedPanels(p, part, panels);
  }
}

// 6 x 4 sums, 2 weights and 6 rows in 32 registers; 16 channels cost 6 + 16 loads for 96 SDOT.
struct Dotprod : LevelArm {
  static constexpr ConvRules kRules = kRulesDotprod;
  typedef PartDotprod Part;
  static void Begin(const ConvS8Args& args, const ConvPlan& plan, const ConvOutputs& outputs,
                    PanelS8* panel, Part* part) {
    BeginPart(args, outputs, part);
    if (plan.rows == Rows::kStrips) BeginStrips(args, plan, outputs, panel);
    const ConvGeometry& g = plan.g;
    const bool slides = g.kernel_w == 3 && g.stride_w == 1 && g.dilation_w == 1 &&
                        plan.rows != Rows::kPacked && plan.group_in % 16 == 0;
    part->slide = slides ? plan.group_in : 0;
    part->out_w = g.out_w;
    part->large = MayBeLarge(args, plan, outputs);
    const bool fives = slides && !part->large && g.out_w % 5 == 0 && plan.pixels.begin % 5 == 0;
    part->rows = fives ? 5 : 6;
    part->strips = plan.rows == Rows::kStrips;
  }
  static uint32_t Prepare(const ConvS8Args& args, const ConvPlan& plan, uint64_t group,
                          uint64_t pixel, Part* part) {
    part->x = part->slide != 0 && !part->strips ? (uint32_t)(pixel % part->out_w) : 0;
    if (part->strips) return PointStrip(args, plan, pixel, &part->strip);
    return GatherRows(args, plan, group, pixel);
  }
  // All rows of a tile: panels as large as can be, then one with the rest.
  static void Run(const Part& part, const PanelS8& panel, uint32_t rows, uint32_t) {
    static constexpr void (*kPanels[])(const PanelS8&, const PartArm&) = {
        Panel<1>, Panel<2>, Panel<3>, Panel<4>, Panel<5>};
    const bool plain = IsPlain(panel, part);
    const uint32_t most = plain ? part.rows : 6;
    const uint32_t panels = rows / most, full = panels * most;
    if (panels != 0 && plain) RunPlainPanels(panel, part, panels);
    if (panels != 0 && !plain) RunPanelsAndStore(panel, part, panels);
    if (full == rows) return;
    PanelS8 rest = panel;
    rest.pointers += full;
    rest.output += full * panel.output_stride;
    kPanels[rows - full - 1](rest, part);
  }
};

}  // namespace

void conv_s8_dotprod_6x1(const ConvS8Args& args, Share share) {
  RunConv<Dotprod>(args, share);
}

void conv_s8_dotprod(const ConvS8Args& args, Share share) {
  RunConv<Dotprod>(args, share);
}

}  // namespace octet
