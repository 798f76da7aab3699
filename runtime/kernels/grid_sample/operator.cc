// GridSample: the check, and from the blob's record to kernel arguments.
#include "runtime/kernels/check.h"
#include "runtime/kernels/grid_sample/grid_sample.h"

namespace octet {

bool CheckGridSampleLayer(const LayerView& view) {
  if (!HasTypes(view, 2) || IsInt8(view)) return false;
  const blob::GridSampleParams& p = ParamsOf<blob::GridSampleParams>(view);
  const uint32_t* in = InputOf(view, 0).dims;
  const uint32_t* grid = InputOf(view, 1).dims;
  const uint32_t* out = OutputOf(view).dims;
  constexpr uint32_t kMostPixels = 1u << 24;  // a side: positions are floats
  return (uint32_t)p.mode <= (uint32_t)blob::GridSampling::kCubic &&
         (uint32_t)p.padding <= (uint32_t)blob::GridPadding::kReflection && p.align_corners <= 1 &&
         in[1] <= kMostPixels && in[2] <= kMostPixels && grid[0] == in[0] && grid[3] == 2 &&
         out[0] == in[0] && out[1] == grid[1] && out[2] == grid[2] && out[3] == in[3];
}

LayerCost CostGridSampleLayer(const LayerView&) {
  return LayerCost{0, 16, 1, 0};  // a cubic reads 4 x 4 places
}

void RunGridSampleLayer(const LayerView& view, const RunContext& context) {
  const uint32_t* in = InputOf(view, 0).dims;
  const uint32_t* out = OutputOf(view).dims;
  const GridSampleF16Args args = {
      reinterpret_cast<const uint16_t*>(PlaceOf(context, InputOf(view, 0))),
      reinterpret_cast<const uint16_t*>(PlaceOf(context, InputOf(view, 1))),
      reinterpret_cast<uint16_t*>(PlaceOf(context, OutputOf(view))),
      ParamsOf<blob::GridSampleParams>(view),
      out[0],
      in[1],
      in[2],
      in[3],
      (uint64_t)out[1] * out[2]};
  context.kernels->grid_sample_f16(args, context.share);
}

Isa GridSampleLayerLevel(const LayerView&, const KernelTable& kernels) {
  return kernels.grid_sample_f16_isa;
}

}  // namespace octet
