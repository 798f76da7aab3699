// FP16 pooling with AVX2 and F16C.
#include "runtime/kernels/pool/f16_x86.inl.h"
#include "runtime/kernels/x86_float.inl.h"

namespace octet {
namespace {

struct Vector256 {
  typedef __m256 Floats;
  static constexpr uint32_t kWide = 8;
  static inline Floats Load(const uint16_t* from, uint64_t count) {
    return LoadHalves(from, count);
  }
  static inline void Store(uint16_t* to, Floats x, uint64_t count) { StoreHalves(to, x, count); }
  static inline Floats All(float x) { return _mm256_set1_ps(x); }
  static inline Floats Sum(Floats x, Floats y) { return _mm256_add_ps(x, y); }
  static inline Floats Quotient(Floats x, Floats y) { return _mm256_div_ps(x, y); }
  static inline Floats Larger(Floats x, Floats y) { return _mm256_max_ps(x, y); }
};

}  // namespace

void max_pool_f16_avx2(const PoolF16Args& args, Share share) {
  RunPool<Vector256, false>(args, share);
}
void average_pool_f16_avx2(const PoolF16Args& args, Share share) {
  RunPool<Vector256, true>(args, share);
}

}  // namespace octet
