// DepthwiseConv: from the blob's record to kernel arguments.
#include "runtime/kernels/check.h"
#include "runtime/kernels/depthwise_conv/scratch.h"
#include "runtime/kernels/run_convolution.h"

namespace octet {
namespace {

const blob::ConvParams& Params(const LayerView& v) {
  return ParamsOf<blob::ConvParams>(v);
}

uint64_t TapCountOf(const blob::ConvParams& p) {
  return (uint64_t)p.kernel_h * p.kernel_w;
}

}  // namespace

bool CheckDepthwiseConvLayer(const LayerView& view) {
  const blob::ConvParams& p = Params(view);
  if (!HasTypes(view, 1) || !HasWindow(view, p)) return false;
  const uint64_t channels = OutputOf(view).dims[3];
  const uint64_t taps = TapCountOf(p);
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

// Each kernel has a line in scratch.inc.
#define OCTET_KERNEL(name, args, word, isa) static_assert(k_##name##_##word != nullptr);
#include "runtime/kernels/depthwise_conv/kernels.inc"
#undef OCTET_KERNEL

uint64_t ScratchDepthwiseConvLayer(const LayerView& view, Isa level) {
  const blob::ConvParams& p = Params(view);
  return DepthwiseScratch(level, GeometryOf(view, p, p.groups), IsInt8(view));
}

LayerCost CostDepthwiseConvLayer(const LayerView& view) {
  const blob::ConvParams& p = Params(view);
  const uint64_t taps = (uint64_t)p.kernel_h * p.kernel_w;
  return LayerCost{SaturatingMul(ElementCount(OutputOf(view)), taps), 1, 1, 0};
}

void RunDepthwiseConvLayer(const LayerView& view, const RunContext& context) {
  RunConvolution(view, context, context.kernels->depthwise_conv_s8,
                 context.kernels->depthwise_conv_f16);
}

}  // namespace octet
