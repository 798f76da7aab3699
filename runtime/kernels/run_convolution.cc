#include "runtime/kernels/run_convolution.h"

#include "runtime/format/view.h"

namespace octet {

void RunConvolution(const LayerView& view, const RunContext& context, ConvS8Fn s8, ConvF16Fn f16) {
  const blob::ConvParams& p = ParamsOf<blob::ConvParams>(view);
  const blob::TensorRecord& in = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  const uint8_t* weights = view.weights + view.layer->weights.offset;
  const uint8_t* channels = view.channels + view.layer->channels.offset;
  for (uint32_t n = 0; n < in.dims[0]; ++n) {
    const uint8_t* input = PlaceOf(context, in) + (uint64_t)n * ImageBytes(in);
    uint8_t* output = PlaceOf(context, out) + (uint64_t)n * ImageBytes(out);
    if (IsInt8(view)) {
      const uint8_t winograd = WinogradOf(*view.layer);
      const uint8_t* transformed =
          winograd != 0 ? context.layouts + view.layer->extra.offset : nullptr;
      const ConvS8Args args = {GeometryOf(view, p, p.groups),
                               input,
                               output,
                               reinterpret_cast<const int8_t*>(weights),
                               reinterpret_cast<const blob::ChannelBlockS8*>(channels),
                               TableOf(view),
                               context.scratch,
                               in.zero_point,
                               ResultZeroPoint(view, p),
                               p.clamp_lo,
                               p.clamp_hi,
                               p.pre_shift,
                               context.sign,
                               winograd,
                               reinterpret_cast<const int16_t*>(transformed),
                               context.kept};
      s8(args, context.share);
    } else {
      const ConvF16Args args = {GeometryOf(view, p, p.groups),
                                reinterpret_cast<const uint16_t*>(input),
                                reinterpret_cast<uint16_t*>(output),
                                reinterpret_cast<const uint16_t*>(weights),
                                reinterpret_cast<const float*>(channels),
                                p.function,
                                p.alpha,
                                p.beta,
                                context.scratch,
                                context.half_sums && AllowsHalfSums(*view.layer),
                                IsWinogradF16(*view.layer)};
      f16(args, context.share);
    }
  }
}

}  // namespace octet
