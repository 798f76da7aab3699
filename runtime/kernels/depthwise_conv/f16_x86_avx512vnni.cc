// FP16 depthwise convolution with AVX-512: a block of 16 channels is one vector.
#include "runtime/kernels/depthwise_conv/f16_x86.inl.h"

namespace octet {
namespace {

struct Vector512 {
  typedef __m512 Floats;
  static constexpr uint32_t kLanes = 16;
  static inline Floats Load(const float* from) { return _mm512_loadu_ps(from); }
  static inline void Store(float* to, Floats x) { _mm512_store_ps(to, x); }
  static inline Floats Widen(const uint16_t* from) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  }
  static inline Floats MultiplyAdd(Floats x, Floats y, Floats sum) {
    return _mm512_fmadd_ps(x, y, sum);
  }
  static inline Floats All(float x) { return _mm512_set1_ps(x); }
  // As in Clamp8().
  static inline Floats AtLeast(Floats lo, Floats x) { return _mm512_max_ps(lo, x); }
  static inline Floats AtMost(Floats hi, Floats x) { return _mm512_min_ps(hi, x); }
  static inline void Narrow(Floats x, uint16_t* to) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
  }
  static inline void Apply(blob::Function function, float alpha, float beta, float* values,
                           uint32_t count) {
    apply_function_avx512vnni(function, alpha, beta, values, count);
  }
};

}  // namespace

void depthwise_conv_f16_avx512vnni(const DepthwiseConvF16Args& args, Share share) {
  RunDepthwiseF16<Vector512>(args, share);
}

}  // namespace octet
