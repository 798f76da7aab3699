// FP16 pooling with AVX-512.
#include "runtime/kernels/pool/f16_x86.inl.h"
#include "runtime/kernels/x86_float512.inl.h"

namespace octet {
namespace {

struct Vector512 {
  typedef __m512 Floats;
  static constexpr uint32_t kWide = 16;
  static inline Floats Load(const uint16_t* from, uint64_t count) {
    return LoadHalves16(from, count);
  }
  static inline void Store(uint16_t* to, Floats x, uint64_t count) { StoreHalves16(to, x, count); }
  static inline Floats All(float x) { return _mm512_set1_ps(x); }
  static inline Floats Sum(Floats x, Floats y) { return _mm512_add_ps(x, y); }
  static inline Floats Quotient(Floats x, Floats y) { return _mm512_div_ps(x, y); }
  static inline Floats Larger(Floats x, Floats y) { return _mm512_max_ps(x, y); }
};

}  // namespace

void max_pool_f16_avx512vnni(const PoolF16Args& args, Share share) {
  RunPool<Vector512, false>(args, share);
}
void average_pool_f16_avx512vnni(const PoolF16Args& args, Share share) {
  RunPool<Vector512, true>(args, share);
}

}  // namespace octet
