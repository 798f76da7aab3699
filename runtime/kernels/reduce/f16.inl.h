// Every FP16 reduction: in float, in the order of walk.inl.h, one rounding. A Level as there.
// Internal linkage.
#include "runtime/core/float_math.h"
#include "runtime/kernels/reduce/reduce.h"
#include "runtime/kernels/reduce/walk.inl.h"

namespace octet {
namespace {

using blob::ReduceKind;

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

static inline float Same(float x, uint32_t) {
  return x;
}
static inline float Absolute(float x, uint32_t) {
  return FloatAbs(x);
}
static inline float Square(float x, uint32_t) {
  return x * x;
}

// log(sum exp(x - max)) + max, with max 0 where it is infinite: then the sum says it.
template <typename Level>
static inline void LogSumExp(const AxesWalk& walk, const AxesWalk::Unit& unit,
                             const uint16_t* input, float (&out)[kColumnLanes]) {
  float max[kColumnLanes];
  ReduceWith<Level, MaxLanes>(walk, unit, input, Same, max);
  for (uint32_t c = 0; c < unit.width; ++c) {
    max[c] = FloatAbs(max[c]) < FloatInfinity() ? max[c] : 0.0f;
  }
  ReduceWith<Level, SumLanes>(
      walk, unit, input, [&max](float x, uint32_t lane) { return FloatExp(x - max[lane]); }, out);
  for (uint32_t c = 0; c < unit.width; ++c) out[c] = FloatLog(out[c]) + max[c];
}

// A half as an integer of the same order, NaN at the far end: to find the largest (`flip` 0) or the
// smallest (0xFFFF) no float is needed.
constexpr uint16_t kNanKey = 0xFFFFu;
static inline uint16_t KeyOf(uint16_t half, uint16_t flip) {
  if ((half & 0x7FFFu) > 0x7C00u) return kNanKey;
  const uint16_t key = (half & 0x8000u) != 0 ? (uint16_t)~half : (uint16_t)(half | 0x8000u);
  return (uint16_t)(key ^ flip);
}
static inline uint16_t HalfOf(uint16_t key, uint16_t flip) {
  if (key == kNanKey) return 0x7E00u;
  key = (uint16_t)(key ^ flip);
  return (key & 0x8000u) != 0 ? (uint16_t)(key & 0x7FFFu) : (uint16_t)~key;
}

// best[c] = the larger of best[c] and the key of input[c].
template <uint32_t kWidth>
static inline void TakeLargest(const uint16_t* input, uint16_t flip, uint16_t* best) {
  for (uint32_t c = 0; c < kWidth; ++c) {
    const uint16_t key = KeyOf(input[c], flip);
    best[c] = key > best[c] ? key : best[c];
  }
}

static inline void ExtremumF16(const AxesWalk& walk, const AxesWalk::Unit& unit, bool max,
                               const uint16_t* input, uint16_t* output) {
  const uint16_t flip = max ? 0 : 0xFFFFu;
  uint16_t best[kColumnLanes] = {};
  ForEachRun(walk.reduced, unit.place,
             [&](const Place& place, uint64_t count, uint64_t step, uint64_t) {
               const uint16_t* from = input + place.offset;
               if (!walk.columns) {
                 uint64_t i = 0;
                 for (; i + 16 <= count; i += 16) TakeLargest<16>(from + i, flip, best);
                 for (; i < count; ++i) TakeLargest<1>(from + i, flip, best);
               } else if (unit.width == kColumnLanes) {
                 for (uint64_t i = 0; i < count; ++i, from += step) {
                   TakeLargest<kColumnLanes>(from, flip, best);
                 }
               } else {
                 for (uint64_t i = 0; i < count; ++i, from += step) {
                   for (uint32_t c = 0; c < unit.width; ++c) {
                     TakeLargest<1>(from + c, flip, best + c);
                   }
                 }
               }
             });
  for (uint32_t c = 1; c < 16 && !walk.columns; ++c) {
    if (best[c] > best[0]) best[0] = best[c];
  }
  for (uint32_t c = 0; c < unit.width; ++c) output[unit.first + c] = HalfOf(best[c], flip);
}

template <typename Level>
static inline void ReduceUnitF16(const AxesWalk& walk, const AxesWalk::Unit& unit, ReduceKind kind,
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
      LogSumExp<Level>(walk, unit, input, out);
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

// Sums of a row of the walk at most, which is the first of its part: every lane is 0 + x.
template <typename Level>
static inline void SumShortGroups(const AxesWalk& walk, Range units, bool mean,
                                  const uint16_t* input, uint16_t* output) {
  const uint32_t count = (uint32_t)walk.reduced.count;
  for (uint64_t u = units.begin; u < units.end; ++u) {
    float x[kRunLanes] = {};
    Level::Widen(input + u * count, count, x);
    for (uint32_t c = count; c < kRunLanes; ++c) x[c] = 0.0f;
    for (float& lane : x) lane = 0.0f + lane;
    for (uint32_t half = kRunLanes / 2; half > 0; half /= 2) {
      for (uint32_t i = 0; i < half; ++i) x[i] = x[i] + x[i + half];
    }
    output[u] = FloatToHalf(mean ? x[0] / (float)count : x[0]);
  }
}

template <typename Level>
static inline void RunReduceF16(const ReduceF16Args& args, Share share) {
  const AxesWalk walk = WalkOf(args.params->view, 0);
  const Range units = RangeOf(walk.unit_count, share);
  const ReduceKind kind = args.params->kind;
  if (walk.dense && walk.reduced.rank == 1 && walk.reduced.count <= kRunLanes &&
      (kind == ReduceKind::kSum || kind == ReduceKind::kMean)) {
    return SumShortGroups<Level>(walk, units, kind == ReduceKind::kMean, args.input, args.output);
  }
  for (uint64_t u = units.begin; u < units.end; ++u) {
    ReduceUnitF16<Level>(walk, walk.UnitAt(u), kind, args.input, args.output);
  }
}

}  // namespace
}  // namespace octet
