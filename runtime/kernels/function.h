// blob::Function in float, as FP16 layers apply it to a value that was not rounded to FP16 before.
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

// The exponential never gets a positive argument, so that it cannot overflow.
static inline float FloatSigmoid(float x) {
  const float e = FloatExp(-FloatAbs(x));
  return (x < 0.0f ? e : 1.0f) / (1.0f + e);
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

static inline float ApplyFunction(blob::Function function, float x, float alpha, float beta) {
  switch (function) {
    case blob::Function::kIdentity:
      return x;
    case blob::Function::kClamp:
      return FloatClamp(x, alpha, beta);
    case blob::Function::kLeakyRelu:
      return x < 0.0f ? alpha * x : x;
    case blob::Function::kSigmoid:
      return FloatSigmoid(x);
    case blob::Function::kSilu:
      return FloatGate(x, FloatSigmoid(x));
    case blob::Function::kHardSigmoid:
      return FloatClamp(alpha * x + beta, 0.0f, 1.0f);
    case blob::Function::kHardSwish:
      return FloatGate(x, FloatClamp(x * (1.0f / 6.0f) + 0.5f, 0.0f, 1.0f));
    case blob::Function::kTanh:
      return FloatTanh(x);
    case blob::Function::kExp:
      return FloatExp(x);
    case blob::Function::kScale:
      return alpha * x + beta;
    case blob::Function::kReciprocal:
      return 1.0f / x;
    case blob::Function::kSqrt:
      return FloatSqrt(x);
    case blob::Function::kLog:
      return FloatLog(x);
    case blob::Function::kElu:
      return x < 0.0f ? alpha * (FloatExp(x) - 1.0f) : x;
    case blob::Function::kSoftplus:
      return FloatSoftplus(x);
    case blob::Function::kMish:
      return x == -FloatInfinity() ? 0.0f : FloatMish(x);
    case blob::Function::kGelu:
      return FloatGate(x, 0.5f + 0.5f * FloatErf(x * 0.707106781f));
    case blob::Function::kAbs:
      return FloatAbs(x);
    case blob::Function::kNeg:
      return -x;
    case blob::Function::kPower:
      return FloatPow(x, alpha);
    case blob::Function::kErf:
      return FloatErf(x);
    case blob::Function::kFloor:
      return FloatFloor(x);
    case blob::Function::kCeil:
      return FloatCeil(x);
  }
  return x;  // no other value passes the validator
}

}  // namespace octet

#endif  // OCTET_KERNELS_FUNCTION_H_
