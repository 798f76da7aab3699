// Cast: FP16 <-> int32, and int32 -> int32 where the model's type holds less (uint8, bool).
#include "runtime/core/float_math.h"
#include "runtime/kernels/check.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

using blob::ElementType;

int32_t Clamped(int32_t x, const blob::CastParams& p) {
  return x < p.low ? p.low : (x > p.high ? p.high : x);
}

}  // namespace

bool CheckCastLayer(const LayerView& view) {
  if (view.layer->input_count != 1 || view.layer->precision != blob::Precision::kFp16) return false;
  const blob::TensorRecord& in = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  const blob::CastParams& p = ParamsOf<blob::CastParams>(view);
  if (!SameShape(in, out) || p.low > p.high || p.not_zero > 1) return false;
  if (in.type == ElementType::kInt32) {
    return out.type == ElementType::kInt32 || out.type == ElementType::kFp16;
  }
  return in.type == ElementType::kFp16 && out.type == ElementType::kInt32;
}

void RunCastLayer(const LayerView& view, const RunContext& context) {
  const blob::CastParams& p = ParamsOf<blob::CastParams>(view);
  const blob::TensorRecord& in = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  const Range range = RangeOf(ElementCount(out), context.share);
  const uint16_t* halves = reinterpret_cast<const uint16_t*>(PlaceOf(context, in));
  const int32_t* integers = reinterpret_cast<const int32_t*>(PlaceOf(context, in));
  if (out.type == ElementType::kFp16) {
    uint16_t* to = reinterpret_cast<uint16_t*>(PlaceOf(context, out));
    for (uint64_t i = range.begin; i < range.end; ++i) to[i] = FloatToHalf((float)integers[i]);
    return;
  }
  int32_t* to = reinterpret_cast<int32_t*>(PlaceOf(context, out));
  for (uint64_t i = range.begin; i < range.end; ++i) {
    if (in.type == ElementType::kInt32) {
      to[i] = p.not_zero != 0 ? integers[i] != 0 : Clamped(integers[i], p);
    } else {
      const float x = HalfToFloat(halves[i]);
      to[i] = p.not_zero != 0 ? x != 0.0f : Clamped(FloatToInt32(x), p);
    }
  }
}

}  // namespace octet
