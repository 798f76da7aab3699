// Add, Mul, Div: from the blob's record to kernel arguments.
#include "runtime/kernels/check.h"

namespace octet {
namespace {

const blob::BinaryParams& Params(const LayerView& v) {
  return ParamsOf<blob::BinaryParams>(v);
}

bool IsBroadcast(blob::Broadcast kind, const blob::TensorRecord& a, const blob::TensorRecord& b) {
  const uint32_t* d = b.dims;
  switch (kind) {
    case blob::Broadcast::kNone:
      return SameShape(a, b);
    case blob::Broadcast::kChannel:
      return d[0] == 1 && d[1] == 1 && d[2] == 1 && d[3] == a.dims[3];
    case blob::Broadcast::kScalar:
      return d[0] == 1 && d[1] == 1 && d[2] == 1 && d[3] == 1;
    case blob::Broadcast::kSpatial:
      return d[0] == 1 && d[1] == a.dims[1] && d[2] == a.dims[2] && d[3] == 1;
  }
  return false;
}

// What the three have in common; the int8 factors differ.
bool CheckBinary(const LayerView& view) {
  const blob::BinaryParams& p = Params(view);
  if (!HasTypes(view, 2)) return false;
  const blob::TensorRecord& a = InputOf(view, 0);
  if (!SameShape(a, OutputOf(view)) || !IsBroadcast(p.broadcast, a, InputOf(view, 1)) ||
      p.swap > 1 || p.negate_b > 1) {
    return false;
  }
  return IsInt8(view) ? p.clamp_lo <= p.clamp_hi && p.pre_shift <= kMaxPreShift
                      : HasFunction(p.function, p.alpha, p.beta);
}

bool IsAddFactor(int32_t m) {
  return m > -(1 << 15) && m < (1 << 15);
}

void RunBinary(const LayerView& view, const RunContext& context, BinaryS8Fn run_s8,
               BinaryF16Fn run_f16) {
  const blob::BinaryParams& p = Params(view);
  const blob::TensorRecord& a = InputOf(view, 0);
  const blob::TensorRecord& b = InputOf(view, 1);
  const blob::TensorRecord& out = OutputOf(view);
  const uint32_t pixels = a.dims[1] * a.dims[2];  // both <= bytes of the tensor
  const bool advance_b = p.broadcast == blob::Broadcast::kNone;
  for (uint32_t n = 0; n < a.dims[0]; ++n) {
    const uint8_t* input_a = PlaceOf(context, a) + (uint64_t)n * ImageBytes(a);
    const uint8_t* input_b = PlaceOf(context, b) + (advance_b ? (uint64_t)n * ImageBytes(b) : 0);
    uint8_t* output = PlaceOf(context, out) + (uint64_t)n * ImageBytes(out);
    if (IsInt8(view)) {
      const BinaryS8Args args = {
          input_a,      input_b,      output,         pixels,         a.dims[3],      p.broadcast,
          a.zero_point, b.zero_point, out.zero_point, p.multiplier_a, p.multiplier_b, p.shift,
          p.clamp_lo,   p.clamp_hi,   p.pre_shift,    p.swap,         context.sign};
      run_s8(args, context.share);
    } else {
      const BinaryF16Args args = {reinterpret_cast<const uint16_t*>(input_a),
                                  reinterpret_cast<const uint16_t*>(input_b),
                                  reinterpret_cast<uint16_t*>(output),
                                  pixels,
                                  a.dims[3],
                                  p.broadcast,
                                  p.function,
                                  p.alpha,
                                  p.beta,
                                  p.swap,
                                  p.negate_b};
      run_f16(args, context.share);
    }
  }
}

}  // namespace

bool CheckAddLayer(const LayerView& view) {
  if (!CheckBinary(view)) return false;
  const blob::BinaryParams& p = Params(view);
  return !IsInt8(view) || (IsAddFactor(p.multiplier_a) && IsAddFactor(p.multiplier_b) &&
                           p.shift >= 1 && p.shift <= 30);
}

bool CheckMulLayer(const LayerView& view) {
  if (!CheckBinary(view)) return false;
  const blob::BinaryParams& p = Params(view);
  return !IsInt8(view) || IsMultiplier(p.multiplier_a, p.shift);
}

bool CheckDivLayer(const LayerView& view) {
  if (!CheckBinary(view)) return false;
  const blob::BinaryParams& p = Params(view);
  return !IsInt8(view) || (p.multiplier_a > 0 && p.shift >= 0 && p.shift <= 40);
}

void RunAddLayer(const LayerView& view, const RunContext& context) {
  RunBinary(view, context, context.kernels->add_s8, context.kernels->add_f16);
}
void RunMulLayer(const LayerView& view, const RunContext& context) {
  RunBinary(view, context, context.kernels->mul_s8, context.kernels->mul_f16);
}
void RunDivLayer(const LayerView& view, const RunContext& context) {
  RunBinary(view, context, context.kernels->div_s8, context.kernels->div_f16);
}

}  // namespace octet
