// ApplyFunction(kSigmoid) for kOutputLanes floats at once: the same operations in the same order,
// so the same bits. Vectors of GCC, which makes of them what the architecture has. Included by
// output/*.cc of one instruction set, which define OCTET_OUTPUT_LANES; internal linkage.
#include "runtime/core/float_math.h"
#include "runtime/kernels/function.h"
#include "runtime/kernels/output/output.h"

namespace octet {
namespace {

typedef float OutputFloats __attribute__((vector_size(4 * OCTET_OUTPUT_LANES)));
typedef int32_t OutputInts __attribute__((vector_size(4 * OCTET_OUTPUT_LANES)));

// FloatExp() of x <= 0.
static inline OutputFloats ExpBelow0(OutputFloats x) {
  const OutputFloats zero = {};
  OutputFloats in = x < -104.0f ? zero - 104.0f : x;
  in = in == in ? in : zero;
  const OutputInts n = __builtin_convertvector(
      in * 1.44269504f + (in < 0.0f ? zero - 0.5f : zero + 0.5f), OutputInts);
  const OutputFloats whole = __builtin_convertvector(n, OutputFloats);
  const OutputFloats r = (in - whole * kLn2High) - whole * kLn2Low;
  OutputFloats e = zero + 1.0f / 5040.0f;
  e = e * r + 1.0f / 720.0f;
  e = e * r + 1.0f / 120.0f;
  e = e * r + 1.0f / 24.0f;
  e = e * r + 1.0f / 6.0f;
  e = e * r + 0.5f;
  e = e * r + 1.0f;
  e = e * r + 1.0f;
  const OutputInts half = (n - (n >> 31)) >> 1;  // n / 2, towards zero
  e = e * (OutputFloats)((half + 127) << 23) * (OutputFloats)((n - half + 127) << 23);
  e = x < -104.0f ? zero : e;
  return x == x ? e : x;
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
  for (size_t i = 0; i < count; i += OCTET_OUTPUT_LANES) {
    OutputFloats x;
    __builtin_memcpy(&x, values + i, sizeof(x));
    const OutputFloats e = ExpBelow0((OutputFloats)((OutputInts)x | (int32_t)0x80000000u));
    const OutputFloats y = (x < 0.0f ? e : (OutputFloats){} + 1.0f) / (1.0f + e);
    __builtin_memcpy(values + i, &y, sizeof(y));
  }
}

}  // namespace
}  // namespace octet
