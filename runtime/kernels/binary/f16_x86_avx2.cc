// FP16 Add and Mul with AVX2 and F16C.
#include "runtime/kernels/binary/f16_x86.inl.h"
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
  static inline Floats Product(Floats x, Floats y) { return _mm256_mul_ps(x, y); }
  static inline Floats Apply(blob::Function function, Floats x, float alpha, float beta) {
    return Apply8(function, x, alpha, beta);
  }
};

}  // namespace

void add_f16_avx2(const BinaryF16Args& args, Share share) {
  RunBinary<Vector256, AddOp<Vector256>>(args, share);
}
void mul_f16_avx2(const BinaryF16Args& args, Share share) {
  RunBinary<Vector256, MulOp<Vector256>>(args, share);
}

}  // namespace octet
