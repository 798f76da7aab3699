// Add and Mul with AVX2, widened to 32 bits, packed with saturation.
#include <string.h>

#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/x86_requantize.inl.h"
// Intrinsics come first.
#include "runtime/kernels/binary/x86_add.inl.h"
#include "runtime/kernels/binary/x86_product.inl.h"

namespace octet {
namespace {

// (a - za) ma + (b - zb) mb + 2^(shift-1) with a, b as arena bytes q + 128: one VPMADDWD of the
// pair (a, b) and a constant.
struct AddOp {
  __m256i multipliers, constant;
  __m128i shift;
  explicit AddOp(const BinaryS8Args& args) {
    multipliers = _mm256_set1_epi32(
        (int32_t)(((uint32_t)args.multiplier_b << 16) | ((uint32_t)args.multiplier_a & 0xFFFFu)));
    constant = _mm256_set1_epi32((int32_t)(1u << (args.shift - 1)) -
                                 (args.zero_point_a + 128) * args.multiplier_a -
                                 (args.zero_point_b + 128) * args.multiplier_b);
    shift = _mm_cvtsi32_si128(args.shift);
  }
  inline __m256i Eight(__m128i pairs) const {
    const __m256i sum = _mm256_madd_epi16(_mm256_cvtepu8_epi16(pairs), multipliers);
    return _mm256_sra_epi32(_mm256_add_epi32(sum, constant), shift);
  }
  inline void Sixteen(__m128i a, __m128i b, __m256i* low, __m256i* high) const {
    *low = Eight(_mm_unpacklo_epi8(a, b));
    *high = Eight(_mm_unpackhi_epi8(a, b));
  }
};

// 32 elements at a time, for the usual shifts.
struct Add256 {
  typedef __m256i Vec;
  static constexpr uint32_t kBytes = 32;
  Vec multipliers, constant, lo, hi;
  __m128i shift;

  Add256(const BinaryS8Args& args, int32_t sum_constant) {
    multipliers = _mm256_set1_epi32(PairOfMultipliers(args));
    constant = _mm256_set1_epi32(sum_constant);
    lo = _mm256_set1_epi8((char)(args.clamp_lo + 128));
    hi = _mm256_set1_epi8((char)(args.clamp_hi + 128));
    shift = _mm_cvtsi32_si128(args.shift);
  }
  static inline Vec Load(const void* from) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
  }
  static inline void Store(void* to, Vec x) { _mm256_storeu_si256(static_cast<__m256i*>(to), x); }
  static inline Vec Set(uint8_t byte) { return _mm256_set1_epi8((char)byte); }
  inline Vec Sum(Vec pairs) const {
    return _mm256_sra_epi32(_mm256_add_epi32(_mm256_madd_epi16(pairs, multipliers), constant),
                            shift);
  }
  inline Vec Add(Vec a, Vec b) const {
    const Vec none = _mm256_setzero_si256();
    const Vec low = _mm256_unpacklo_epi8(a, b), high = _mm256_unpackhi_epi8(a, b);
    const Vec words0 = _mm256_packs_epi32(Sum(_mm256_unpacklo_epi8(low, none)),
                                          Sum(_mm256_unpackhi_epi8(low, none)));
    const Vec words1 = _mm256_packs_epi32(Sum(_mm256_unpacklo_epi8(high, none)),
                                          Sum(_mm256_unpackhi_epi8(high, none)));
    return _mm256_min_epu8(_mm256_max_epu8(_mm256_packus_epi16(words0, words1), lo), hi);
  }
};

struct MulOp : Product8 {
  explicit MulOp(const BinaryS8Args& args)
      : Product8(args.zero_point_a, args.zero_point_b, args.multiplier_a, args.shift,
                 args.pre_shift) {}
  inline void Sixteen(__m128i a, __m128i b, __m256i* low, __m256i* high) const {
    *low = Eight(a, b);
    *high = Eight(_mm_srli_si128(a, 8), _mm_srli_si128(b, 8));
  }
};

// `count` elements; b is a vector beside a, or one byte for all.
template <class Op>
static inline void RunElements(const Op& op, const Finish8& finish, const uint8_t* a,
                               const uint8_t* b, bool one_b, uint8_t* output, uint64_t count) {
  __m256i low, high;
  const __m128i same = _mm_set1_epi8((char)*b);
  uint64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a + i));
    const __m128i y = one_b ? same : _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + i));
    op.Sixteen(x, y, &low, &high);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(output + i), Finish16(low, high, finish));
  }
  const uint32_t rest = (uint32_t)(count - i);
  if (rest == 0) return;
  const __m128i x = LoadPartial16(a + i, rest);
  const __m128i y = one_b ? same : LoadPartial16(b + i, rest);
  op.Sixteen(x, y, &low, &high);
  StorePartial16(output + i, Finish16(low, high, finish), rest);
}

template <class Op>
static inline void RunBinary(const BinaryS8Args& args, Share share) {
  const Op op(args);
  const Finish8 finish = MakeFinish8(args.out_zero_point, args.clamp_lo, args.clamp_hi);
  if (args.broadcast == blob::Broadcast::kNone || args.broadcast == blob::Broadcast::kScalar) {
    const bool one = args.broadcast == blob::Broadcast::kScalar;
    const Range range = RangeOf((uint64_t)args.pixels * args.channels, share);
    if (range.begin == range.end) return;
    RunElements(op, finish, args.a + range.begin, one ? args.b : args.b + range.begin, one,
                args.output + range.begin, range.end - range.begin);
    return;
  }
  const bool one = args.broadcast == blob::Broadcast::kSpatial;
  const Range pixels = RangeOf(args.pixels, share);
  for (uint64_t p = pixels.begin; p < pixels.end; ++p) {
    const uint64_t first = p * args.channels;
    RunElements(op, finish, args.a + first, one ? args.b + p : args.b, one, args.output + first,
                args.channels);
  }
}

}  // namespace

void add_s8_avx2(const BinaryS8Args& args, Share share) {
  if (args.shift > kLargestAddShift) {
    RunBinary<AddOp>(args, share);
  } else {
    RunAdd<Add256>(args, share);
  }
}
void mul_s8_avx2(const BinaryS8Args& args, Share share) {
  RunBinary<MulOp>(args, share);
}

}  // namespace octet
