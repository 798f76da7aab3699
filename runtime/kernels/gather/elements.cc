// GatherElements: one index for each element.
#include "runtime/kernels/by_width.h"
#include "runtime/kernels/gather/indices.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

template <typename T>
void Run(const LayerView& view, const RunContext& context) {
  const blob::GatherElementsParams& p = ParamsOf<blob::GatherElementsParams>(view);
  const T* from = reinterpret_cast<const T*>(PlaceOf(context, InputOf(view, 0)));
  T* to = reinterpret_cast<T*>(PlaceOf(context, OutputOf(view)));
  const Range range = RangeOf(ElementCount(OutputOf(view)), context.share);
  ForEachPlace(p, IndicesAt(view, context), range.begin, range.end,
               [=](uint64_t i, uint64_t place) { to[i] = from[place]; });
}

}  // namespace

bool CheckGatherElementsLayer(const LayerView& view) {
  if (!HasGatherTypes(view)) return false;
  const blob::GatherElementsParams& p = ParamsOf<blob::GatherElementsParams>(view);
  const uint64_t count = CountOf(p.dims, p.rank);
  return count == ElementCount(OutputOf(view)) && count == ElementCount(InputOf(view, 1)) &&
         PlacesLieWithin(p, ElementCount(InputOf(view, 0)));
}

void RunGatherElementsLayer(const LayerView& view, const RunContext& context) {
  ByWidth(ElementBytes(OutputOf(view)), [&](auto one) { Run<decltype(one)>(view, context); });
}

}  // namespace octet
