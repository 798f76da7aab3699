// Gather and GatherNd: runs of elements, each at the place that an index or a tuple of them gives.
#include "runtime/kernels/copy.h"
#include "runtime/kernels/gather/indices.h"
#include "runtime/kernels/share.h"

namespace octet {

bool CheckGatherLayer(const LayerView& view) {
  if (!HasGatherTypes(view)) return false;
  const blob::GatherParams& p = ParamsOf<blob::GatherParams>(view);
  const uint64_t row = SaturatingMul(p.outer, p.inner);
  return SaturatingMul(row, p.axis) == ElementCount(InputOf(view, 0)) &&
         p.count == ElementCount(InputOf(view, 1)) &&
         SaturatingMul(row, p.count) == ElementCount(OutputOf(view));
}

void RunGatherLayer(const LayerView& view, const RunContext& context) {
  const blob::GatherParams& p = ParamsOf<blob::GatherParams>(view);
  const uint64_t run = (uint64_t)p.inner * ElementBytes(OutputOf(view));
  const int32_t* indices = IndicesAt(view, context);
  const uint8_t* from = PlaceOf(context, InputOf(view, 0));
  uint8_t* to = PlaceOf(context, OutputOf(view));
  const Range runs = RangeOf((uint64_t)p.outer * p.count, context.share);
  for (uint64_t i = runs.begin; i < runs.end; ++i) {
    const uint64_t source = i / p.count * p.axis + PlaceIndex(indices[i % p.count], p.axis);
    CopyRun(to + i * run, from + source * run, (size_t)run);
  }
}

bool CheckGatherNdLayer(const LayerView& view) {
  if (!HasGatherTypes(view)) return false;
  const blob::GatherNdParams& p = ParamsOf<blob::GatherNdParams>(view);
  const uint64_t places = CountOf(p.dims, p.depth);
  const uint64_t tuples = SaturatingMul(p.batch, p.count);
  return SaturatingMul(SaturatingMul(p.batch, p.inner), places) == ElementCount(InputOf(view, 0)) &&
         SaturatingMul(tuples, p.depth) == ElementCount(InputOf(view, 1)) &&
         SaturatingMul(tuples, p.inner) == ElementCount(OutputOf(view));
}

void RunGatherNdLayer(const LayerView& view, const RunContext& context) {
  const blob::GatherNdParams& p = ParamsOf<blob::GatherNdParams>(view);
  const uint64_t run = (uint64_t)p.inner * ElementBytes(OutputOf(view));
  const uint64_t places = CountOf(p.dims, p.depth);
  const int32_t* indices = IndicesAt(view, context);
  const uint8_t* from = PlaceOf(context, InputOf(view, 0));
  uint8_t* to = PlaceOf(context, OutputOf(view));
  const Range tuples = RangeOf((uint64_t)p.batch * p.count, context.share);
  for (uint64_t t = tuples.begin; t < tuples.end; ++t) {
    const uint64_t place = PlaceTuple(p.dims, p.depth, indices + t * p.depth);
    CopyRun(to + t * run, from + (t / p.count * places + place) * run, (size_t)run);
  }
}

}  // namespace octet
