// Convert: from the blob's record to kernel arguments.
#include "runtime/kernels/check.h"

namespace octet {

bool CheckConvertLayer(const LayerView& view) {
  if (view.layer->input_count != 1 || !SameShape(InputOf(view, 0), OutputOf(view))) return false;
  if (OutputOf(view).type == blob::ElementType::kFp16) {
    return InputOf(view, 0).type == blob::ElementType::kInt8;
  }
  return OutputOf(view).type == blob::ElementType::kInt8 &&
         InputOf(view, 0).type == blob::ElementType::kFp16 &&
         IsNormalPositiveFloat(ParamsOf<blob::ConvertParams>(view).inverse_scale);
}

void RunConvertLayer(const LayerView& view, const RunContext& context) {
  const blob::TensorRecord& in = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  ConvertArgs args = {PlaceOf(context, in), PlaceOf(context, out), ElementCount(out), 0, 0,
                      context.sign};
  if (out.type == blob::ElementType::kFp16) {
    args.factor = in.scale / out.scale;  // the divisor is a power of two
    args.zero_point = in.zero_point;
    return context.kernels->convert_f16(args, context.share);
  }
  args.factor = ParamsOf<blob::ConvertParams>(view).inverse_scale;
  args.zero_point = out.zero_point;
  context.kernels->convert_s8(args, context.share);
}

Isa ConvertLayerLevel(const LayerView& view, const KernelTable& kernels) {
  return OutputOf(view).type == blob::ElementType::kFp16 ? kernels.convert_f16_isa
                                                         : kernels.convert_s8_isa;
}

}  // namespace octet
