// Reductions over any axes. FP16: in float, in the order of walk.inl.h, one rounding. int8: sums in
// 32 bits and the integer rule; extrema copy a value.
#include "runtime/core/float_math.h"
#include "runtime/kernels/check.h"
#include "runtime/kernels/reduce/integers.h"
#include "runtime/kernels/reduce/portable.inl.h"
#include "runtime/kernels/reduce/walk.inl.h"

namespace octet {
namespace {

using blob::ReduceKind;
using Level = PortableHalves;

const blob::ReduceParams& Params(const LayerView& v) {
  return ParamsOf<blob::ReduceParams>(v);
}

// Lanes without order: the larger, the smaller, the product. NaN wins over any number.
template <uint32_t kWidth, typename F>
struct FoldLanes {
  float value[kWidth];
  FoldLanes() {
    for (float& v : value) v = F::Neutral();
  }
  void Add(const float (&x)[kWidth]) {
    for (uint32_t i = 0; i < kWidth; ++i) value[i] = F::Fold(value[i], x[i]);
  }
  void Result(float (&out)[kWidth]) const {
    for (uint32_t i = 0; i < kWidth; ++i) out[i] = value[i];
  }
  static float Fold(float a, float b) { return F::Fold(a, b); }
  static float Neutral() { return F::Neutral(); }
};
struct Larger {
  static float Fold(float a, float b) { return a >= b || a != a ? a : b; }
  static float Neutral() { return -FloatInfinity(); }
};
struct Product {
  static float Fold(float a, float b) { return a * b; }
  static float Neutral() { return 1.0f; }
};
template <uint32_t kWidth>
using MaxLanes = FoldLanes<kWidth, Larger>;
template <uint32_t kWidth>
using ProductLanes = FoldLanes<kWidth, Product>;

float Same(float x, uint32_t) {
  return x;
}
float Absolute(float x, uint32_t) {
  return FloatAbs(x);
}
float Square(float x, uint32_t) {
  return x * x;
}

// log(sum exp(x - max)) + max, with max 0 where it is infinite: then the sum says it.
void LogSumExp(const AxesWalk& walk, const AxesWalk::Unit& unit, const uint16_t* input,
               float (&out)[kColumnLanes]) {
  float max[kColumnLanes];
  ReduceWith<Level, MaxLanes>(walk, unit, input, Same, max);
  for (uint32_t c = 0; c < unit.width; ++c) max[c] = IsFinite(max[c]) ? max[c] : 0.0f;
  ReduceWith<Level, SumLanes>(
      walk, unit, input, [&max](float x, uint32_t lane) { return FloatExp(x - max[lane]); }, out);
  for (uint32_t c = 0; c < unit.width; ++c) out[c] = FloatLog(out[c]) + max[c];
}

// A half as an integer of the same order, NaN at the far end: to find the largest (`flip` 0) or the
// smallest (0xFFFF) no float is needed.
constexpr uint16_t kNanKey = 0xFFFFu;
uint16_t KeyOf(uint16_t half, uint16_t flip) {
  if ((half & 0x7FFFu) > 0x7C00u) return kNanKey;
  const uint16_t key = (half & 0x8000u) != 0 ? (uint16_t)~half : (uint16_t)(half | 0x8000u);
  return (uint16_t)(key ^ flip);
}
uint16_t HalfOf(uint16_t key, uint16_t flip) {
  if (key == kNanKey) return 0x7E00u;
  key = (uint16_t)(key ^ flip);
  return (key & 0x8000u) != 0 ? (uint16_t)(key & 0x7FFFu) : (uint16_t)~key;
}

void ExtremumF16(const AxesWalk& walk, const AxesWalk::Unit& unit, bool max, const uint16_t* input,
                 uint16_t* output) {
  const uint16_t flip = max ? 0 : 0xFFFFu;
  uint16_t best[kColumnLanes] = {};
  ForEachElement(walk, unit, [&](uint64_t at, uint32_t c) {
    const uint16_t key = KeyOf(input[at], flip);
    if (key > best[c]) best[c] = key;
  });
  for (uint32_t c = 0; c < unit.width; ++c) output[unit.first + c] = HalfOf(best[c], flip);
}

void ReduceF16(const AxesWalk& walk, const AxesWalk::Unit& unit, ReduceKind kind,
               const uint16_t* input, uint16_t* output) {
  if (kind == ReduceKind::kMax || kind == ReduceKind::kMin) {
    return ExtremumF16(walk, unit, kind == ReduceKind::kMax, input, output);
  }
  float out[kColumnLanes];
  switch (kind) {
    case ReduceKind::kProd:
      ReduceWith<Level, ProductLanes>(walk, unit, input, Same, out);
      break;
    case ReduceKind::kL1:
      ReduceWith<Level, SumLanes>(walk, unit, input, Absolute, out);
      break;
    case ReduceKind::kL2:
    case ReduceKind::kSumSquare:
      ReduceWith<Level, SumLanes>(walk, unit, input, Square, out);
      break;
    case ReduceKind::kLogSumExp:
      LogSumExp(walk, unit, input, out);
      break;
    default:
      ReduceWith<Level, SumLanes>(walk, unit, input, Same, out);
  }
  const float count = (float)walk.reduced.count;
  for (uint32_t c = 0; c < unit.width; ++c) {
    float y = out[c];
    if (kind == ReduceKind::kMean) y = y / count;
    if (kind == ReduceKind::kL2) y = FloatSqrt(y);
    if (kind == ReduceKind::kLogSum) y = FloatLog(y);
    output[unit.first + c] = FloatToHalf(y);
  }
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

uint64_t ScratchReduceLayer(const LayerView&) {
  return 0;
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
  const AxesWalk walk = WalkOf(p.view, 0);
  const Range units = RangeOf(walk.unit_count, context.share);
  for (uint64_t u = units.begin; u < units.end; ++u) {
    const AxesWalk::Unit unit = walk.UnitAt(u);
    if (IsInt8(view)) {
      ReduceS8(view, context, walk, unit);
    } else {
      ReduceF16(walk, unit, p.kind, reinterpret_cast<const uint16_t*>(input),
                reinterpret_cast<uint16_t*>(output));
    }
  }
}

}  // namespace octet
