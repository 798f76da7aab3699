// Scatter: the data with updates at places that the model computes.
#include <string.h>

#include "runtime/core/half.h"
#include "runtime/kernels/gather/indices.h"

namespace octet {
namespace {

using Reduction = blob::ScatterReduction;

// In int32: sums and products wrap.
int32_t Reduce(Reduction reduction, int32_t x, int32_t y) {
  switch (reduction) {
    case Reduction::kReplace:
      break;
    case Reduction::kAdd:
      return (int32_t)((uint32_t)x + (uint32_t)y);
    case Reduction::kMul:
      return (int32_t)((uint32_t)x * (uint32_t)y);
    case Reduction::kMin:
      return y < x ? y : x;
    case Reduction::kMax:
      return y > x ? y : x;
  }
  return y;
}

// In FP16.
uint16_t Reduce(Reduction reduction, uint16_t x, uint16_t y) {
  const float a = HalfToFloat(x), b = HalfToFloat(y);
  switch (reduction) {
    case Reduction::kReplace:
      break;
    case Reduction::kAdd:
      return FloatToHalf(a + b);
    case Reduction::kMul:
      return FloatToHalf(a * b);
    case Reduction::kMin:
      return b < a ? y : x;
    case Reduction::kMax:
      return b > a ? y : x;
  }
  return y;
}

template <typename T>
void Run(const LayerView& view, const RunContext& context) {
  const blob::ScatterParams& p = ParamsOf<blob::ScatterParams>(view);
  const int32_t* indices = IndicesAt(view, context);
  const T* updates = reinterpret_cast<const T*>(PlaceOf(context, InputOf(view, 2)));
  T* out = reinterpret_cast<T*>(PlaceOf(context, OutputOf(view)));
  memcpy(out, PlaceOf(context, InputOf(view, 0)), OutputOf(view).bytes);
  if (p.depth == 0) {
    ForEachPlace(p, indices, 0, ElementCount(InputOf(view, 1)), [=](uint64_t i, uint64_t place) {
      out[place] = Reduce(p.reduction, out[place], updates[i]);
    });
    return;
  }
  for (uint64_t t = 0; t < p.count; ++t) {
    T* to = out + PlaceTuple(p.dims, p.depth, indices + t * p.depth) * p.inner;
    for (uint64_t i = 0; i < p.inner; ++i) {
      to[i] = Reduce(p.reduction, to[i], updates[t * p.inner + i]);
    }
  }
}

}  // namespace

bool CheckScatterLayer(const LayerView& view) {
  if (view.layer->input_count != 3) return false;
  const blob::ScatterParams& p = ParamsOf<blob::ScatterParams>(view);
  const blob::TensorRecord& data = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  if (view.layer->precision != blob::Precision::kFp16 || out.type == blob::ElementType::kInt8 ||
      data.type != out.type || InputOf(view, 2).type != out.type ||
      InputOf(view, 1).type != blob::ElementType::kInt32 || data.bytes != out.bytes ||
      (uint32_t)p.reduction > (uint32_t)Reduction::kMax) {
    return false;
  }
  const uint64_t indices = ElementCount(InputOf(view, 1)), updates = ElementCount(InputOf(view, 2));
  if (p.depth == 0) {
    return CountOf(p.dims, p.rank) == indices && updates == indices &&
           PlacesLieWithin(p, ElementCount(out));
  }
  const uint64_t places = CountOf(p.dims, p.depth);
  return SaturatingMul(places, p.inner) == ElementCount(out) &&
         SaturatingMul(p.count, p.depth) == indices && SaturatingMul(p.count, p.inner) == updates;
}

// By one thread: the result of several updates of one place depends on their order.
void RunScatterLayer(const LayerView& view, const RunContext& context) {
  if (context.share.index != 0) return;
  if (OutputOf(view).type == blob::ElementType::kInt32) {
    Run<int32_t>(view, context);
  } else {
    Run<uint16_t>(view, context);
  }
}

}  // namespace octet
