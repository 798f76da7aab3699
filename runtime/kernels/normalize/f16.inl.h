// The walk of every FP16 normalization; a Level as reduce/walk.inl.h has it. Internal linkage.
#include "runtime/core/float_math.h"
#include "runtime/kernels/normalize/normalize.h"
#include "runtime/kernels/reduce/walk.inl.h"

namespace octet {
namespace {

constexpr uint32_t kSide = kColumnLanes;  // elements taken side by side

struct Moments {
  float mean[kColumnLanes], inverse[kColumnLanes];
};

template <typename Level>
static inline Moments MomentsOf(const blob::NormalizeParams& p, const AxesWalk& walk,
                                const AxesWalk::Unit& unit, const uint16_t* input) {
  Moments m;
  const float count = (float)walk.reduced.count;
  const bool centred =
      p.kind == blob::NormalizeKind::kVariance || p.kind == blob::NormalizeKind::kVarianceThenAdd;
  for (uint32_t c = 0; c < unit.width; ++c) m.mean[c] = 0.0f;
  if (centred) {
    ReduceWith<Level, SumLanes>(
        walk, unit, input, [](float x, uint32_t) { return x; }, m.mean);
    for (uint32_t c = 0; c < unit.width; ++c) m.mean[c] = m.mean[c] / count;
  }
  if (p.kind == blob::NormalizeKind::kL1) {
    ReduceWith<Level, SumLanes>(
        walk, unit, input, [](float x, uint32_t) { return FloatAbs(x); }, m.inverse);
  } else {
    ReduceWith<Level, SumLanes>(
        walk, unit, input,
        [&m](float x, uint32_t lane) {
          const float d = x - m.mean[lane];
          return d * d;
        },
        m.inverse);
  }
  for (uint32_t c = 0; c < unit.width; ++c) {
    float deviation = m.inverse[c];
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

template <typename Level>
static inline void NormalizeUnit(const NormalizeF16Args& args, const AxesWalk& walk,
                                 const AxesWalk::Unit& unit) {
  Moments m = MomentsOf<Level>(*args.params, walk, unit, args.input);
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

template <typename Level>
static inline void RunNormalizeF16(const NormalizeF16Args& args, Share share) {
  const AxesWalk walk = WalkOf(args.params->view, args.params->affine);
  const Range units = RangeOf(walk.unit_count, share);
  for (uint64_t u = units.begin; u < units.end; ++u) {
    NormalizeUnit<Level>(args, walk, walk.UnitAt(u));
  }
}

}  // namespace
}  // namespace octet
