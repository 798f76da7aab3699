// Softmax over the last dimension. int8 in integers alone, from a table of exponentials; equations
// at SoftmaxParams in format/blob.h. FP16: exp(x - max) / sum in float, in the order of the
// channels.
#include "runtime/core/float_math.h"
#include "runtime/kernels/check.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/softmax/exponentials.h"

namespace octet {
namespace {

void RowS8(const uint8_t* x, uint32_t channels, const uint32_t* table, ProbabilityCodes codes,
           uint8_t sign, uint8_t* y) {
  int32_t max = -128;
  for (uint32_t c = 0; c < channels; ++c) {
    const int32_t q = (int8_t)(x[c] ^ sign);
    max = q > max ? q : max;
  }
  uint64_t sum = 0;
  for (uint32_t c = 0; c < channels; ++c) sum += table[max - (int8_t)(x[c] ^ sign)];
  const ProbabilityLine line = ProbabilityLineOf(sum, codes);
  for (uint32_t c = 0; c < channels; ++c) {
    const uint64_t t = table[max - (int8_t)(x[c] ^ sign)];
    y[c] = (uint8_t)((uint8_t)ProbabilityS8(t, line, codes) ^ sign);
  }
}

}  // namespace

void softmax_f16_reference(const SoftmaxF16Args& args, Share share) {
  const Range rows = RangeOf(args.rows, share);
  for (uint64_t row = rows.begin; row < rows.end; ++row) {
    const uint16_t* x = args.input + row * args.count;
    uint16_t* y = args.output + row * args.count;
    float max = -FloatInfinity();
    for (uint32_t c = 0; c < args.count; ++c) {
      const float value = HalfToFloat(x[c]);
      max = value > max ? value : max;
    }
    float sum = 0.0f;
    for (uint32_t c = 0; c < args.count; ++c) sum += FloatExp(HalfToFloat(x[c]) - max);
    for (uint32_t c = 0; c < args.count; ++c) {
      y[c] = FloatToHalf(FloatExp(HalfToFloat(x[c]) - max) / sum);
    }
  }
}

bool CheckSoftmaxLayer(const LayerView& view) {
  if (!HasTypes(view, 1)) return false;
  const blob::TensorRecord& in = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  if (!SameShape(in, out) || in.dims[3] > kMaxSoftmaxCountS8) return false;
  return !IsInt8(view) || HasExponentials(view);
}

uint64_t ScratchSoftmaxLayer(const LayerView&) {
  return 0;
}

void RunSoftmaxLayer(const LayerView& view, const RunContext& context) {
  const blob::TensorRecord& out = OutputOf(view);
  const uint32_t channels = out.dims[3];
  const uint8_t* input = PlaceOf(context, InputOf(view, 0));
  uint8_t* output = PlaceOf(context, out);
  const uint64_t row_count = ElementCount(out) / channels;
  if (!IsInt8(view)) {
    const SoftmaxF16Args args = {reinterpret_cast<const uint16_t*>(input),
                                 reinterpret_cast<uint16_t*>(output), row_count, channels};
    context.kernels->softmax_f16(args, context.share);
    return;
  }
  const Range rows = RangeOf(row_count, context.share);
  const ProbabilityCodes codes = ProbabilityCodesOf(out);
  for (uint64_t row = rows.begin; row < rows.end; ++row) {
    const uint64_t at = row * channels;
    RowS8(input + at, channels, ExponentialsOf(view), codes, context.sign, output + at);
  }
}

}  // namespace octet
