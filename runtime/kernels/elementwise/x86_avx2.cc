// Elementwise sums, products and PRelu of int8 with AVX2, on arena bytes q + 128 as all x86 levels
// keep them. What reads tables alone, and quotients, are left to the portable kernel.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/x86_requantize.inl.h"
// The requantization comes first.
#include "runtime/kernels/binary/x86_product.inl.h"

namespace octet {
namespace {

// value = (a ma + b mb + C) >> s with C = 2^(s-1) - za ma - zb mb, in 32 bits: with every factor
// cut into m = high * 2^15 + low, and C likewise, it is
//
//   (a ha + b hb + Ch + ((a la + b lb + Cl) >> 15)) >> (s - 15)
//
// because the bits that the inner floor drops lie below all others, for shifts of 15 or more. Bytes
// of 8 bits and parts of 16 give pairs below 2 * 255 * 2^15 < 2^24; |C| < 2^44 + 2^39, so Ch <
// 2^30.
constexpr int32_t kCut = 15;
static_assert(kMaxSumShift - kCut < 31, "one shift");

struct SumOp {
  __m256i high, low, constant_high, constant_low;
  __m128i shift;

  static inline __m256i Pair(int32_t a, int32_t b) {
    return _mm256_set1_epi32((int32_t)((uint32_t)b << 16 | ((uint32_t)a & 0xFFFFu)));
  }
  explicit SumOp(const ElementwiseArgs& args) {
    const blob::ElementwiseParams& p = *args.params;
    constexpr int32_t kLowMask = (1 << kCut) - 1;
    high = Pair(p.multiplier_a >> kCut, p.multiplier_b >> kCut);
    low = Pair(p.multiplier_a & kLowMask, p.multiplier_b & kLowMask);
    // Bytes are 128 above q.
    const int64_t constant = ((int64_t)1 << (p.shift - 1)) -
                             (int64_t)(args.zero_point_a + 128) * p.multiplier_a -
                             (int64_t)(args.zero_point_b + 128) * p.multiplier_b;
    constant_high = _mm256_set1_epi32((int32_t)(constant >> kCut));
    constant_low = _mm256_set1_epi32((int32_t)(constant & kLowMask));
    shift = _mm_cvtsi32_si128(p.shift - kCut);
  }
  inline __m256i Eight(__m128i pairs) const {
    const __m256i x = _mm256_cvtepu8_epi16(pairs);
    const __m256i rest =
        _mm256_srai_epi32(_mm256_add_epi32(_mm256_madd_epi16(x, low), constant_low), kCut);
    const __m256i whole = _mm256_add_epi32(_mm256_madd_epi16(x, high), constant_high);
    return _mm256_sra_epi32(_mm256_add_epi32(whole, rest), shift);
  }
  inline __m128i Sixteen(const Finish8& finish, __m128i a, __m128i b) const {
    return Finish16(Eight(_mm_unpacklo_epi8(a, b)), Eight(_mm_unpackhi_epi8(a, b)), finish);
  }
};

struct ProductOp : Product8 {
  explicit ProductOp(const ElementwiseArgs& args)
      : Product8(args.zero_point_a, args.zero_point_b, args.params->multiplier_a,
                 args.params->shift, args.params->pre_shift) {}
  inline __m128i Sixteen(const Finish8& finish, __m128i a, __m128i b) const {
    return Finish16(Eight(a, b), Eight(_mm_srli_si128(a, 8), _mm_srli_si128(b, 8)), finish);
  }
};

// compute(a, b) for 16 bytes at a time.
template <typename Compute>
static inline void ForEach16(const ElementwiseArgs& args, const Compute& compute) {
  const uint8_t *a = args.operand[0], *b = args.operand[1];
  const bool one_a = args.step[0] == 0, one_b = args.step[1] == 0;
  const __m128i same_a = _mm_set1_epi8((char)*a), same_b = _mm_set1_epi8((char)*b);
  for (uint64_t i = 0; i < args.count; i += 16) {
    const uint32_t count = args.count - i < 16 ? (uint32_t)(args.count - i) : 16;
    const __m128i x = one_a ? same_a : LoadPartial16(a + i, count);
    const __m128i y = one_b ? same_b : LoadPartial16(b + i, count);
    StorePartial16(args.output + i, compute(x, y), count);
  }
}

// From the zero point on the table, clamped like the rest; below it the product.
static inline void RunSlope(const ElementwiseArgs& args, const Finish8& finish) {
  const ProductOp op(args);
  const __m128i zero = _mm_set1_epi8((char)(args.zero_point_a + 128));
  const __m128i lo = _mm256_castsi256_si128(finish.lo), hi = _mm256_castsi256_si128(finish.hi);
  ForEach16(args, [&](__m128i x, __m128i y) {
    const __m128i from_zero = _mm_cmpeq_epi8(_mm_max_epu8(x, zero), x);
    const __m128i product = op.Sixteen(finish, x, y);
    if (_mm_movemask_epi8(from_zero) == 0) return product;
    alignas(16) uint8_t bytes[16];
    _mm_store_si128(reinterpret_cast<__m128i*>(bytes), x);
    ApplyTable(bytes, 16, args.table);
    __m128i mapped = _mm_load_si128(reinterpret_cast<const __m128i*>(bytes));
    mapped = _mm_min_epu8(_mm_max_epu8(mapped, lo), hi);
    return _mm_blendv_epi8(product, mapped, from_zero);
  });
}

}  // namespace

void elementwise_s8_avx2(const ElementwiseArgs& args, Share share) {
  const blob::ElementwiseParams& p = *args.params;
  const Finish8 finish = MakeFinish8(args.out_zero_point, p.clamp_lo, p.clamp_hi);
  if (p.function == blob::Elementwise::kAdd && p.shift >= kCut) {
    const SumOp op(args);
    ForEach16(args, [&](__m128i x, __m128i y) { return op.Sixteen(finish, x, y); });
  } else if (p.function == blob::Elementwise::kMul) {
    const ProductOp op(args);
    ForEach16(args, [&](__m128i x, __m128i y) { return op.Sixteen(finish, x, y); });
  } else if (p.function == blob::Elementwise::kPRelu) {
    RunSlope(args, finish);
  } else {
    elementwise_s8_reference(args, share);
  }
}

}  // namespace octet
