// core/float_math.h and kernels/function.h for kLanes floats at once: the same IEEE operations in
// the same order in every lane, so the same bits. Vectors of GCC, so that one source serves AVX2
// and NEON. Derivations and error bounds stand at the scalar functions. Included by *_x86_avx2.cc
// and *_arm_neon.cc files only; internal linkage.
#include <string.h>

#include "runtime/kernels/function.h"

namespace octet {
namespace {

#if defined(__AVX2__)
constexpr uint32_t kLanes = 8;
#else
constexpr uint32_t kLanes = 4;
#endif
typedef float Floats __attribute__((vector_size(4 * kLanes)));
typedef int32_t Ints __attribute__((vector_size(4 * kLanes)));

static inline Floats All(float x) {
  return x - (Floats){};  // x - 0 is x, signed zeros included
}

static inline Floats Bits(Ints x) {
  return (Floats)x;
}

static inline Floats Abs(Floats x) {
  return Bits((Ints)x & 0x7FFFFFFF);
}

// 2^n for n in [-126, 127].
static inline Floats PowerOfTwo(Ints n) {
  return Bits((n + 127) << 23);
}

// FloatExp().
static inline Floats Exp(Floats x) {
  // Lanes whose result is chosen below go through the arithmetic as numbers an int can hold.
  const Floats zero = {};
  Floats in = x > 88.8f ? All(88.8f) : x;
  in = in < -104.0f ? All(-104.0f) : in;
  in = in == in ? in : zero;
  const Floats scaled = in * 1.44269504f;
  const Ints n = __builtin_convertvector(scaled + (scaled < 0.0f ? All(-0.5f) : All(0.5f)), Ints);
  const Floats whole = __builtin_convertvector(n, Floats);
  const Floats r = (in - whole * kLn2High) - whole * kLn2Low;
  Floats e = All(1.0f / 5040.0f);
  e = e * r + 1.0f / 720.0f;
  e = e * r + 1.0f / 120.0f;
  e = e * r + 1.0f / 24.0f;
  e = e * r + 1.0f / 6.0f;
  e = e * r + 0.5f;
  e = e * r + 1.0f;
  e = e * r + 1.0f;
  const Ints half = (n - (n >> 31)) >> 1;  // n / 2, towards zero
  e = e * PowerOfTwo(half) * PowerOfTwo(n - half);
  e = x > 88.8f ? All(FloatInfinity()) : e;
  e = x < -104.0f ? zero : e;
  return x == x ? e : x;
}

// FloatLog1pUnit().
static inline Floats Log1pUnit(Floats x) {
  const Floats s = x / (2.0f + x);
  const Floats s2 = s * s;
  Floats p = All(1.0f / 17.0f);
  p = p * s2 + 1.0f / 15.0f;
  p = p * s2 + 1.0f / 13.0f;
  p = p * s2 + 1.0f / 11.0f;
  p = p * s2 + 1.0f / 9.0f;
  p = p * s2 + 1.0f / 7.0f;
  p = p * s2 + 1.0f / 5.0f;
  p = p * s2 + 1.0f / 3.0f;
  return 2.0f * (s + s * s2 * p);
}

// FloatTanh(): both branches, then the choice.
static inline Floats Tanh(Floats x) {
  const Floats a = Abs(x);
  const Floats x2 = x * x;
  Floats p = All(-1.45583437e-3f);
  p = p * x2 + 3.59212803e-3f;
  p = p * x2 + -8.86323553e-3f;
  p = p * x2 + 2.18694885e-2f;
  p = p * x2 + -5.39682540e-2f;
  p = p * x2 + 1.33333333e-1f;
  p = p * x2 + -3.33333333e-1f;
  const Floats series = x + x * x2 * p;
  const Floats e = Exp(-2.0f * a);
  const Floats t = (1.0f - e) / (1.0f + e);
  return a >= 0.5f ? (x < 0.0f ? -t : t) : series;
}

// FloatErf().
static inline Floats Erf(Floats x) {
  const Floats a = Abs(x);
  const Floats t = 2.0f * a * a;
  const Floats gauss = Exp(-a * a);
  Floats sum = All(1.0f);
  for (int32_t n = 43; n >= 3; n -= 2) sum = 1.0f + t / (float)n * sum;
  Floats d = a;
  for (int32_t n = 20; n >= 1; --n) d = a + 0.5f * (float)n / d;
  Floats y = All(1.0f);
  y = a < 4.0f ? 1.0f - 0.564189584f * gauss / d : y;
  y = a < 2.0f ? 1.12837917f * a * gauss * sum : y;
  y = x < 0.0f ? -y : y;
  return x == x ? y : x;
}

static inline Floats Sigmoid(Floats x) {
  const Floats e = Exp(-Abs(x));
  return (x < 0.0f ? e : All(1.0f)) / (1.0f + e);
}

static inline Floats Gate(Floats x, Floats s) {
  return s == 0.0f ? (Floats){} : x * s;
}

static inline Floats Softplus(Floats x) {
  return (x < 0.0f ? (Floats){} : x) + Log1pUnit(Exp(-Abs(x)));
}

static inline Floats Mish(Floats x) {
  const Floats e = Exp(-Abs(x));
  const Floats up = x < 0.0f ? e * (e + 2.0f) : 1.0f + 2.0f * e;
  const Floats y = x * (up / (up + (x < 0.0f ? All(2.0f) : 2.0f * e * e)));
  return x == -FloatInfinity() ? (Floats){} : y;
}

template <typename Body>
static inline void ForEachVector(float* values, uint32_t count, Body body) {
  for (uint32_t i = 0; i < count; i += kLanes) {
    Floats x;
    memcpy(&x, values + i, sizeof(x));
    x = body(x);
    memcpy(values + i, &x, sizeof(x));
  }
}

static inline void ApplyFunctionLanes(blob::Function function, float alpha, float beta,
                                      float* values, uint32_t count) {
  switch (function) {
    case blob::Function::kSigmoid:
      return ForEachVector(values, count, [](Floats x) { return Sigmoid(x); });
    case blob::Function::kSilu:
      return ForEachVector(values, count, [](Floats x) { return Gate(x, Sigmoid(x)); });
    case blob::Function::kTanh:
      return ForEachVector(values, count, [](Floats x) { return Tanh(x); });
    case blob::Function::kExp:
      return ForEachVector(values, count, [](Floats x) { return Exp(x); });
    case blob::Function::kScale:
      return ForEachVector(values, count, [=](Floats x) { return alpha * x + beta; });
    case blob::Function::kReciprocal:
      return ForEachVector(values, count, [](Floats x) { return 1.0f / x; });
    case blob::Function::kElu:
      return ForEachVector(values, count,
                           [=](Floats x) { return x < 0.0f ? alpha * (Exp(x) - 1.0f) : x; });
    case blob::Function::kSoftplus:
      return ForEachVector(values, count, [](Floats x) { return Softplus(x); });
    case blob::Function::kMish:
      return ForEachVector(values, count, [](Floats x) { return Mish(x); });
    case blob::Function::kGelu:
      return ForEachVector(values, count,
                           [](Floats x) { return Gate(x, 0.5f + 0.5f * Erf(x * 0.707106781f)); });
    case blob::Function::kErf:
      return ForEachVector(values, count, [](Floats x) { return Erf(x); });
    case blob::Function::kAbs:
      return ForEachVector(values, count, [](Floats x) { return Abs(x); });
    case blob::Function::kNeg:
      return ForEachVector(values, count, [](Floats x) { return -x; });
    default:  // rare, or simple enough for the caller
      for (uint32_t i = 0; i < count; ++i) {
        values[i] = ApplyFunction(function, values[i], alpha, beta);
      }
  }
}

}  // namespace
}  // namespace octet
