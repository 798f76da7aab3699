// FP16 depthwise convolution with AVX2, FMA and F16C.
#include "runtime/kernels/depthwise_conv/f16_x86.inl.h"

namespace octet {
namespace {

struct Vector256 {
  typedef __m256 Floats;
  static constexpr uint32_t kLanes = 8;
  static inline Floats Load(const float* from) { return _mm256_loadu_ps(from); }
  static inline void Store(float* to, Floats x) { _mm256_store_ps(to, x); }
  static inline Floats Widen(const uint16_t* from) { return LoadHalves(from, kLanes); }
  static inline Floats MultiplyAdd(Floats x, Floats y, Floats sum) {
    return _mm256_fmadd_ps(x, y, sum);
  }
  static inline Floats All(float x) { return _mm256_set1_ps(x); }
  // As in Clamp8().
  static inline Floats AtLeast(Floats lo, Floats x) { return _mm256_max_ps(lo, x); }
  static inline Floats AtMost(Floats hi, Floats x) { return _mm256_min_ps(hi, x); }
  static inline void Narrow(Floats x, uint16_t* to) { StoreHalves(to, x, kLanes); }
  static inline void Apply(blob::Function function, float alpha, float beta, float* values,
                           uint32_t count) {
    apply_function_avx2(function, alpha, beta, values, count);
  }
};

}  // namespace

void depthwise_conv_f16_avx2(const DepthwiseConvF16Args& args, Share share) {
  RunDepthwiseF16<Vector256>(args, share);
}

}  // namespace octet
