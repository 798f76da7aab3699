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

// The largest (`flip` 0) or the smallest (-1) of some lanes. A half is an integer of the same order
// where those below zero are turned round, so that no float is needed. NaN, the largest size, wins.
struct ExtremumLanes {
  int16_t flip;
  int16_t best[kColumnLanes];
  uint16_t size[kColumnLanes];  // of the largest

  explicit ExtremumLanes(bool max) : flip(max ? 0 : -1), size() {
    for (int16_t& b : best) b = INT16_MIN;
  }
  static int16_t Turn(int16_t half) { return (int16_t)(half ^ (half >> 15 & 0x7FFF)); }

  template <uint32_t kWidth>
  void Take(const uint16_t* input, uint32_t first) {
    for (uint32_t c = 0; c < kWidth; ++c) {
      const int16_t key = (int16_t)(Turn((int16_t)input[c]) ^ flip);
      const uint16_t abs = input[c] & 0x7FFFu;
      best[first + c] = key > best[first + c] ? key : best[first + c];
      size[first + c] = abs > size[first + c] ? abs : size[first + c];
    }
  }
  // Of lanes c and c + kHalf, below kHalf.
  template <uint32_t kHalf>
  void Join() {
    for (uint32_t c = 0; c < kHalf; ++c) {
      best[c] = best[c + kHalf] > best[c] ? best[c + kHalf] : best[c];
      size[c] = size[c + kHalf] > size[c] ? size[c + kHalf] : size[c];
    }
  }
  uint16_t Result(uint32_t c) const {
    return size[c] > 0x7C00u ? (uint16_t)0x7E00u : (uint16_t)Turn((int16_t)(best[c] ^ flip));
  }
};

static inline void ExtremumF16(const AxesWalk& walk, const AxesWalk::Unit& unit, bool max,
                               const uint16_t* input, uint16_t* output) {
  ExtremumLanes lanes(max);
  ForEachRun(walk.reduced, unit.place,
             [&](const Place& place, uint64_t count, uint64_t step, uint64_t) {
               const uint16_t* from = input + place.offset;
               if (!walk.columns) {
                 uint64_t i = 0;
                 for (; i + 16 <= count; i += 16) lanes.Take<16>(from + i, 0);
                 for (; i < count; ++i) lanes.Take<1>(from + i, 0);
               } else if (unit.width == kColumnLanes) {
                 for (uint64_t i = 0; i < count; ++i, from += step) {
                   lanes.Take<kColumnLanes>(from, 0);
                 }
               } else {
                 for (uint64_t i = 0; i < count; ++i, from += step) {
                   for (uint32_t c = 0; c < unit.width; ++c) lanes.Take<1>(from + c, c);
                 }
               }
             });
  if (!walk.columns) {
    lanes.Join<8>();
    lanes.Join<4>();
    lanes.Join<2>();
    lanes.Join<1>();
  }
  for (uint32_t c = 0; c < unit.width; ++c) output[unit.first + c] = lanes.Result(c);
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
