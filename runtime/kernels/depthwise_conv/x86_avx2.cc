// Depthwise convolution with VPMADDUBSW where it is exact, otherwise with VPMADDWD on the even and
// the odd rows of each group of 4.
//
// A pair of weights is exact when its positive weights add up to at most 128 and its negative ones
// to at least -128 (conv/x86_avx2.cc). Three rows of weights w0, w1, w2 leave the fourth place
// free: it takes the middle row once more, and w1 = a + b is divided so that both pairs (w0, a) and
// (w2, b) are exact. That fails only where the weights of one sign in a column add up to more than
// 256.
#include "runtime/kernels/depthwise_conv/x86_vector256.inl.h"
// The vector class comes first.
#include "runtime/kernels/depthwise_conv/x86_depthwise_s8.inl.h"
// Then what uses both.
#include "runtime/kernels/depthwise_conv/x86_depthwise_3x3.inl.h"
#include "runtime/kernels/depthwise_conv/x86_depthwise_5x5.inl.h"
// Then the ways that a layer can go.
#include "runtime/kernels/depthwise_conv/x86_depthwise_flat.inl.h"

namespace octet {
namespace {

struct VectorAvx2 : Vector256 {
  static constexpr bool kMiddleTwice = true;
  struct Weight {
    Vec bytes, even, odd;
    uint64_t exact;  // else `bytes` are not
  };

  // How much a weight of the sign of `towards` may still be added to the pair of w.
  static inline Vec Room(Vec w, Vec towards) {
    const Vec same = _mm256_max_epi32(_mm256_sign_epi32(w, towards), _mm256_setzero_si256());
    return _mm256_sub_epi32(_mm256_set1_epi32(128), same);
  }

  // (w0, w1, w2, 0) -> (w0, a, w2, b), |a| as large as w0 leaves room for; a and b have the sign of
  // w1. |b| <= 127 because |w1| <= 127 or, for w1 = -128, FitsPairs() looks at the byte as it is.
  static inline Vec DivideMiddle(Vec w) {
    const Vec w0 = _mm256_srai_epi32(_mm256_slli_epi32(w, 24), 24);
    const Vec w1 = _mm256_srai_epi32(_mm256_slli_epi32(w, 16), 24);
    const Vec most = _mm256_min_epi32(_mm256_abs_epi32(w1), Room(w0, w1));
    const Vec a = _mm256_sign_epi32(most, w1);
    const Vec b = _mm256_sub_epi32(w1, a);
    const Vec a_byte = _mm256_and_si256(_mm256_slli_epi32(a, 8), _mm256_set1_epi32(0x0000FF00));
    const Vec kept = _mm256_and_si256(w, _mm256_set1_epi32(0x00FF00FF));
    return _mm256_or_si256(_mm256_or_si256(kept, a_byte), _mm256_slli_epi32(b, 24));
  }

  static inline bool FitsPairs(Vec w) {
    const Vec zero = _mm256_setzero_si256(), ones = _mm256_set1_epi8(1);
    const Vec above = _mm256_maddubs_epi16(_mm256_max_epi8(w, zero), ones);
    const Vec below = _mm256_maddubs_epi16(ones, _mm256_min_epi8(w, zero));
    const Vec largest = _mm256_max_epi16(above, _mm256_sub_epi16(zero, below));
    const Vec wrong = _mm256_cmpgt_epi16(largest, _mm256_set1_epi16(128));
    return _mm256_testz_si256(wrong, wrong) != 0;
  }

  static inline Weight MakeWeight(Vec w, bool three_rows) {
    const Vec bytes = three_rows ? DivideMiddle(w) : w;
    const Vec even = _mm256_srai_epi16(_mm256_slli_epi16(w, 8), 8);
    return Weight{bytes, even, _mm256_srai_epi16(w, 8), FitsPairs(bytes) ? 1u : 0u};
  }

  static inline void Dot(Vec& acc, Vec x, const Weight& w, Vec ones) {
    if (__builtin_expect(w.exact != 0, 1)) return DotAs<true>(acc, x, w, ones);
    DotAs<false>(acc, x, w, ones);
  }

  static constexpr uint32_t kSideBySide = 4;
  static inline bool IsExact(const Weight& w) { return w.exact != 0; }
  // GCC 12 makes a constant that it knows anew for every product.
  static inline Vec Ones() {
    Vec ones = _mm256_set1_epi16(1);
    __asm__("" : "+x"(ones));
    return ones;
  }
  template <bool kExact>
  static inline void DotAs(Vec& acc, Vec x, const Weight& w, Vec ones) {
    if (kExact) {
      acc = _mm256_add_epi32(acc, _mm256_madd_epi16(_mm256_maddubs_epi16(x, w.bytes), ones));
      return;
    }
    const Vec even = _mm256_and_si256(x, _mm256_set1_epi16(0x00FF));
    const Vec odd = _mm256_srli_epi16(x, 8);
    acc = _mm256_add_epi32(
        acc, _mm256_add_epi32(_mm256_madd_epi16(even, w.even), _mm256_madd_epi16(odd, w.odd)));
  }

  // Registers 2i and 2i + 1 are requantized together: their even channels, then their odd ones.
  static inline void Arrange(Channels (&c)[4]) {
    for (uint32_t i = 0; i < 4; i += 2) {
      const Channels a = c[i], b = c[i + 1];
      c[i].rounding = LowerHalves(a.rounding, b.rounding);
      c[i].shift = LowerHalves(a.shift, b.shift);
      c[i + 1].rounding = UpperHalves(a.rounding, b.rounding);
      c[i + 1].shift = UpperHalves(a.shift, b.shift);
    }
  }
  // Words, by 128 bits: the even channels of both, their odd ones.
  template <bool kInMemory>
  static inline Vec FinishTwo(const Vec& a, const Vec& b, const Channels& of_a,
                              const Channels& of_b) {
    const auto odd_of = [](const Vec& x) {
      if constexpr (kInMemory) return LoadOdd8(x);
      return _mm256_shuffle_epi32(x, 0xF5);
    };
    const Vec even =
        UpperHalves(_mm256_mul_epi32(a, of_a.multiplier), _mm256_mul_epi32(b, of_b.multiplier));
    const Vec odd = UpperHalves(_mm256_mul_epi32(odd_of(a), of_a.multiplier_odd),
                                _mm256_mul_epi32(odd_of(b), of_b.multiplier_odd));
    return _mm256_packs_epi32(_mm256_srav_epi32(_mm256_add_epi32(even, of_a.rounding), of_a.shift),
                              _mm256_srav_epi32(_mm256_add_epi32(odd, of_b.rounding), of_b.shift));
  }
  // Packing within 128-bit lanes restores the order of the channels, but for even and odd ones.
  static inline Vec Bytes(Vec low, Vec high) {
    const __m128i order = _mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
    return _mm256_shuffle_epi8(_mm256_packus_epi16(low, high), _mm256_broadcastsi128_si256(order));
  }
};

}  // namespace

void depthwise_conv_s8_avx2(const DepthwiseConvS8Args& args, Share share) {
  RunDepthwise256<VectorAvx2>(args, share);
}

}  // namespace octet
