// Conv: from the blob's record to kernel arguments.
#include "runtime/kernels/check.h"
#include "runtime/kernels/conv/scratch.h"
#include "runtime/kernels/run_convolution.h"

namespace octet {
namespace {

const blob::ConvParams& Params(const LayerView& v) {
  return ParamsOf<blob::ConvParams>(v);
}

uint64_t TapCountOf(const blob::ConvParams& p) {
  return (uint64_t)p.kernel_h * p.kernel_w;
}

// Scratch of an FP16 layer holds 16 rows of floats; a deeper layer than this has no place on a
// board.
constexpr uint64_t kMaxDepthF16 = 1u << 20;

// Each kernel has a line in scratch.inc.
#define OCTET_KERNEL(name, args, word, isa) static_assert(k_##name##_##word != nullptr);
#include "runtime/kernels/conv/kernels.inc"
#undef OCTET_KERNEL

bool HasWinogradWindow(const blob::ConvParams& p) {
  return p.kernel_h == 3 && p.kernel_w == 3 && p.stride_h == 1 && p.stride_w == 1 &&
         p.dilation_h == 1 && p.dilation_w == 1 && p.groups == 1;
}

// The window Winograd's method is for, and as many transformed weights as it reads.
bool HasWinograd(const LayerView& view, uint64_t in_c, uint64_t blocks) {
  const uint32_t m = WinogradOf(*view.layer);
  if (m == 0) return true;
  return HasWinogradWindow(Params(view)) && in_c % 8 == 0 &&
         HasData(view.layer->extra,
                 WinogradPositions(m) * blocks * in_c * kChannelBlock * sizeof(int16_t),
                 blob::kDataAlignment);
}

}  // namespace

bool CheckConvLayer(const LayerView& view) {
  const blob::ConvParams& p = Params(view);
  if (!HasTypes(view, 1) || !HasWindow(view, p)) return false;
  const uint64_t in_c = InputOf(view, 0).dims[3];
  const uint64_t out_c = OutputOf(view).dims[3];
  if (p.groups == 0 || in_c % p.groups != 0 || out_c % p.groups != 0) return false;
  const uint64_t taps = TapCountOf(p);        // < 2^32
  const uint64_t group_in = in_c / p.groups;  // < 2^32
  if (taps > kMaxDepthF16 || group_in > kMaxDepthF16) return false;
  const uint64_t depth = taps * group_in;
  const uint64_t blocks = CeilDiv(out_c, kChannelBlock);
  const blob::DataRef& weights = view.layer->weights;
  if (IsInt8(view)) {
    return HasChannelsS8(view, depth, out_c) &&
           HasData(weights, blocks * CeilDiv(depth, 4) * 64, blob::kDataAlignment) &&
           HasInt8Tail(view, p.clamp_lo, p.clamp_hi, p.pre_shift) &&
           HasWinograd(view, in_c, blocks);
  }
  uint64_t stored = depth;
  if (IsWinogradF16(*view.layer)) {
    if (!HasWinogradWindow(p) || in_c < kLeastWinogradChannelsF16) return false;
    stored = kWinogradPositionsF16 * in_c;
  }
  return depth <= kMaxDepthF16 && HasFunction(p.function, p.alpha, p.beta) &&
         HasBiasF16(view, out_c) &&
         HasData(weights, blocks * stored * kChannelBlock * 2, blob::kDataAlignment);
}

uint64_t ScratchConvLayer(const LayerView& view, Isa level) {
  const blob::ConvParams& p = Params(view);
  const ConvGeometry g = GeometryOf(view, p, p.groups);
  return IsInt8(view) ? ConvScratchS8(level, g, WinogradOf(*view.layer))
                      : ConvScratchF16(level, g, IsWinogradF16(*view.layer));
}

LayerCost CostConvLayer(const LayerView& view) {
  const blob::ConvParams& p = Params(view);
  const uint64_t depth = SaturatingMul(TapCountOf(p), InputOf(view, 0).dims[3] / p.groups);
  return LayerCost{SaturatingMul(ElementCount(OutputOf(view)), depth), 1, 1, 0};
}

void RunConvLayer(const LayerView& view, const RunContext& context) {
  RunConvolution(view, context, context.kernels->conv_s8, context.kernels->conv_f16);
}

Isa ConvLayerLevel(const LayerView& view, const KernelTable& kernels) {
  const bool fp16 = !IsInt8(view);
  constexpr uint32_t kTakeAnyGroups = IsaLevelsOf(IsaFamily::kCortexM);
  if (!fp16 && IsaIsOneOf(kernels.conv_s8_isa, kTakeAnyGroups)) return kernels.conv_s8_isa;
  if (!GroupsFitKernels(Params(view).groups, InputOf(view, 0).dims[3], OutputOf(view).dims[3],
                        fp16)) {
    return Isa::kReference;
  }
  if (!fp16) return kernels.conv_s8_isa;
  // SDOT's level has nothing else for FP16.
  const bool half = kernels.conv_f16_isa == Isa::kDotprod;
  return half && !AllowsHalfSums(*view.layer) ? Isa::kNeon : kernels.conv_f16_isa;
}

}  // namespace octet
