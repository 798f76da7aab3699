// Functions of the gates of a recurrent layer, for every level. Internal linkage.
#ifndef OCTET_KERNELS_RECURRENT_GATES_INL_H_
#define OCTET_KERNELS_RECURRENT_GATES_INL_H_

#include <string.h>

#include "runtime/kernels/function.h"
#include "runtime/kernels/half_function.inl.h"
#include "runtime/kernels/recurrent/recurrent.h"

namespace octet {
namespace {

template <uint32_t kLanes>
struct GateLanes {
  typedef float Floats __attribute__((vector_size(4 * kLanes)));
  typedef uint32_t Words __attribute__((vector_size(4 * kLanes)));
  static inline Floats FromBits(Words bits) { return (Floats)bits; }
  static inline Words ToBits(Floats x) { return (Words)x; }
  static inline Floats All(float x) { return x - (Floats){}; }
  static inline Floats AtLeast(Floats x, float lo) { return x < lo ? All(lo) : x; }
  static inline Floats AtMost(Floats x, float hi) { return x > hi ? All(hi) : x; }
};

// 16 channels of a gate.
struct alignas(64) Line {
  float at[kChannelBlock];
};

static inline float ApplyGateFunction(const blob::RecurrentFunction& f, float x) {
  typedef HalfFunction<GateLanes<4>> Half;
  switch (f.function) {
    case blob::kThresholdedRelu:
      return x > f.alpha ? x : 0.0f;
    case blob::kScaledTanh:
      return f.alpha * ApplyHalfFunction(blob::Function::kTanh, f.beta * x, 0.0f, 0.0f);
    case blob::kSoftsign: {
      const float size = FloatClamp(FloatAbs(x), 0.0f, 16777216.0f);
      const float y = size * Half::Reciprocal(GateLanes<4>::All(1.0f + size))[0];
      return x < 0.0f ? -y : y;
    }
    default:
      return ApplyHalfFunction((blob::Function)f.function, x, f.alpha, f.beta);
  }
}

template <uint32_t kLanes>
static inline void Activate(const blob::RecurrentFunction& f, float clip, Line* line) {
  typedef GateLanes<kLanes> Lanes;
  typedef HalfFunction<Lanes> Half;
  const bool cut = clip < BitsFloat(0x7F800000u);
  const auto each = [&](auto apply) {
    for (uint32_t i = 0; i < kChannelBlock; i += kLanes) {
      typename Lanes::Floats x;
      memcpy(&x, line->at + i, sizeof(x));
      if (cut) x = Half::Clamped(x, -clip, clip);
      x = apply(x);
      memcpy(line->at + i, &x, sizeof(x));
    }
  };
  if (f.function == (uint32_t)blob::Function::kSigmoid) {
    each([](typename Lanes::Floats x) { return Half::Sigmoid(x); });
  } else if (f.function == (uint32_t)blob::Function::kTanh) {
    each([](typename Lanes::Floats x) { return Half::Tanh(x); });
  } else {
    for (float& x : line->at) x = ApplyGateFunction(f, cut ? FloatClamp(x, -clip, clip) : x);
  }
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_RECURRENT_GATES_INL_H_
