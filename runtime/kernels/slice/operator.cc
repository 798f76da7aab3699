// Slice: a strided box of the input; rows of channels are copied whole where their step is 1.
#include <string.h>

#include "runtime/kernels/check.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

const blob::SliceParams& Params(const LayerView& v) {
  return ParamsOf<blob::SliceParams>(v);
}

template <typename T>
void CopyRow(T* to, const T* from, uint32_t count, uint32_t step) {
  if (step == 1) {
    memcpy(to, from, count * sizeof(T));
    return;
  }
  for (uint32_t i = 0; i < count; ++i) to[i] = from[(uint64_t)i * step];
}

template <typename T>
void Run(const LayerView& view, const RunContext& context) {
  const blob::SliceParams& p = Params(view);
  const uint32_t* in = InputOf(view, 0).dims;
  const uint32_t* out = OutputOf(view).dims;
  const T* input = reinterpret_cast<const T*>(PlaceOf(context, InputOf(view, 0)));
  T* output = reinterpret_cast<T*>(PlaceOf(context, OutputOf(view)));
  const Range rows = RangeOf((uint64_t)out[0] * out[1] * out[2], context.share);
  for (uint64_t row = rows.begin; row < rows.end; ++row) {
    const uint64_t x = p.begin[2] + row % out[2] * p.step[2];
    const uint64_t y = p.begin[1] + row / out[2] % out[1] * p.step[1];
    const uint64_t n = p.begin[0] + row / out[2] / out[1] * p.step[0];
    CopyRow(output + row * out[3], input + ((n * in[1] + y) * in[2] + x) * in[3] + p.begin[3],
            out[3], p.step[3]);
  }
}

}  // namespace

bool CheckSliceLayer(const LayerView& view) {
  if (!HasTypes(view, 1)) return false;
  const blob::SliceParams& p = Params(view);
  const blob::TensorRecord& in = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  for (uint32_t d = 0; d < 4; ++d) {
    const uint64_t last = p.begin[d] + (uint64_t)(out.dims[d] - 1) * p.step[d];
    if (p.step[d] == 0 || last >= in.dims[d]) return false;
  }
  return SameQuantization(in, out);
}

uint64_t ScratchSliceLayer(const LayerView&) {
  return 0;
}

void RunSliceLayer(const LayerView& view, const RunContext& context) {
  if (IsInt8(view)) {
    Run<uint8_t>(view, context);
  } else {
    Run<uint16_t>(view, context);
  }
}

}  // namespace octet
