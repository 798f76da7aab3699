// Vectors of kLanes floats, one type for AVX2, AVX-512 and NEON, and HalfFunction of them. Internal
// linkage.
#ifndef OCTET_KERNELS_UNARY_FUNCTION_VECTORS_INL_H_
#define OCTET_KERNELS_UNARY_FUNCTION_VECTORS_INL_H_

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

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_UNARY_FUNCTION_VECTORS_INL_H_
