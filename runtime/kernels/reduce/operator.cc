// Reductions over any axes: the checks, and int8, which has sums in 32 bits and the integer rule;
// extrema copy a value.
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

void ReduceS8(const LayerView& view, const RunContext& context, const AxesWalk& walk,
              const AxesWalk::Unit& unit) {
  const blob::ReduceParams& p = Params(view);
  const uint8_t* input = PlaceOf(context, InputOf(view, 0));
  uint8_t* output = PlaceOf(context, OutputOf(view)) + unit.first;
  const int32_t zero_point = InputOf(view, 0).zero_point;
  const auto load = [&](uint64_t at) { return (int32_t)(int8_t)(input[at] ^ context.sign); };
  int32_t acc[kColumnLanes];
  if (p.kind == ReduceKind::kMax || p.kind == ReduceKind::kMin) {
    const bool max = p.kind == ReduceKind::kMax;
    for (int32_t& value : acc) value = max ? -128 : 127;
    ForEachElement(walk, unit, [&](uint64_t at, uint32_t c) {
      const int32_t q = load(at);
      if (max ? q > acc[c] : q < acc[c]) acc[c] = q;
    });
  } else {
    for (int32_t& value : acc) value = 0;
    ForEachElement(walk, unit, [&](uint64_t at, uint32_t c) { acc[c] += load(at) - zero_point; });
    for (uint32_t c = 0; c < unit.width; ++c) {
      const int32_t real = Requantize(PreShift(acc[c], p.pre_shift), p.multiplier, p.shift);
      acc[c] = ToInt8(real, OutputOf(view).zero_point, -128, 127);
    }
  }
  for (uint32_t c = 0; c < unit.width; ++c) {
    output[c] = (uint8_t)((uint8_t)(int8_t)acc[c] ^ context.sign);
  }
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
  const AxesWalk walk = WalkOf(p.view, 0);
  const Range units = RangeOf(walk.unit_count, context.share);
  for (uint64_t u = units.begin; u < units.end; ++u) ReduceS8(view, context, walk, walk.UnitAt(u));
}

Isa ReduceLayerLevel(const LayerView& view, const KernelTable& kernels) {
  return OutputOf(view).type == blob::ElementType::kFp16 ? kernels.reduce_f16_isa : Isa::kReference;
}

}  // namespace octet
