// Softmax, its logarithm and the one-hot maximum along any axis: from the blob's record to kernel
// arguments.
#include "runtime/kernels/check.h"
#include "runtime/kernels/softmax/exponentials.h"

namespace octet {
namespace {

using blob::SoftmaxKind;

const blob::AxisSoftmaxParams& Params(const LayerView& v) {
  return ParamsOf<blob::AxisSoftmaxParams>(v);
}

}  // namespace

bool CheckAxisSoftmaxLayer(const LayerView& view) {
  if (!HasTypes(view, 1)) return false;
  const blob::AxisSoftmaxParams& p = Params(view);
  const uint64_t count = SaturatingMul(SaturatingMul(p.outer, p.count), p.inner);
  if (count == 0 || count != ElementCount(InputOf(view, 0)) ||
      count != ElementCount(OutputOf(view)) || (uint8_t)p.kind > (uint8_t)SoftmaxKind::kHardmax) {
    return false;
  }
  if (!IsInt8(view)) return true;
  return p.kind == SoftmaxKind::kSoftmax && p.count <= kMaxSoftmaxCountS8 && HasExponentials(view);
}

void RunAxisSoftmaxLayer(const LayerView& view, const RunContext& context) {
  const blob::AxisSoftmaxParams& p = Params(view);
  const uint8_t* input = PlaceOf(context, InputOf(view, 0));
  uint8_t* output = PlaceOf(context, OutputOf(view));
  if (IsInt8(view)) {
    const AxisSoftmaxS8Args args = {input,
                                    output,
                                    p.outer,
                                    p.count,
                                    p.inner,
                                    ExponentialsOf(view),
                                    ProbabilityCodesOf(OutputOf(view)),
                                    context.sign};
    context.kernels->axis_softmax_s8(args, context.share);
  } else {
    const AxisSoftmaxF16Args args = {reinterpret_cast<const uint16_t*>(input),
                                     reinterpret_cast<uint16_t*>(output),
                                     p.outer,
                                     p.count,
                                     p.inner,
                                     p.kind};
    context.kernels->axis_softmax_f16(args, context.share);
  }
}

}  // namespace octet
