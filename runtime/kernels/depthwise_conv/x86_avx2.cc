// Depthwise convolution with VPMADDWD on the even and the odd rows of each group of 4: exact, as in
// conv/x86_avx2.cc.
#include "runtime/kernels/depthwise_conv/x86_vector256.inl.h"
// The vector class comes first.
#include "runtime/kernels/depthwise_conv/x86_depthwise_s8.inl.h"

namespace octet {
namespace {

struct VectorAvx2 : Vector256 {
  struct Weight {
    Vec even, odd;
  };
  static inline Weight MakeWeight(Vec w) {
    return Weight{_mm256_srai_epi16(_mm256_slli_epi16(w, 8), 8), _mm256_srai_epi16(w, 8)};
  }
  static inline void Dot(Vec& acc, Vec x, const Weight& w) {
    const Vec even = _mm256_and_si256(x, _mm256_set1_epi16(0x00FF));
    const Vec odd = _mm256_srli_epi16(x, 8);
    acc = _mm256_add_epi32(
        acc, _mm256_add_epi32(_mm256_madd_epi16(even, w.even), _mm256_madd_epi16(odd, w.odd)));
  }
};

}  // namespace

void depthwise_conv_s8_avx2(const DepthwiseConvS8Args& args, Share share) {
  RunDepthwise256<VectorAvx2>(args, share);
}

}  // namespace octet
