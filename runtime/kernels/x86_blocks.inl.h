// What a convolution's blocks of 16 outputs need around their dot products, computed once for many
// pixels, and how their sums are requantized where one fused multiplication is exact. Included by
// x86_*.cc files inside no namespace; internal linkage only.
#ifndef OCTET_KERNELS_X86_BLOCKS_INL_H_
#define OCTET_KERNELS_X86_BLOCKS_INL_H_

#include "runtime/kernels/convolution.h"
#include "runtime/kernels/x86_requantize.inl.h"

namespace octet {
namespace {

// In whole steps, the zero point of the output and the 128 that arena bytes carry come with the
// rounding:
//   ((high + rounding) >> shift) + zero = (high + rounding + (zero << shift)) >> shift,
// |high| <= 2^30 and zero <= 255, so that 32 bits hold the sum for shifts up to kLargestZeroShift.
struct PreparedBlock {
  alignas(64) int32_t start[16];                                        // bias - 128 * weight_sum
  int32_t multiplier[16], multiplier_odd[16], rounding[16], shift[16];  // unless `fused`
  float factor[16];  // where `fused`: multiplier / 2^(31 + shift - pre_shift)
};
constexpr int kLargestZeroShift = 20;

// What holds for all blocks prepared together; the last two are rare, and false where `fused`.
struct PreparedKind {
  bool fused;      // Fused8/16() gives the rule's integers, the pre-shift included
  bool doubled;    // sums go through Double8/16() first
  bool late_zero;  // a shift is too large: zero_point + 128 remains to be added
};

// Floats from 2^23 to 2^24 are the integers: what is added to the middle of them is rounded to a
// whole number, which then stands in the lowest bits.
constexpr float kFusedMiddle = 0x1.8p23f;
constexpr int32_t kFusedMiddleBits = 0x4B400000;

// Whether (float)acc * factor + (kFusedMiddle + zero), rounded once, is the rule's integer behind
// an int8 clamp, for all sums with |acc| <= bound and short multipliers whose shifts, less the
// pre-shift, are from `least` to `most` (QUANTIZATION.md, section 3, "Short multipliers"). The
// rounding mode of the thread has to be to nearest, and all exceptions masked, as a process starts.
static inline bool FusedIsExact(uint64_t bound, int32_t pre_shift, int32_t least, int32_t most) {
  constexpr uint32_t kModes = 0x7F80, kAsStarted = 0x1F80;
  const bool inside = bound <= (uint64_t)1 << (23 + least);
  const bool whole = most <= 14 || bound < (uint64_t)1 << 24;
  const bool not_cut = bound <= (uint64_t)(kAccumulatorLimit - 1) >> pre_shift;
  return inside && whole && not_cut && (_mm_getcsr() & kModes) == kAsStarted;
}

// Blocks [first, first + count) of a layer.
static inline PreparedKind PrepareBlocks(const ConvS8Args& args, uint64_t first, uint32_t count,
                                         PreparedBlock* to) {
  const blob::ChannelBlockS8* channels = args.channels + first;
  const __m256i none = _mm256_setzero_si256();
  const __m256i one = _mm256_set1_epi32(1), two = _mm256_set1_epi32(2);
  const __m256i pre_shift = _mm256_set1_epi32(args.pre_shift);
  constexpr int32_t kAny = 8;  // for which FusedIsExact() holds
  const __m256i any = _mm256_set1_epi32(kAny);
  __m256i ones = none, large = none, longer = none, bias_bound = none, least = any, most = any;
  for (uint32_t i = 0; i < 2 * count; ++i) {
    const uint32_t b = i / 2, h = i % 2 * 8;
    const __m256i multiplier =
        _mm256_load_si256(reinterpret_cast<const __m256i*>(channels[b].multiplier + h));
    __m256i shift = _mm256_load_si256(reinterpret_cast<const __m256i*>(channels[b].shift + h));
    const __m256i no_factor = _mm256_cmpeq_epi32(multiplier, none);
    shift = _mm256_blendv_epi8(shift, two, no_factor);
    ones = _mm256_or_si256(ones, _mm256_cmpeq_epi32(shift, one));
    large = _mm256_or_si256(large, _mm256_cmpgt_epi32(shift, _mm256_set1_epi32(kLargestZeroShift)));
    const __m256i last = _mm256_and_si256(multiplier, _mm256_set1_epi32(kShortStep - 1));
    const __m256i tie = _mm256_and_si256(multiplier, _mm256_set1_epi32(kTieStep - 1));
    const __m256i has_tie = _mm256_andnot_si256(no_factor, _mm256_cmpeq_epi32(tie, none));
    longer = _mm256_or_si256(longer, _mm256_or_si256(last, has_tie));
    const __m256i in_all = _mm256_blendv_epi8(_mm256_sub_epi32(shift, pre_shift), any, no_factor);
    least = _mm256_min_epi32(least, in_all);
    most = _mm256_max_epi32(most, in_all);
    const __m256i bias = _mm256_load_si256(reinterpret_cast<const __m256i*>(channels[b].bias + h));
    const __m256i sum =
        _mm256_load_si256(reinterpret_cast<const __m256i*>(channels[b].weight_sum + h));
    bias_bound = _mm256_max_epu32(bias_bound, _mm256_abs_epi32(bias));
    _mm256_store_si256(reinterpret_cast<__m256i*>(to[b].start + h),
                       _mm256_sub_epi32(bias, _mm256_slli_epi32(sum, 7)));
    _mm256_store_si256(reinterpret_cast<__m256i*>(to[b].multiplier + h), multiplier);
    _mm256_store_si256(reinterpret_cast<__m256i*>(to[b].shift + h), shift);
  }
  PreparedKind kind = {};
  if (_mm256_testz_si256(longer, longer) != 0) {
    alignas(32) uint32_t biases[8];
    alignas(32) int32_t shifts[2][8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(biases), bias_bound);
    _mm256_store_si256(reinterpret_cast<__m256i*>(shifts[0]), least);
    _mm256_store_si256(reinterpret_cast<__m256i*>(shifts[1]), most);
    uint32_t largest_bias = 0;
    int32_t least_shift = kAny, most_shift = kAny;
    for (int i = 0; i < 8; ++i) {
      largest_bias = biases[i] > largest_bias ? biases[i] : largest_bias;
      least_shift = shifts[0][i] < least_shift ? shifts[0][i] : least_shift;
      most_shift = shifts[1][i] > most_shift ? shifts[1][i] : most_shift;
    }
    const ConvGeometry& g = args.g;
    const uint64_t products = (uint64_t)g.kernel_h * g.kernel_w * (g.in_c / g.groups);
    const uint64_t bound = largest_bias + (products << 14);
    kind.fused = FusedIsExact(bound, args.pre_shift, least_shift, most_shift);
  }
  if (kind.fused) {
    for (uint32_t i = 0; i < 2 * count; ++i) {
      const uint32_t b = i / 2, h = i % 2 * 8;
      const __m256i shift = _mm256_load_si256(reinterpret_cast<__m256i*>(to[b].shift + h));
      // 2^-(31 + shift - pre_shift)
      const __m256i exponent = _mm256_sub_epi32(_mm256_set1_epi32(127 - 31), shift);
      const __m256i power = _mm256_slli_epi32(_mm256_add_epi32(exponent, pre_shift), 23);
      const __m256i m = _mm256_load_si256(reinterpret_cast<__m256i*>(to[b].multiplier + h));
      _mm256_store_ps(to[b].factor + h,
                      _mm256_mul_ps(_mm256_cvtepi32_ps(m), _mm256_castsi256_ps(power)));
    }
    return kind;
  }
  kind.doubled = _mm256_testz_si256(ones, ones) == 0;
  kind.late_zero = _mm256_testz_si256(large, large) == 0;
  const __m256i less = kind.doubled ? none : one;
  const __m256i zero = kind.late_zero ? none : _mm256_set1_epi32(args.out_zero_point + 128);
  for (uint32_t i = 0; i < 2 * count; ++i) {
    const uint32_t b = i / 2, h = i % 2 * 8;
    const __m256i multiplier = _mm256_load_si256(reinterpret_cast<__m256i*>(to[b].multiplier + h));
    __m256i* at = reinterpret_cast<__m256i*>(to[b].shift + h);
    const __m256i shift = _mm256_sub_epi32(_mm256_load_si256(at), less);
    const __m256i rounding = _mm256_sllv_epi32(one, _mm256_sub_epi32(shift, one));
    _mm256_store_si256(at, shift);
    _mm256_store_si256(reinterpret_cast<__m256i*>(to[b].multiplier_odd + h),
                       _mm256_srli_epi64(multiplier, 32));
    _mm256_store_si256(reinterpret_cast<__m256i*>(to[b].rounding + h),
                       _mm256_add_epi32(rounding, _mm256_sllv_epi32(zero, shift)));
  }
  return kind;
}

// The first summand of fused multiplications: it brings zero_point + 128.
static inline float FusedStart(int32_t zero_point) {
  return kFusedMiddle + (float)(zero_point + 128);
}

// GCC 12 makes a constant that it knows anew wherever it is used.
static inline __m256i FusedMiddle8() {
  __m256i middle = _mm256_set1_epi32(kFusedMiddleBits);
  __asm__("" : "+x"(middle));
  return middle;
}

static inline __m256i Fused8(__m256i acc, __m256 factor, __m256 start, __m256i middle) {
  const __m256 sum = _mm256_fmadd_ps(_mm256_cvtepi32_ps(acc), factor, start);
  return _mm256_sub_epi32(_mm256_castps_si256(sum), middle);
}

#ifdef __AVX512F__
static inline __m512i Fused16(__m512i acc, __m512 factor, __m512 start) {
  const __m512 sum = _mm512_fmadd_ps(_mm512_cvtepi32_ps(acc), factor, start);
  return _mm512_sub_epi32(_mm512_castps_si512(sum), _mm512_set1_epi32(kFusedMiddleBits));
}
#endif

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_X86_BLOCKS_INL_H_
