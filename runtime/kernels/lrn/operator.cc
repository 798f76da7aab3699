// Local response normalization across channels: x / (bias + alpha * sum of squares)^beta, the sum
// in float from the lowest channel of the window to the highest.
#include "runtime/core/float_math.h"
#include "runtime/format/axes_params.h"
#include "runtime/kernels/check.h"
#include "runtime/kernels/share.h"

namespace octet {

bool CheckLrnLayer(const LayerView& view) {
  if (!HasTypes(view, 1) || IsInt8(view)) return false;
  const blob::LrnParams& p = ParamsOf<blob::LrnParams>(view);
  const uint64_t count = SaturatingMul(SaturatingMul(p.outer, p.channels), p.inner);
  return count != 0 && count == ElementCount(InputOf(view, 0)) &&
         count == ElementCount(OutputOf(view)) && IsFiniteFloat(p.alpha) && IsFiniteFloat(p.beta) &&
         IsFiniteFloat(p.bias);
}

LayerCost CostLrnLayer(const LayerView& view) {
  const blob::LrnParams& p = ParamsOf<blob::LrnParams>(view);
  const uint64_t window = (uint64_t)p.before + p.after + 1;
  return LayerCost{0, window < p.channels ? window : p.channels, 1, 0};
}

void RunLrnLayer(const LayerView& view, const RunContext& context) {
  const blob::LrnParams& p = ParamsOf<blob::LrnParams>(view);
  const uint16_t* input = reinterpret_cast<const uint16_t*>(PlaceOf(context, InputOf(view, 0)));
  uint16_t* output = reinterpret_cast<uint16_t*>(PlaceOf(context, OutputOf(view)));
  const Range lines = RangeOf((uint64_t)p.outer * p.inner, context.share);
  for (uint64_t line = lines.begin; line < lines.end; ++line) {
    const uint64_t first = line / p.inner * p.channels * p.inner + line % p.inner;
    for (uint32_t c = 0; c < p.channels; ++c) {
      const uint32_t begin = c < p.before ? 0 : c - p.before;
      const uint32_t end = p.channels - c <= p.after ? p.channels : c + p.after + 1;
      float sum = 0.0f;
      for (uint32_t i = begin; i < end; ++i) {
        const float x = HalfToFloat(input[first + (uint64_t)i * p.inner]);
        sum += x * x;
      }
      const uint64_t at = first + (uint64_t)c * p.inner;
      const float x = HalfToFloat(input[at]);
      output[at] = FloatToHalf(x / FloatPow(p.bias + p.alpha * sum, p.beta));
    }
  }
}

}  // namespace octet
