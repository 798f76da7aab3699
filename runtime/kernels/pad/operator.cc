// Pad: constant, reflect or edge, on each of the four dimensions.
#include <string.h>

#include "runtime/core/half.h"
#include "runtime/kernels/check.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

const blob::PadParams& Params(const LayerView& v) {
  return ParamsOf<blob::PadParams>(v);
}

constexpr int64_t kOutside = -1;

// Source index of output index `i` along one dimension, or kOutside where a constant stands.
int64_t SourceIndex(uint32_t i, uint32_t before, uint32_t size, blob::PadMode mode) {
  const int64_t at = (int64_t)i - before;
  if (at >= 0 && at < size) return at;
  switch (mode) {
    case blob::PadMode::kReflect:
      return at < 0 ? -at : 2 * ((int64_t)size - 1) - at;
    case blob::PadMode::kEdge:
      return at < 0 ? 0 : (int64_t)size - 1;
    case blob::PadMode::kConstant:
      break;
  }
  return kOutside;
}

template <typename T>
void Run(const LayerView& view, const RunContext& context, T constant) {
  const blob::PadParams& p = Params(view);
  const uint32_t* in = InputOf(view, 0).dims;
  const uint32_t* out = OutputOf(view).dims;
  const T* input = reinterpret_cast<const T*>(PlaceOf(context, InputOf(view, 0)));
  T* output = reinterpret_cast<T*>(PlaceOf(context, OutputOf(view)));
  const Range rows = RangeOf((uint64_t)out[0] * out[1] * out[2], context.share);
  for (uint64_t row = rows.begin; row < rows.end; ++row) {
    const int64_t x = SourceIndex((uint32_t)(row % out[2]), p.before[2], in[2], p.mode);
    const int64_t y = SourceIndex((uint32_t)(row / out[2] % out[1]), p.before[1], in[1], p.mode);
    const int64_t n = SourceIndex((uint32_t)(row / out[2] / out[1]), p.before[0], in[0], p.mode);
    T* to = output + row * out[3];
    if (n == kOutside || y == kOutside || x == kOutside) {
      for (uint32_t c = 0; c < out[3]; ++c) to[c] = constant;
      continue;
    }
    const T* from = input + ((uint64_t)(n * in[1] + y) * in[2] + (uint64_t)x) * in[3];
    const uint32_t end = p.before[3] + in[3];  // <= out[3]
    for (uint32_t c = 0; c < p.before[3]; ++c) {
      const int64_t source = SourceIndex(c, p.before[3], in[3], p.mode);
      to[c] = source == kOutside ? constant : from[source];
    }
    memcpy(to + p.before[3], from, in[3] * sizeof(T));
    for (uint32_t c = end; c < out[3]; ++c) {
      const int64_t source = SourceIndex(c, p.before[3], in[3], p.mode);
      to[c] = source == kOutside ? constant : from[source];
    }
  }
}

}  // namespace

bool CheckPadLayer(const LayerView& view) {
  if (!HasTypes(view, 1)) return false;
  const blob::PadParams& p = Params(view);
  const blob::TensorRecord& in = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  if ((uint32_t)p.mode > (uint32_t)blob::PadMode::kEdge) return false;
  for (uint32_t d = 0; d < 4; ++d) {
    if ((uint64_t)in.dims[d] + p.before[d] + p.after[d] != out.dims[d]) return false;
    // A reflection goes back over the input once, without repeating the border.
    if (p.mode == blob::PadMode::kReflect &&
        (p.before[d] >= in.dims[d] || p.after[d] >= in.dims[d])) {
      return false;
    }
  }
  if (!SameQuantization(in, out)) return false;
  return IsInt8(view) ? p.value_q >= -128 && p.value_q <= 127 : !IsNan(p.value);
}

void RunPadLayer(const LayerView& view, const RunContext& context) {
  const blob::PadParams& p = Params(view);
  if (IsInt8(view)) {
    Run<uint8_t>(view, context, (uint8_t)((uint8_t)p.value_q ^ context.sign));
  } else {
    Run<uint16_t>(view, context, FloatToHalf(p.value));
  }
}

}  // namespace octet
