// The walk of every FP16 normalization; a Level as reduce/walk.inl.h has it. Internal linkage.
#include <string.h>

#include "runtime/core/float_math.h"
#include "runtime/kernels/normalize/normalize.h"
#include "runtime/kernels/reduce/walk.inl.h"

namespace octet {
namespace {

constexpr uint32_t kSide = kColumnLanes;  // elements taken side by side

struct Moments {
  float mean[kColumnLanes], inverse[kColumnLanes];
};

// Groups that are one dense run each, as LayerNormalization has them: eight lanes in a vector of
// GCC, which serves every instruction set. The arithmetic and its order are those of the walk.
typedef float Eight __attribute__((vector_size(4 * kRunLanes)));

static inline bool IsOneRun(const AxesWalk& walk) {
  return !walk.columns && walk.reduced.rank == 1;
}

// `count` elements (1 .. 8), zeros behind them.
template <typename Level>
static inline void LoadEight(const uint16_t* from, uint32_t count, Eight* x) {
  float values[kRunLanes] = {};
  Level::Widen(from, count, values);
  memcpy(x, values, sizeof(*x));
}

static inline void StoreEight(float* to, const Eight& x) {
#if defined(__AVX2__)
  // GCC 12 makes two stores of memcpy(), for which the load of both would wait.
  typedef float Anywhere __attribute__((vector_size(4 * kRunLanes), aligned(4), may_alias));
  *reinterpret_cast<Anywhere*>(to) = x;
#else
  memcpy(to, &x, sizeof(x));
#endif
}

// What the statistics add: distances from the means, their squares or their magnitudes. A mean of
// 0 leaves an element as it is.
struct Terms {
  const float* mean;  // by lane
  bool squares;
  uint32_t kept_bits;  // without the sign: magnitudes
  inline float operator()(float x, uint32_t lane) const {
    const float d = x - mean[lane];
    return BitsFloat(FloatBits(squares ? d * d : d) & kept_bits);
  }
};

// Their sum over a run, but for magnitudes; SumLanes has the order. Out of line, as SumsOf(): both
// passes need one copy.
template <typename Level>
[[gnu::noinline]] static float SumOfRun(const uint16_t* from, uint64_t count, float mean,
                                        bool squares) {
  constexpr uint32_t kRows = SumLanes<kRunLanes>::kRows;
  Eight part = {}, block = {}, total = {};
  uint32_t rows = 0, parts = 0;
  while (count != 0) {
    Eight x;
    if (count >= kRunLanes) {
      LoadEight<Level>(from, kRunLanes, &x);
      x -= mean;
      from += kRunLanes;
      count -= kRunLanes;
    } else {
      float values[kRunLanes] = {};
      Level::Widen(from, (uint32_t)count, values);
      for (uint32_t c = 0; c < kRunLanes; ++c) values[c] = c < count ? values[c] - mean : 0.0f;
      memcpy(&x, values, sizeof(x));
      count = 0;
    }
    if (squares) x *= x;
    part += x;
    if (++rows < kRows) continue;
    rows = 0;
    block += part;
    part = Eight{};
    if (++parts < kRows) continue;
    parts = 0;
    total += block;
    block = Eight{};
  }
  total += block + part;
  float values[kRunLanes];
  memcpy(values, &total, sizeof(values));
  for (uint32_t half = kRunLanes / 2; half > 0; half /= 2) {
    for (uint32_t i = 0; i < half; ++i) values[i] += values[i + half];
  }
  return values[0];
}

// `count` of a run's parameters (1 .. 8).
static inline void LoadParameters(const float* from, uint32_t count, Eight* x) {
  if (count == kRunLanes) {
    memcpy(x, from, sizeof(*x));
    return;
  }
  float values[kRunLanes] = {};
  memcpy(values, from, count * sizeof(float));
  memcpy(x, values, sizeof(*x));
}

// scale: a parameter for each element, or none.
template <typename Level>
static inline void ScaleRun(const uint16_t* from, uint64_t count, float mean, float inverse,
                            const float* scale, const float* bias, uint16_t* to) {
  for (uint64_t i = 0; i < count; i += kRunLanes) {
    const uint32_t width = count - i < kRunLanes ? (uint32_t)(count - i) : kRunLanes;
    Eight x;
    LoadEight<Level>(from + i, width, &x);
    x = (x - mean) * inverse;
    if (scale != nullptr) {
      Eight factor, offset;
      LoadParameters(scale + i, width, &factor);
      LoadParameters(bias + i, width, &offset);
      x = x * factor + offset;
    }
    float values[kRunLanes];
    StoreEight(values, x);
    Level::Narrow(values, width, to + i);
  }
}

template <typename Level>
[[gnu::noinline]] static void SumsOf(const AxesWalk& walk, const AxesWalk::Unit& unit,
                                     const uint16_t* input, const Terms& terms,
                                     float (&out)[kColumnLanes]) {
  ReduceWith<Level, SumLanes>(walk, unit, input, terms, out);
}

template <typename Level, bool kByEights>
static inline Moments MomentsOf(const blob::NormalizeParams& p, const AxesWalk& walk,
                                const AxesWalk::Unit& unit, const uint16_t* input) {
  using blob::NormalizeKind;
  Moments m = {};
  const float count = (float)walk.reduced.count;
  const bool centred =
      p.kind == NormalizeKind::kVariance || p.kind == NormalizeKind::kVarianceThenAdd;
  const bool magnitudes = p.kind == NormalizeKind::kL1;
  const auto sums = [&](Terms terms, float(&out)[kColumnLanes]) {
    if (kByEights && IsOneRun(walk) && !magnitudes) {
      out[0] = SumOfRun<Level>(input + unit.place.offset, walk.reduced.count, terms.mean[0],
                               terms.squares);
    } else {
      SumsOf<Level>(walk, unit, input, terms, out);
    }
  };
  if (centred) {
    sums(Terms{m.inverse, false, ~0u}, m.mean);  // distances from 0
    for (uint32_t c = 0; c < unit.width; ++c) m.mean[c] = m.mean[c] / count;
  }
  float total[kColumnLanes];
  sums(Terms{m.mean, !magnitudes, magnitudes ? 0x7FFFFFFFu : ~0u}, total);
  for (uint32_t c = 0; c < unit.width; ++c) {
    float deviation = total[c];
    switch (p.kind) {
      case blob::NormalizeKind::kVariance:
      case blob::NormalizeKind::kMeanSquare:
        deviation = FloatSqrt(deviation / count + p.epsilon);
        break;
      case blob::NormalizeKind::kVarianceThenAdd:
        deviation = FloatSqrt(deviation / count) + p.epsilon;
        break;
      case blob::NormalizeKind::kL2:
        deviation = FloatSqrt(deviation);
        break;
      case blob::NormalizeKind::kL1:
        break;
    }
    const bool is_norm = p.kind == blob::NormalizeKind::kL1 || p.kind == blob::NormalizeKind::kL2;
    m.inverse[c] = is_norm && deviation == 0.0f ? 0.0f : 1.0f / deviation;
  }
  return m;
}

// One value for all lanes, or one for each.
struct Lanes {
  float values[kSide];
  inline void Fill(float x) {
    for (float& value : values) value = x;
  }
};

// `count` neighbours (1 .. kSide), each with its own mean, inverse, scale and bias.
template <typename Level>
static inline void ScaleRow(const uint16_t* from, uint32_t count, const float* mean,
                            const float* inverse, const float* scale, const float* bias,
                            uint16_t* to) {
  float x[kSide] = {};
  Level::Widen(from, count, x);
  for (uint32_t c = 0; c < kSide; ++c) x[c] = (x[c] - mean[c]) * inverse[c];
  if (scale != nullptr) {
    for (uint32_t c = 0; c < count; ++c) x[c] = x[c] * scale[c] + bias[c];
  }
  Level::Narrow(x, count, to);
}

template <typename Level, bool kByEights>
static inline void NormalizeUnit(const NormalizeF16Args& args, const AxesWalk& walk,
                                 const AxesWalk::Unit& unit) {
  Moments m = MomentsOf<Level, kByEights>(*args.params, walk, unit, args.input);
  if (kByEights && IsOneRun(walk) && (args.scale == nullptr || walk.reduced.affine[0] == 1)) {
    const Place& place = unit.place;
    const float* scale = args.scale == nullptr ? nullptr : args.scale + place.affine;
    const float* bias = args.scale == nullptr ? nullptr : args.bias + place.affine;
    return ScaleRun<Level>(args.input + place.offset, walk.reduced.count, m.mean[0], m.inverse[0],
                           scale, bias, args.output + place.offset);
  }
  if (!walk.columns) {
    for (uint32_t c = 1; c < kSide; ++c) {
      m.mean[c] = m.mean[0];
      m.inverse[c] = m.inverse[0];
    }
  } else {
    for (uint32_t c = unit.width; c < kSide; ++c) m.mean[c] = m.inverse[c] = 0.0f;
  }
  const uint64_t across = walk.columns ? walk.kept.affine[walk.kept.rank - 1] : 0;
  Lanes scale = {}, bias = {};
  // Parameters from `at` on, where neighbours have one each; else the one at `at`.
  const auto parameters = [&](const float* from, uint64_t at, uint64_t step, Lanes* lanes) {
    if (from == nullptr || step != 0) return from == nullptr ? from : from + at;
    lanes->Fill(from[at]);
    return (const float*)lanes->values;
  };
  ForEachRun(walk.reduced, unit.place,
             [&](const Place& place, uint64_t count, uint64_t step, uint64_t affine_step) {
               const uint16_t* from = args.input + place.offset;
               uint16_t* to = args.output + place.offset;
               if (walk.columns) {
                 for (uint64_t i = 0; i < count; ++i) {
                   const uint64_t at = place.affine + i * affine_step;
                   ScaleRow<Level>(from + i * step, unit.width, m.mean, m.inverse,
                                   parameters(args.scale, at, across, &scale),
                                   parameters(args.bias, at, across, &bias), to + i * step);
                 }
                 return;
               }
               for (uint64_t i = 0; i < count; i += kSide) {
                 const uint32_t width = count - i < kSide ? (uint32_t)(count - i) : kSide;
                 const uint64_t at = place.affine + i * affine_step;
                 ScaleRow<Level>(from + i, width, m.mean, m.inverse,
                                 parameters(args.scale, at, affine_step, &scale),
                                 parameters(args.bias, at, affine_step, &bias), to + i);
               }
             });
}

// kByEights: dense runs by vectors; the reference has one way for all.
template <typename Level, bool kByEights>
static inline void RunNormalizeF16(const NormalizeF16Args& args, Share share) {
  const AxesWalk walk = WalkOf(args.params->view, args.params->affine);
  const Range units = RangeOf(walk.unit_count, share);
  for (uint64_t u = units.begin; u < units.end; ++u) {
    NormalizeUnit<Level, kByEights>(args, walk, walk.UnitAt(u));
  }
}

}  // namespace
}  // namespace octet
