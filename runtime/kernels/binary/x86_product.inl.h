// The rescaled product of two int8 tensors with AVX2, eight at a time: the one rule of Mul,
// wherever its operands come from. Internal linkage only; kernels/x86_requantize.inl.h comes first.
#ifndef OCTET_KERNELS_BINARY_X86_PRODUCT_INL_H_
#define OCTET_KERNELS_BINARY_X86_PRODUCT_INL_H_

namespace octet {
namespace {

// Operands are arena bytes q + 128.
struct Product8 {
  __m256i zero_a, zero_b;
  Channels8 factor;
  int32_t pre_shift;
  Product8(int32_t zero_point_a, int32_t zero_point_b, int32_t multiplier, int32_t shift,
           int32_t shift_before) {
    zero_a = _mm256_set1_epi32(zero_point_a + 128);
    zero_b = _mm256_set1_epi32(zero_point_b + 128);
    factor = MakeChannels8(_mm256_set1_epi32(multiplier), _mm256_set1_epi32(shift));
    pre_shift = shift_before;
  }
  // Of the low eight bytes.
  inline __m256i Eight(__m128i a, __m128i b) const {
    const __m256i x = _mm256_sub_epi32(_mm256_cvtepu8_epi32(a), zero_a);
    const __m256i y = _mm256_sub_epi32(_mm256_cvtepu8_epi32(b), zero_b);
    __m256i product = _mm256_mullo_epi32(x, y);
    if (pre_shift != 0) product = PreShift8(product, pre_shift);
    return Requantize8(product, factor);
  }
};

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_BINARY_X86_PRODUCT_INL_H_
