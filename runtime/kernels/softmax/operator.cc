// Softmax over the last dimension: from the blob's record to kernel arguments; equations at
// SoftmaxParams in format/blob.h.
#include "runtime/kernels/check.h"
#include "runtime/kernels/softmax/exponentials.h"

namespace octet {
bool CheckSoftmaxLayer(const LayerView& view) {
  if (!HasTypes(view, 1)) return false;
  const blob::TensorRecord& in = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  if (!SameShape(in, out) || in.dims[3] > kMaxSoftmaxCountS8) return false;
  return !IsInt8(view) || HasExponentials(view);
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
  const SoftmaxS8Args args = {
      input,       output, row_count, channels, ExponentialsOf(view), ProbabilityCodesOf(out),
      context.sign};
  context.kernels->softmax_s8(args, context.share);
}

}  // namespace octet
