// CumSum: the running sum in float, rounded to FP16 where it is stored and nowhere else; of int32
// modulo 2^32.
#include "runtime/core/half.h"
#include "runtime/format/axes_params.h"
#include "runtime/kernels/check.h"
#include "runtime/kernels/share.h"

namespace octet {

namespace {

float Plus(float a, float b) {
  return a + b;
}
int32_t Plus(int32_t a, int32_t b) {
  return (int32_t)((uint32_t)a + (uint32_t)b);
}

template <typename Sum, typename T, typename Load, typename Store>
void Run(const blob::CumSumParams& p, const T* input, T* output, Share share, Load load,
         Store store) {
  const Range lines = RangeOf((uint64_t)p.outer * p.inner, share);
  for (uint64_t line = lines.begin; line < lines.end; ++line) {
    const uint64_t first = line / p.inner * p.count * p.inner + line % p.inner;
    Sum sum = 0;
    for (uint32_t i = 0; i < p.count; ++i) {
      const uint64_t at = first + (uint64_t)(p.reverse != 0 ? p.count - 1 - i : i) * p.inner;
      const Sum before = sum;
      sum = Plus(sum, load(input[at]));
      output[at] = store(p.exclusive != 0 ? before : sum);
    }
  }
}

bool IsIntegers(const LayerView& view) {
  return view.layer->input_count == 1 && view.layer->precision == blob::Precision::kFp16 &&
         InputOf(view, 0).type == blob::ElementType::kInt32 &&
         OutputOf(view).type == blob::ElementType::kInt32;
}

}  // namespace

bool CheckCumSumLayer(const LayerView& view) {
  if (!IsIntegers(view) && (!HasTypes(view, 1) || IsInt8(view))) return false;
  const blob::CumSumParams& p = ParamsOf<blob::CumSumParams>(view);
  const uint64_t count = SaturatingMul(SaturatingMul(p.outer, p.count), p.inner);
  return count != 0 && count == ElementCount(InputOf(view, 0)) &&
         count == ElementCount(OutputOf(view));
}

void RunCumSumLayer(const LayerView& view, const RunContext& context) {
  const blob::CumSumParams& p = ParamsOf<blob::CumSumParams>(view);
  const uint8_t* input = PlaceOf(context, InputOf(view, 0));
  uint8_t* output = PlaceOf(context, OutputOf(view));
  if (IsIntegers(view)) {
    const auto same = [](int32_t x) { return x; };
    Run<int32_t>(p, reinterpret_cast<const int32_t*>(input), reinterpret_cast<int32_t*>(output),
                 context.share, same, same);
  } else {
    Run<float>(p, reinterpret_cast<const uint16_t*>(input), reinterpret_cast<uint16_t*>(output),
               context.share, HalfToFloat, FloatToHalf);
  }
}

}  // namespace octet
