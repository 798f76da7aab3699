// Resize, linear: from the blob's record to kernel arguments.
#include "runtime/kernels/resize/linear.h"
#include "runtime/kernels/check.h"

namespace octet {
namespace {

const blob::ResizeTap* TapRecordsOf(const LayerView& v) {
  return reinterpret_cast<const blob::ResizeTap*>(v.tables + v.layer->extra.offset);
}

bool IsTap(const blob::ResizeTap& tap, uint32_t size) {
  return tap.low < size && tap.high < size && tap.weight_low <= kResizeOne &&
         tap.weight_high == kResizeOne - tap.weight_low;
}

}  // namespace

bool CheckResizeLinearLayer(const LayerView& view) {
  if (!HasTypes(view, 1)) return false;
  const blob::TensorRecord& in = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  const uint64_t out_h = out.dims[1], out_w = out.dims[2];
  if (in.dims[0] != out.dims[0] || in.dims[3] != out.dims[3] || !SameQuantization(in, out) ||
      !HasData(view.layer->extra, (out_h + out_w) * sizeof(blob::ResizeTap),
               alignof(blob::ResizeTap))) {
    return false;
  }
  const blob::ResizeTap* taps = TapRecordsOf(view);
  for (uint64_t i = 0; i < out_h + out_w; ++i) {
    if (!IsTap(taps[i], in.dims[i < out_h ? 1 : 2])) return false;
  }
  return true;
}

void RunResizeLinearLayer(const LayerView& view, const RunContext& context) {
  const uint32_t* in = InputOf(view, 0).dims;
  const uint32_t* out = OutputOf(view).dims;
  const blob::ResizeTap* rows = TapRecordsOf(view);
  const ResizeGeometry geometry = {out[0], in[1],  in[2], out[1],
                                   out[2], out[3], rows,  rows + out[1]};
  const uint8_t* input = PlaceOf(context, InputOf(view, 0));
  uint8_t* output = PlaceOf(context, OutputOf(view));
  if (IsInt8(view)) {
    context.kernels->resize_linear_s8(ResizeLinearS8Args{input, output, geometry, context.sign},
                                      context.share);
  } else {
    context.kernels->resize_linear_f16(
        ResizeLinearF16Args{reinterpret_cast<const uint16_t*>(input),
                            reinterpret_cast<uint16_t*>(output), geometry},
        context.share);
  }
}

}  // namespace octet
