// Slice: a strided box of the input; the channels of a pixel are copied whole where their step
// is 1.
#include "runtime/kernels/by_width.h"
#include "runtime/kernels/check.h"
#include "runtime/kernels/copy.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

const blob::SliceParams& Params(const LayerView& v) {
  return ParamsOf<blob::SliceParams>(v);
}

// `count` elements, every `step`-th of the input.
template <typename T>
void CopyStrided(T* to, const T* from, uint32_t count, uint32_t step) {
  for (uint32_t i = 0; i < count; ++i) to[i] = from[(uint64_t)i * step];
}

template <typename T>
void Run(const LayerView& view, const RunContext& context) {
  const blob::SliceParams& p = Params(view);
  const uint32_t* in = InputOf(view, 0).dims;
  const uint32_t* out = OutputOf(view).dims;
  const T* input = reinterpret_cast<const T*>(PlaceOf(context, InputOf(view, 0)));
  T* output = reinterpret_cast<T*>(PlaceOf(context, OutputOf(view)));
  // The share counts pixels; each turn does those of one line.
  const Range pixels = RangeOf((uint64_t)out[0] * out[1] * out[2], context.share);
  for (uint64_t pixel = pixels.begin; pixel < pixels.end;) {
    const uint64_t line = pixel / out[2];
    const uint64_t x = pixel % out[2];
    const uint64_t left = pixels.end - pixel;
    const uint64_t count = left < out[2] - x ? left : out[2] - x;
    const uint64_t y = p.begin[1] + line % out[1] * p.step[1];
    const uint64_t n = p.begin[0] + line / out[1] * p.step[0];
    const uint64_t column = p.begin[2] + x * p.step[2];
    const T* from = input + ((n * in[1] + y) * in[2] + column) * in[3] + p.begin[3];
    const uint64_t from_step = (uint64_t)p.step[2] * in[3];
    T* to = output + pixel * out[3];
    if (p.step[3] == 1) {
      CopyRuns(reinterpret_cast<uint8_t*>(to), out[3] * sizeof(T),
               reinterpret_cast<const uint8_t*>(from), from_step * sizeof(T), count,
               out[3] * sizeof(T));
    } else {
      for (uint64_t i = 0; i < count; ++i) {
        CopyStrided(to + i * out[3], from + i * from_step, out[3], p.step[3]);
      }
    }
    pixel += count;
  }
}

}  // namespace

bool CheckSliceLayer(const LayerView& view) {
  if (!HasOneType(view, 1)) return false;
  const blob::SliceParams& p = Params(view);
  const blob::TensorRecord& in = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  for (uint32_t d = 0; d < 4; ++d) {
    const uint64_t last = p.begin[d] + (uint64_t)(out.dims[d] - 1) * p.step[d];
    if (p.step[d] == 0 || last >= in.dims[d]) return false;
  }
  return SameQuantization(in, out);
}

void RunSliceLayer(const LayerView& view, const RunContext& context) {
  ByWidth(ElementBytes(OutputOf(view)), [&](auto one) { Run<decltype(one)>(view, context); });
}

}  // namespace octet
