// Add with VPDPWSSD, which takes the constant along.
#include "runtime/kernels/x86_immintrin.inl.h"
// Intrinsics come first.
#include "runtime/kernels/binary/x86_add.inl.h"

namespace octet {
namespace {

struct Add512 {
  typedef __m512i Vec;
  static constexpr uint32_t kBytes = 64;
  Vec multipliers, constant, lo, hi;
  __m128i shift;

  Add512(const BinaryS8Args& args, int32_t sum_constant) {
    multipliers = _mm512_set1_epi32(PairOfMultipliers(args));
    constant = _mm512_set1_epi32(sum_constant);
    lo = _mm512_set1_epi8((char)(args.clamp_lo + 128));
    hi = _mm512_set1_epi8((char)(args.clamp_hi + 128));
    shift = _mm_cvtsi32_si128(args.shift);
  }
  static inline Vec Load(const void* from) { return _mm512_loadu_si512(from); }
  static inline void Store(void* to, Vec x) { _mm512_storeu_si512(to, x); }
  static inline Vec Set(uint8_t byte) { return _mm512_set1_epi8((char)byte); }
  inline Vec Sum(Vec pairs) const {
    return _mm512_sra_epi32(_mm512_dpwssd_epi32(constant, pairs, multipliers), shift);
  }
  inline Vec Add(Vec a, Vec b) const {
    const Vec none = _mm512_setzero_si512();
    const Vec low = _mm512_unpacklo_epi8(a, b), high = _mm512_unpackhi_epi8(a, b);
    const Vec words0 = _mm512_packs_epi32(Sum(_mm512_unpacklo_epi8(low, none)),
                                          Sum(_mm512_unpackhi_epi8(low, none)));
    const Vec words1 = _mm512_packs_epi32(Sum(_mm512_unpacklo_epi8(high, none)),
                                          Sum(_mm512_unpackhi_epi8(high, none)));
    return _mm512_min_epu8(_mm512_max_epu8(_mm512_packus_epi16(words0, words1), lo), hi);
  }
};

}  // namespace

void add_s8_avx512vnni(const BinaryS8Args& args, Share share) {
  if (args.shift > kLargestAddShift) {
    add_s8_avx2(args, share);
    return;
  }
  RunAdd<Add512>(args, share);
}

}  // namespace octet
