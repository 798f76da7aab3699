// MaxPool, AveragePool: from the blob's record to kernel arguments.
#include "runtime/kernels/check.h"

namespace octet {
namespace {

const blob::PoolParams& Params(const LayerView& v) {
  return ParamsOf<blob::PoolParams>(v);
}

uint64_t TapCountOf(const blob::PoolParams& p) {
  return (uint64_t)p.kernel_h * p.kernel_w;
}

// 255 * taps <= kAccumulatorLimit, and taps fit 32 bits.
constexpr uint64_t kMaxTaps = 1u << 22;

bool CheckPool(const LayerView& view) {
  const blob::PoolParams& p = Params(view);
  return HasTypes(view, 1) && HasWindow(view, p) && TapCountOf(p) <= kMaxTaps &&
         InputOf(view, 0).dims[3] == OutputOf(view).dims[3] && p.count_include_pad <= 1 &&
         (!IsInt8(view) || (p.clamp_lo <= p.clamp_hi && p.pre_shift <= kMaxPreShift));
}

// One factor, or one for every possible number of valid elements.
bool HasMultipliers(const LayerView& view) {
  const blob::PoolParams& p = Params(view);
  const uint32_t count = p.multiplier_count;
  const blob::DataRef& table = view.layer->table;
  if ((count != 1 && count != TapCountOf(p)) ||
      !HasData(table, (uint64_t)count * sizeof(Multiplier), alignof(Multiplier))) {
    return false;
  }
  const Multiplier* m = reinterpret_cast<const Multiplier*>(view.tables + table.offset);
  for (uint32_t i = 0; i < count; ++i) {
    if (!IsMultiplier(m[i].multiplier, m[i].shift)) return false;
  }
  return true;
}

void RunPool(const LayerView& view, const RunContext& context, PoolS8Fn run_s8, PoolF16Fn run_f16) {
  const blob::PoolParams& p = Params(view);
  const blob::TensorRecord& in = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  const ConvGeometry geometry = GeometryOf(view, p, in.dims[3]);
  const Multiplier* multipliers = reinterpret_cast<const Multiplier*>(TableOf(view));
  for (uint32_t n = 0; n < in.dims[0]; ++n) {
    const uint8_t* input = PlaceOf(context, in) + (uint64_t)n * ImageBytes(in);
    uint8_t* output = PlaceOf(context, out) + (uint64_t)n * ImageBytes(out);
    if (IsInt8(view)) {
      const PoolS8Args args = {geometry,
                               input,
                               output,
                               multipliers,
                               p.multiplier_count,
                               p.count_include_pad,
                               in.zero_point,
                               out.zero_point,
                               p.clamp_lo,
                               p.clamp_hi,
                               p.pre_shift,
                               context.sign};
      run_s8(args, context.share);
    } else {
      const PoolF16Args args = {geometry, reinterpret_cast<const uint16_t*>(input),
                                reinterpret_cast<uint16_t*>(output), p.count_include_pad};
      run_f16(args, context.share);
    }
  }
}

}  // namespace

bool CheckMaxPoolLayer(const LayerView& view) {
  return CheckPool(view) && SameQuantization(InputOf(view, 0), OutputOf(view));
}

// Dilation could step over the whole input, and an average over nothing is not defined.
bool CheckAveragePoolLayer(const LayerView& view) {
  const blob::PoolParams& p = Params(view);
  return CheckPool(view) && p.dilation_h == 1 && p.dilation_w == 1 &&
         (!IsInt8(view) || HasMultipliers(view));
}

LayerCost CostPoolLayer(const LayerView& view) {
  const blob::PoolParams& p = ParamsOf<blob::PoolParams>(view);
  return LayerCost{0, (uint64_t)p.kernel_h * p.kernel_w, 1, 0};
}

void RunMaxPoolLayer(const LayerView& view, const RunContext& context) {
  RunPool(view, context, context.kernels->max_pool_s8, context.kernels->max_pool_f16);
}
void RunAveragePoolLayer(const LayerView& view, const RunContext& context) {
  RunPool(view, context, context.kernels->average_pool_s8, context.kernels->average_pool_f16);
}

}  // namespace octet
