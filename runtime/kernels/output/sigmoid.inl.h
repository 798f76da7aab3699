// ApplyFunction(kSigmoid) for OCTET_OUTPUT_LANES floats at once: the same bits. Vectors of GCC,
// which makes of them what the architecture has. Included by
// output/*.cc of one instruction set, which define OCTET_OUTPUT_LANES; internal linkage.
#include "runtime/core/float_math.h"
#include "runtime/kernels/function.h"
#include "runtime/kernels/output/output.h"

namespace octet {
namespace {

typedef float OutputFloats __attribute__((vector_size(4 * OCTET_OUTPUT_LANES)));
typedef int32_t OutputInts __attribute__((vector_size(4 * OCTET_OUTPUT_LANES)));

// Vectors side by side, so that none waits for its own last step.
constexpr int kOutputsInFlight = OCTET_OUTPUT_LANES < 16 ? 4 : 2;

// 1 / (1 + e^-|x|), or e^-|x| / (1 + e^-|x|) of x < 0, as FloatSigmoid() does in fewer steps.
//   FloatExp() below -104 would be half of the smallest subnormal at most, which its last product
//   rounds to 0 by itself; -120 keeps both factors normal, so that only the last product rounds.
//   Truncated, -0.5 and 0.5 are both 0, which is all that a zero's sign would change.
//   A NaN stays one all along.
__attribute__((always_inline)) static inline void Sigmoids(float* values) {
  OutputFloats e[kOutputsInFlight], r[kOutputsInFlight];
  OutputInts n[kOutputsInFlight];
  const auto each = [](const auto& step) {
#pragma GCC unroll 4
    for (int v = 0; v < kOutputsInFlight; ++v) step(v);
  };
  const auto input = [&](int v) {
    OutputFloats x;
    __builtin_memcpy(&x, values + v * OCTET_OUTPUT_LANES, sizeof(x));
    return x;
  };
  const OutputFloats zero = {}, lowest = zero - 120.0f;
  each([&](int v) {
    const OutputFloats x = (OutputFloats)((OutputInts)input(v) | (int32_t)0x80000000u);
    r[v] = lowest > x ? lowest : x;
  });
  each([&](int v) { n[v] = __builtin_convertvector(r[v] * 1.44269504f - 0.5f, OutputInts); });
  each([&](int v) {
    const OutputFloats whole = __builtin_convertvector(n[v], OutputFloats);
    r[v] = (r[v] - whole * kLn2High) - whole * kLn2Low;
    e[v] = zero + 1.0f / 5040.0f;
  });
  const auto term = [&](float coefficient) {
    each([&](int v) { e[v] = e[v] * r[v] + coefficient; });
  };
  term(1.0f / 720.0f);
  term(1.0f / 120.0f);
  term(1.0f / 24.0f);
  term(1.0f / 6.0f);
  term(0.5f);
  term(1.0f);
  term(1.0f);
  each([&](int v) {
    const OutputInts half = n[v] >> 1;
    e[v] = e[v] * (OutputFloats)((half + 127) << 23);
    e[v] = e[v] * (OutputFloats)((n[v] - half + 127) << 23);
  });
  each([&](int v) {
    const OutputFloats y = (input(v) < 0.0f ? e[v] : zero + 1.0f) / (1.0f + e[v]);
    __builtin_memcpy(values + v * OCTET_OUTPUT_LANES, &y, sizeof(y));
  });
}

// Sigmoid and identity, the usual ones, in vectors.
static inline void ApplyToOutputs(blob::Function function, float* values, size_t count) {
  if (function == blob::Function::kIdentity) return;
  if (function != blob::Function::kSigmoid) {
    for (size_t i = 0; i < count; ++i) {
      values[i] = ApplyFunction(function, values[i], 0.0f, 0.0f);
    }
    return;
  }
  static_assert(kOutputBlock % (kOutputsInFlight * OCTET_OUTPUT_LANES) == 0, "whole turns");
  for (size_t i = 0; i < count; i += kOutputsInFlight * OCTET_OUTPUT_LANES) Sigmoids(values + i);
}

}  // namespace
}  // namespace octet
