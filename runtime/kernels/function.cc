#include "runtime/kernels/function.h"

#include "runtime/kernels/half_function.inl.h"

namespace octet {
namespace {

struct OneLane {
  typedef float Floats;
  typedef uint32_t Words;
  static inline float FromBits(uint32_t bits) { return BitsFloat(bits); }
  static inline uint32_t ToBits(float x) { return FloatBits(x); }
  static inline float AtLeast(float x, float lo) { return lo > x ? lo : x; }
  static inline float AtMost(float x, float hi) { return hi < x ? hi : x; }
  static inline float All(float x) { return x; }
};

typedef HalfFunction<OneLane> Half;

}  // namespace

float ApplyFunction(blob::Function function, float x, float alpha, float beta) {
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
    case blob::Function::kTable16:
      break;  // kUnary reads its table itself
  }
  return x;  // no other value passes the validator
}

float HalfExp(float x) {
  return Half::Exp(x);
}

float ApplyHalfFunction(blob::Function function, float x, float alpha, float beta) {
  switch (function) {
    case blob::Function::kSigmoid:
      return Half::Sigmoid(x);
    case blob::Function::kSilu:
      return Half::Silu(x);
    case blob::Function::kTanh:
      return Half::Tanh(x);
    case blob::Function::kExp:
      return Half::Exp(x);
    case blob::Function::kElu:
      return Half::Elu(x, alpha);
    case blob::Function::kSoftplus:
      return Half::Softplus(x);
    case blob::Function::kMish:
      return Half::Mish(x);
    case blob::Function::kGelu:
      return Half::Gelu(x);
    case blob::Function::kErf:
      return Half::Erf(x);
    default:
      return ApplyFunction(function, x, alpha, beta);
  }
}

}  // namespace octet
