// What the FP16 convolutions of all levels share under conv/driver.inl.h: a tile of output pixels
// is widened to rows of taps x channels floats in scratch, weights on the way into the registers.
// Every sum runs over the depth in its order, so that neither tile nor thread count shows in the
// result.
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
  const float* tile;  // [row][row_step]
  size_t row_step, depth;
  const float* bias;
};

// Lanes::Widen(const uint16_t* from, uint32_t count, float* to) writes no more than `count`.
template <typename Lanes>
struct LevelF16 {
  typedef ConvF16Args Args;
  typedef PartF16 Part;
  static uint32_t PartBlocks(const ConvPlan&) { return kNoLimit; }
  static void FillPadding(const ConvF16Args&, const ConvPlan&) {}
  static void Begin(const ConvF16Args& args, const ConvPlan& plan, const ConvOutputs& outputs,
                    PanelF16*, PartF16* part) {
    *part = PartF16{&args, reinterpret_cast<const float*>(plan.packed), (size_t)plan.deep,
                    (size_t)plan.depth, args.bias + outputs.first * kBlock};
  }
  static uint32_t Prepare(const ConvF16Args& args, const ConvPlan& plan, uint64_t group,
                          uint64_t pixel, PartF16*) {
    const uint32_t rows = TileRows(plan, pixel);
    float* row = reinterpret_cast<float*>(plan.packed);
    for (uint32_t r = 0; r < rows; ++r, row += plan.deep) {
      WidenRow<Lanes>(plan.g, args.input + group * plan.group_in, plan.group_in,
                      PixelOf(plan.g, pixel + r), row);
    }
    return rows;
  }
};

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_F16_INL_H_
