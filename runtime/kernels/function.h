// blob::Function in float.
#ifndef OCTET_KERNELS_FUNCTION_H_
#define OCTET_KERNELS_FUNCTION_H_

#include "runtime/core/float_math.h"
#include "runtime/format/blob.h"

namespace octet {

// min(max(x, lo), hi); NaN stays NaN.
static inline float FloatClamp(float x, float lo, float hi) {
  const float low = x < lo ? lo : x;
  return low > hi ? hi : low;
}

// max(x, 0) + ln(1 + exp(-|x|)).
static inline float FloatSoftplus(float x) {
  return (x < 0.0f ? 0.0f : x) + FloatLog1pUnit(FloatExp(-FloatAbs(x)));
}

// x tanh(ln(1 + e^x)) = x e (e + 2) / (e (e + 2) + 2); divided by e^2 for positive x.
static inline float FloatMish(float x) {
  const float e = FloatExp(-FloatAbs(x));
  const float up = x < 0.0f ? e * (e + 2.0f) : 1.0f + 2.0f * e;
  return x * (up / (up + (x < 0.0f ? 2.0f : 2.0f * e * e)));
}

// x * s where s tends to 0 as x tends to -infinity: 0 there, not NaN.
static inline float FloatGate(float x, float s) {
  return s == 0.0f ? 0.0f : x * s;
}

// As precise as float_math.h: outputs, and tables of int8.
float ApplyFunction(blob::Function function, float x, float alpha, float beta);

// As FP16 layers apply it to a value that was not rounded to FP16 before, precise enough for the
// half that is made of it (half_function.inl.h). Out of line: inlined into every FP16 kernel it was
// a third of the runtime's code.
float ApplyHalfFunction(blob::Function function, float x, float alpha, float beta);
// blob::Function::kExp of it.
float HalfExp(float x);

// ApplyHalfFunction() on `count` values in place, a multiple of 8 (AVX-512: of 16): the same IEEE
// operations in the same order in every lane, so the same bits. For the functions that vector
// kernels do not compute in line; several vectors at a time hide the latency of one.
void apply_function_avx2(blob::Function function, float alpha, float beta, float* values,
                         uint32_t count);
void apply_function_avx512vnni(blob::Function function, float alpha, float beta, float* values,
                               uint32_t count);
void apply_function_neon(blob::Function function, float alpha, float beta, float* values,
                         uint32_t count);

}  // namespace octet

#endif  // OCTET_KERNELS_FUNCTION_H_
