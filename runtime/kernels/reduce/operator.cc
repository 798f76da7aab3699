// Reductions over any axes: the checks, and from the blob's record to kernel arguments.
#include "runtime/kernels/check.h"
#include "runtime/kernels/reduce/integers.h"
#include "runtime/kernels/reduce/reduce.h"
#include "runtime/kernels/reduce/walk.inl.h"

namespace octet {
namespace {

using blob::ReduceKind;

const blob::ReduceParams& Params(const LayerView& v) {
  return ParamsOf<blob::ReduceParams>(v);
}

bool CheckS8(const LayerView& view, const blob::ReduceParams& p, uint64_t reduced_count) {
  switch (p.kind) {
    case ReduceKind::kMax:
    case ReduceKind::kMin:
      return SameQuantization(InputOf(view, 0), OutputOf(view));
    case ReduceKind::kSum:
    case ReduceKind::kMean:
      return reduced_count <= blob::kMaxGroupS8 && IsMultiplier(p.multiplier, p.shift) &&
             p.pre_shift <= kMaxPreShift;
    default:
      return false;
  }
}

// Integers in or out: a sum or extremum of int32, or the place of an extremum along one axis.
bool HasIntegerTypes(const LayerView& view, const blob::ReduceParams& p) {
  const blob::ElementType in = InputOf(view, 0).type;
  if (view.layer->input_count != 1 || OutputOf(view).type != blob::ElementType::kInt32 ||
      view.layer->precision != blob::Precision::kFp16) {
    return false;
  }
  if (IsArg(p.kind)) {
    const uint32_t mask = p.view.reduced;
    return in != blob::ElementType::kInt8 && mask != 0 && (mask & (mask - 1)) == 0;
  }
  return in == blob::ElementType::kInt32 &&
         (p.kind == ReduceKind::kSum || p.kind == ReduceKind::kProd || p.kind == ReduceKind::kMax ||
          p.kind == ReduceKind::kMin);
}

}  // namespace

bool CheckReduceLayer(const LayerView& view) {
  const blob::ReduceParams& p = Params(view);
  if (view.layer->input_count != 1 || (uint8_t)p.kind >= blob::kReduceKindCount) return false;
  const bool integers = OutputOf(view).type == blob::ElementType::kInt32;
  if (integers ? !HasIntegerTypes(view, p) : (!HasTypes(view, 1) || IsArg(p.kind))) return false;
  if (!IsAxesView(p.view, ElementCount(InputOf(view, 0)))) return false;
  const AxesWalk walk = WalkOf(p.view, 0);
  if (walk.kept.count != ElementCount(OutputOf(view))) return false;
  return !IsInt8(view) || CheckS8(view, p, walk.reduced.count);
}

void RunReduceLayer(const LayerView& view, const RunContext& context) {
  const blob::ReduceParams& p = Params(view);
  const uint8_t* input = PlaceOf(context, InputOf(view, 0));
  uint8_t* output = PlaceOf(context, OutputOf(view));
  if (OutputOf(view).type == blob::ElementType::kInt32) {
    const bool is_int32 = InputOf(view, 0).type == blob::ElementType::kInt32;
    ReduceToIntegers(p, is_int32, input, reinterpret_cast<int32_t*>(output), context.share);
    return;
  }
  if (!IsInt8(view)) {
    const ReduceF16Args args = {&p, reinterpret_cast<const uint16_t*>(input),
                                reinterpret_cast<uint16_t*>(output)};
    return context.kernels->reduce_f16(args, context.share);
  }
  const ReduceS8Args args = {
      &p, input, output, InputOf(view, 0).zero_point, OutputOf(view).zero_point, context.sign};
  context.kernels->reduce_s8(args, context.share);
}

Isa ReduceLayerLevel(const LayerView& view, const KernelTable& kernels) {
  if (OutputOf(view).type == blob::ElementType::kInt32) return Isa::kReference;
  return IsInt8(view) ? kernels.reduce_s8_isa : kernels.reduce_f16_isa;
}

}  // namespace octet
