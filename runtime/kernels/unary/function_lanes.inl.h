// ApplyHalfFunction() for kLanes floats at once: the same IEEE operations in the same order in
// every lane, so the same bits. Vectors of GCC, so that one source serves AVX2, AVX-512 and NEON.
// Derivations and error bounds stand at the scalar functions. Included by function_x86_*.cc and
// function_arm_neon.cc only; internal linkage.
#if defined(__x86_64__)
#include "runtime/kernels/unary/function_groups.inl.h"
#else
#include "runtime/kernels/unary/function_vectors.inl.h"
#endif

namespace octet {
namespace {

// How functions that networks have most are applied.
#if defined(__x86_64__)
#define OCTET_MOST_USED(one, group)                                 \
  ForEachGroup(                                                     \
      values, count, [](const FloatsGroup& x) { return group(x); }, \
      [](Floats x) { return one(x); })
#else
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
#define OCTET_MOST_USED(one, group) ForEachVector(values, count, [](Floats x) { return one(x); })
#endif

// One: of rare functions half the code is worth more.
template <typename Body>
static inline void ForEachRare(float* values, uint32_t count, Body body) {
  for (uint32_t i = 0; i != count; i += kLanes) Store(values + i, body(Load(values + i)));
}

static inline void ApplyFunctionLanes(blob::Function function, float alpha, float beta,
                                      float* values, uint32_t count) {
  switch (function) {
    case blob::Function::kSigmoid:
      return OCTET_MOST_USED(Half::Sigmoid, HalfGroup::Sigmoid);
    case blob::Function::kSilu:
      return OCTET_MOST_USED(Half::Silu, HalfGroup::Silu);
    case blob::Function::kTanh:
      return OCTET_MOST_USED(Half::Tanh, HalfGroup::Tanh);
    case blob::Function::kExp:
      return OCTET_MOST_USED(Half::Exp, HalfGroup::Exp);
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
      return OCTET_MOST_USED(Half::Gelu, GeluOf);
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

#undef OCTET_MOST_USED

}  // namespace
}  // namespace octet
