// Unary: from the blob's record to kernel arguments.
#include "runtime/kernels/check.h"

namespace octet {

bool CheckUnaryLayer(const LayerView& view) {
  if (!HasTypes(view, 1) || !SameShape(InputOf(view, 0), OutputOf(view))) return false;
  if (IsInt8(view)) return HasData(view.layer->table, 256, 1);
  const blob::UnaryParams& p = ParamsOf<blob::UnaryParams>(view);
  return HasFunction(p.function, p.alpha, p.beta);
}

uint64_t ScratchUnaryLayer(const LayerView&) {
  return 0;
}

void RunUnaryLayer(const LayerView& view, const RunContext& context) {
  const blob::UnaryParams& p = ParamsOf<blob::UnaryParams>(view);
  const blob::TensorRecord& out = OutputOf(view);
  const uint32_t count = (uint32_t)ElementCount(out);
  const uint8_t* input = PlaceOf(context, InputOf(view, 0));
  uint8_t* output = PlaceOf(context, out);
  if (IsInt8(view)) {
    const TableS8Args args = {input, output, count, TableOf(view), context.sign};
    context.kernels->table_s8(args, context.share);
  } else {
    const UnaryF16Args args = {reinterpret_cast<const uint16_t*>(input),
                               reinterpret_cast<uint16_t*>(output),
                               count,
                               p.function,
                               p.alpha,
                               p.beta};
    context.kernels->unary_f16(args, context.share);
  }
}

}  // namespace octet
