// Convert: int8 <-> FP16, for layers of mixed precision.
#include "runtime/core/float_math.h"
#include "runtime/kernels/check.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

// Beyond +-2^10 every zero point saturates; clamping first keeps the conversion to an integer
// defined, infinities included.
constexpr float kSaturated = 1024.0f;

int8_t Quantize(float x, float inverse_scale, int32_t zero_point) {
  const float scaled = x * inverse_scale;
  if (scaled != scaled) return (int8_t)zero_point;
  const float bounded =
      scaled < -kSaturated ? -kSaturated : (scaled > kSaturated ? kSaturated : scaled);
  return ToInt8((int32_t)FloatFloor(bounded + 0.5f), zero_point, -128, 127);
}

// An int8 byte has 256 values: from so many elements on, each is computed once.
constexpr uint64_t kWorthTable = 512;

struct Dequantize {
  float scale;
  int32_t zero_point;
  uint8_t sign;
  uint16_t operator()(uint8_t byte) const {
    return FloatToHalf(scale * (float)((int8_t)(byte ^ sign) - zero_point));
  }
};

void DequantizeAll(const Dequantize& half_of, const uint8_t* from, uint64_t count, uint16_t* to) {
  if (count < kWorthTable) {
    for (uint64_t i = 0; i < count; ++i) to[i] = half_of(from[i]);
    return;
  }
  uint16_t table[256];
  for (uint32_t byte = 0; byte < 256; ++byte) table[byte] = half_of((uint8_t)byte);
  for (uint64_t i = 0; i < count; ++i) to[i] = table[from[i]];
}

}  // namespace

bool CheckConvertLayer(const LayerView& view) {
  if (view.layer->input_count != 1 || !SameShape(InputOf(view, 0), OutputOf(view))) return false;
  if (OutputOf(view).type == blob::ElementType::kFp16) {
    return InputOf(view, 0).type == blob::ElementType::kInt8;
  }
  return OutputOf(view).type == blob::ElementType::kInt8 &&
         InputOf(view, 0).type == blob::ElementType::kFp16 &&
         IsNormalPositiveFloat(ParamsOf<blob::ConvertParams>(view).inverse_scale);
}

uint64_t ScratchConvertLayer(const LayerView&) {
  return 0;
}

void RunConvertLayer(const LayerView& view, const RunContext& context) {
  const blob::TensorRecord& in = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  const Range range = RangeOf(ElementCount(out), context.share);
  if (out.type == blob::ElementType::kFp16) {
    const uint8_t* from = PlaceOf(context, in);
    uint16_t* to = reinterpret_cast<uint16_t*>(PlaceOf(context, out));
    // The divisor is a power of two.
    const Dequantize half_of = {in.scale / out.scale, in.zero_point, context.sign};
    return DequantizeAll(half_of, from + range.begin, range.end - range.begin, to + range.begin);
  }
  const float inverse_scale = ParamsOf<blob::ConvertParams>(view).inverse_scale;
  const uint16_t* from = reinterpret_cast<const uint16_t*>(PlaceOf(context, in));
  uint8_t* to = PlaceOf(context, out);
  for (uint64_t i = range.begin; i < range.end; ++i) {
    const int8_t q = Quantize(HalfToFloat(from[i]), inverse_scale, out.zero_point);
    to[i] = (uint8_t)((uint8_t)q ^ context.sign);
  }
}

}  // namespace octet
