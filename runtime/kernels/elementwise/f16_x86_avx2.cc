// Elementwise functions of halves with AVX2 and F16C.
#include "runtime/kernels/x86_float.inl.h"
// Intrinsics come first.
#include "runtime/kernels/elementwise/halves.inl.h"

namespace octet {
namespace {

struct Level {
  typedef __m256 Vector;
  typedef __m256 Mask;  // all bits of a lane, or none

  static inline Vector Load(const uint16_t* from) { return LoadHalves(from, kVector); }
  static inline void Store(uint16_t* to, Vector x) { StoreHalves(to, x, kVector); }
  static inline void StoreTest(int32_t* to, Mask mask) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_srli_epi32(_mm256_castps_si256(mask), 31));
  }
  static inline Vector All(float x) { return _mm256_set1_ps(x); }
  static inline Vector Add(Vector x, Vector y) { return _mm256_add_ps(x, y); }
  static inline Vector Sub(Vector x, Vector y) { return _mm256_sub_ps(x, y); }
  static inline Vector Mul(Vector x, Vector y) { return _mm256_mul_ps(x, y); }
  static inline Vector Div(Vector x, Vector y) { return _mm256_div_ps(x, y); }
  static inline Mask Less(Vector x, Vector y) { return _mm256_cmp_ps(x, y, _CMP_LT_OQ); }
  static inline Mask LessOrEqual(Vector x, Vector y) { return _mm256_cmp_ps(x, y, _CMP_LE_OQ); }
  static inline Mask Equal(Vector x, Vector y) { return _mm256_cmp_ps(x, y, _CMP_EQ_OQ); }
  static inline Vector Select(Mask mask, Vector x, Vector y) {
    return _mm256_blendv_ps(y, x, mask);
  }
  static inline Vector Apply(blob::Function function, Vector x, float alpha, float beta) {
    return Apply8(function, x, alpha, beta);
  }
};

}  // namespace

void elementwise_f16_avx2(const ElementwiseArgs& args, Share share) {
  RunElementwiseHalves<Level>(args, share);
}

}  // namespace octet
