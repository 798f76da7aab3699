// DepthwiseConv: from the blob's record to kernel arguments.
#include "runtime/format/scratch.h"
#include "runtime/kernels/check.h"

namespace octet {
namespace {

const blob::ConvParams& Params(const LayerView& v) {
  return ParamsOf<blob::ConvParams>(v);
}

uint64_t TapsOf(const blob::ConvParams& p) {
  return (uint64_t)p.kernel_h * p.kernel_w;
}

}  // namespace

bool CheckDepthwiseConvLayer(const LayerView& view) {
  const blob::ConvParams& p = Params(view);
  if (!HasTypes(view, 1) || !HasWindow(view, p)) return false;
  const uint64_t channels = OutputOf(view).dims[3];
  const uint64_t taps = TapsOf(p);
  if (p.groups != channels || InputOf(view, 0).dims[3] != channels || taps > kMaxDepthS8) {
    return false;
  }
  const uint64_t weights_count = CeilDiv(channels, kChannelBlock) * taps * kChannelBlock;
  const blob::DataRef& weights = view.layer->weights;
  if (IsInt8(view)) {
    return HasChannelsS8(view, taps, channels) &&
           HasData(weights, weights_count, blob::kDataAlignment) &&
           HasInt8Tail(view, p.clamp_lo, p.clamp_hi, p.pre_shift);
  }
  return HasFunction(p.function, p.alpha, p.beta) && HasBiasF16(view, channels) &&
         HasData(weights, weights_count * 2, blob::kDataAlignment);
}

uint64_t ScratchDepthwiseConvLayer(const LayerView& view) {
  return ScratchDepthwise(TapsOf(Params(view)), InputOf(view, 0).dims[3], !IsInt8(view));
}

void RunDepthwiseConvLayer(const LayerView& view, const RunContext& context) {
  const blob::ConvParams& p = Params(view);
  const blob::TensorRecord& in = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  const uint8_t* weights = view.weights + view.layer->weights.offset;
  const uint8_t* channels = view.weights + view.layer->channels.offset;
  for (uint32_t n = 0; n < in.dims[0]; ++n) {
    const uint8_t* input = PlaceOf(context, in) + (uint64_t)n * ImageBytes(in);
    uint8_t* output = PlaceOf(context, out) + (uint64_t)n * ImageBytes(out);
    if (IsInt8(view)) {
      const DepthwiseConvS8Args args = {GeometryOf(view, p, p.groups),
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
                                        context.sign};
      context.kernels->depthwise_conv_s8(args, context.share);
    } else {
      const DepthwiseConvF16Args args = {GeometryOf(view, p, p.groups),
                                         reinterpret_cast<const uint16_t*>(input),
                                         reinterpret_cast<uint16_t*>(output),
                                         reinterpret_cast<const uint16_t*>(weights),
                                         reinterpret_cast<const float*>(channels),
                                         p.function,
                                         p.alpha,
                                         p.beta,
                                         context.scratch};
      context.kernels->depthwise_conv_f16(args, context.share);
    }
  }
}

}  // namespace octet
