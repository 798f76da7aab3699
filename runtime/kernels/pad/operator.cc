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

// Pixel `x` of a line; `line` is nullptr where constants stand.
template <typename T>
void RunPixel(const LayerView& view, const T* line, uint32_t x, T constant, T* to) {
  const blob::PadParams& p = Params(view);
  const uint32_t* in = InputOf(view, 0).dims;
  const uint32_t channels = OutputOf(view).dims[3];
  const int64_t column = SourceIndex(x, p.before[2], in[2], p.mode);
  if (line == nullptr || column == kOutside) {
    for (uint32_t c = 0; c < channels; ++c) to[c] = constant;
    return;
  }
  const T* from = line + (uint64_t)column * in[3];
  const uint32_t end = p.before[3] + in[3];  // <= channels
  for (uint32_t c = 0; c < p.before[3]; ++c) {
    const int64_t source = SourceIndex(c, p.before[3], in[3], p.mode);
    to[c] = source == kOutside ? constant : from[source];
  }
  memcpy(to + p.before[3], from, in[3] * sizeof(T));
  for (uint32_t c = end; c < channels; ++c) {
    const int64_t source = SourceIndex(c, p.before[3], in[3], p.mode);
    to[c] = source == kOutside ? constant : from[source];
  }
}

template <typename T>
void Run(const LayerView& view, const RunContext& context, T constant) {
  const blob::PadParams& p = Params(view);
  const uint32_t* in = InputOf(view, 0).dims;
  const uint32_t* out = OutputOf(view).dims;
  const T* input = reinterpret_cast<const T*>(PlaceOf(context, InputOf(view, 0)));
  T* output = reinterpret_cast<T*>(PlaceOf(context, OutputOf(view)));
  const bool whole_pixels = in[3] == out[3];
  const Range pixels = RangeOf((uint64_t)out[0] * out[1] * out[2], context.share);
  for (uint64_t i = pixels.begin; i < pixels.end;) {
    const uint64_t row = i / out[2];
    const int64_t y = SourceIndex((uint32_t)(row % out[1]), p.before[1], in[1], p.mode);
    const int64_t n = SourceIndex((uint32_t)(row / out[1]), p.before[0], in[0], p.mode);
    const T* line = n == kOutside || y == kOutside
                        ? nullptr
                        : input + (uint64_t)(n * in[1] + y) * in[2] * in[3];
    const uint64_t left = pixels.end - i, in_line = out[2] - i % out[2];
    const uint64_t end = i + (left < in_line ? left : in_line);
    while (i < end) {
      const uint64_t x = i % out[2], column = x - p.before[2];
      T* to = output + i * out[3];
      if (!whole_pixels || line == nullptr || x < p.before[2] || column >= in[2]) {
        RunPixel(view, line, (uint32_t)x, constant, to);
        ++i;
        continue;
      }
      // Those of the input that lie behind one another.
      const uint64_t rest = in[2] - column, count = rest < end - i ? rest : end - i;
      memcpy(to, line + column * in[3], (size_t)(count * in[3]) * sizeof(T));
      i += count;
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
