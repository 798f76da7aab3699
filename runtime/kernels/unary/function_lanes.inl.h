// ApplyHalfFunction() for kLanes floats at once: the same IEEE operations in the same order in
// every lane, so the same bits. Vectors of GCC, so that one source serves AVX2, AVX-512 and NEON.
// Derivations and error bounds stand at the scalar functions. Included by function_x86_*.cc and
// function_arm_neon.cc only; internal linkage.
#include <string.h>

#include "runtime/kernels/function.h"
#include "runtime/kernels/half_function.inl.h"
#if defined(__x86_64__)
#include "runtime/kernels/x86_immintrin.inl.h"
#else
#include "runtime/kernels/arm_neon_shim.inl.h"
#endif

namespace octet {
namespace {

#if defined(__AVX512F__)
constexpr uint32_t kLanes = 16;
#elif defined(__AVX2__)
constexpr uint32_t kLanes = 8;
#else
constexpr uint32_t kLanes = 4;
#endif
typedef float Floats __attribute__((vector_size(4 * kLanes)));
typedef uint32_t Words __attribute__((vector_size(4 * kLanes)));

// The second where it is NaN.
#if defined(__AVX512F__)
static inline Floats Larger(Floats x, Floats y) {
  return _mm512_max_ps(x, y);
}
static inline Floats Smaller(Floats x, Floats y) {
  return _mm512_min_ps(x, y);
}
#elif defined(__AVX2__)
static inline Floats Larger(Floats x, Floats y) {
  return _mm256_max_ps(x, y);
}
static inline Floats Smaller(Floats x, Floats y) {
  return _mm256_min_ps(x, y);
}
#else
static inline Floats Larger(Floats x, Floats y) {
  return vmaxq_f32(x, y);
}
static inline Floats Smaller(Floats x, Floats y) {
  return vminq_f32(x, y);
}
#endif

static inline Floats All(float x) {
  return x - (Floats){};  // x - 0 is x, signed zeros included
}

static inline Floats Abs(Floats x) {
  return (Floats)((Words)x & 0x7FFFFFFFu);
}

struct AllLanes {
  typedef octet::Floats Floats;
  typedef octet::Words Words;
  static inline Floats FromBits(Words bits) { return (Floats)bits; }
  static inline Words ToBits(Floats x) { return (Words)x; }
  static inline Floats AtLeast(Floats x, float lo) { return Larger(All(lo), x); }
  static inline Floats AtMost(Floats x, float hi) { return Smaller(All(hi), x); }
  static inline Floats All(float x) { return octet::All(x); }
};
typedef HalfFunction<AllLanes> Half;

static inline Floats Load(const float* from) {
  Floats x;
  memcpy(&x, from, sizeof(x));
  return x;
}

static inline void Store(float* to, Floats x) {
  memcpy(to, &x, sizeof(x));
}

// Two vectors a round, whose chains of operations a core that executes in order can mix.
template <typename Body>
static inline void ForEachVector(float* values, uint32_t count, Body body) {
  const float* end = values + count / (2 * kLanes) * (2 * kLanes);
  for (; values != end; values += 2 * kLanes) {
    const Floats x = body(Load(values)), y = body(Load(values + kLanes));
    Store(values, x);
    Store(values + kLanes, y);
  }
  if constexpr (kLanes > 4) {  // else 8 are two vectors
    if (count % (2 * kLanes) != 0) Store(values, body(Load(values)));
  }
}

// One: of rare functions half the code is worth more.
template <typename Body>
static inline void ForEachRare(float* values, uint32_t count, Body body) {
  for (uint32_t i = 0; i != count; i += kLanes) Store(values + i, body(Load(values + i)));
}

static inline void ApplyFunctionLanes(blob::Function function, float alpha, float beta,
                                      float* values, uint32_t count) {
  switch (function) {
    case blob::Function::kSigmoid:
      return ForEachVector(values, count, [](Floats x) { return Half::Sigmoid(x); });
    case blob::Function::kSilu:
      return ForEachVector(values, count, [](Floats x) { return Half::Silu(x); });
    case blob::Function::kTanh:
      return ForEachVector(values, count, [](Floats x) { return Half::Tanh(x); });
    case blob::Function::kExp:
      return ForEachVector(values, count, [](Floats x) { return Half::Exp(x); });
    case blob::Function::kScale:
      return ForEachRare(values, count, [=](Floats x) { return alpha * x + beta; });
    case blob::Function::kReciprocal:
      return ForEachRare(values, count, [](Floats x) { return 1.0f / x; });
    case blob::Function::kElu:
      return ForEachRare(values, count, [=](Floats x) { return Half::Elu(x, alpha); });
    case blob::Function::kSoftplus:
      return ForEachRare(values, count, [](Floats x) { return Half::Softplus(x); });
    case blob::Function::kMish:
      return ForEachRare(values, count, [](Floats x) { return Half::Mish(x); });
    case blob::Function::kGelu:
      return ForEachVector(values, count, [](Floats x) { return Half::Gelu(x); });
    case blob::Function::kErf:
      return ForEachRare(values, count, [](Floats x) { return Half::Erf(x); });
    case blob::Function::kAbs:
      return ForEachRare(values, count, [](Floats x) { return Abs(x); });
    case blob::Function::kNeg:
      return ForEachRare(values, count, [](Floats x) { return -x; });
    default:  // rare, or simple enough for the caller
      for (uint32_t i = 0; i < count; ++i) {
        values[i] = ApplyHalfFunction(function, values[i], alpha, beta);
      }
  }
}

}  // namespace
}  // namespace octet
