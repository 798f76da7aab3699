// Softmax over the last dimension. int8 in integers alone, from a table of exponentials; equations
// at SoftmaxParams in format/blob.h. FP16: exp(x - max) / sum in float, in the order of the
// channels.
#include "runtime/core/float_math.h"
#include "runtime/kernels/check.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

constexpr uint32_t kOne = 1u << 23;          // table value of exp(0)
constexpr uint32_t kMaxChannels = 1u << 16;  // sum <= 2^39
constexpr int32_t kOutputZeroPoint = -128;   // output scale 1/256: probabilities [0, 255/256]

const uint32_t* ExponentialsOf(const LayerView& v) {
  return reinterpret_cast<const uint32_t*>(v.tables + v.layer->table.offset);
}

// 2 * 256 * t <= 2^32 and 2 * sum <= 2^40. sum >= t[0] > 0: the largest value meets d = 0.
void RowS8(const uint8_t* x, uint32_t channels, const uint32_t* table, uint8_t sign, uint8_t* y) {
  int32_t max = -128;
  for (uint32_t c = 0; c < channels; ++c) {
    const int32_t q = (int8_t)(x[c] ^ sign);
    max = q > max ? q : max;
  }
  uint64_t sum = 0;
  for (uint32_t c = 0; c < channels; ++c) sum += table[max - (int8_t)(x[c] ^ sign)];
  for (uint32_t c = 0; c < channels; ++c) {
    const uint64_t t = table[max - (int8_t)(x[c] ^ sign)];
    const int32_t q = (int32_t)((512 * t + sum) / (2 * sum)) + kOutputZeroPoint;
    y[c] = (uint8_t)((uint8_t)(q > 127 ? 127 : q) ^ sign);
  }
}

void RowF16(const uint16_t* x, uint32_t channels, uint16_t* y) {
  float max = -FloatInfinity();
  for (uint32_t c = 0; c < channels; ++c) {
    const float value = HalfToFloat(x[c]);
    max = value > max ? value : max;
  }
  float sum = 0.0f;
  for (uint32_t c = 0; c < channels; ++c) sum += FloatExp(HalfToFloat(x[c]) - max);
  for (uint32_t c = 0; c < channels; ++c)
    y[c] = FloatToHalf(FloatExp(HalfToFloat(x[c]) - max) / sum);
}

}  // namespace

bool CheckSoftmaxLayer(const LayerView& view) {
  if (!HasTypes(view, 1)) return false;
  const blob::TensorRecord& in = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  if (!SameShape(in, out) || in.dims[3] > kMaxChannels) return false;
  if (!IsInt8(view)) return true;
  if (out.scale != 1.0f / 256 || out.zero_point != kOutputZeroPoint ||
      !HasData(view.layer->table, 256 * sizeof(uint32_t), alignof(uint32_t))) {
    return false;
  }
  const uint32_t* table = ExponentialsOf(view);
  for (uint32_t d = 0; d < 256; ++d) {
    if (table[d] > kOne) return false;
  }
  return table[0] == kOne;
}

uint64_t ScratchSoftmaxLayer(const LayerView&) {
  return 0;
}

void RunSoftmaxLayer(const LayerView& view, const RunContext& context) {
  const blob::TensorRecord& out = OutputOf(view);
  const uint32_t channels = out.dims[3];
  const uint8_t* input = PlaceOf(context, InputOf(view, 0));
  uint8_t* output = PlaceOf(context, out);
  const Range rows = RangeOf(ElementCount(out) / channels, context.share);
  for (uint64_t row = rows.begin; row < rows.end; ++row) {
    const uint64_t at = row * channels;
    if (IsInt8(view)) {
      RowS8(input + at, channels, ExponentialsOf(view), context.sign, output + at);
    } else {
      RowF16(reinterpret_cast<const uint16_t*>(input) + at, channels,
             reinterpret_cast<uint16_t*>(output) + at);
    }
  }
}

}  // namespace octet
