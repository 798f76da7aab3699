// THE normative integer rule, one copy. QUANTIZATION.md derives it; every kernel equals it.
#ifndef OCTET_QUANT_REQUANTIZE_H_
#define OCTET_QUANT_REQUANTIZE_H_

#include <stdint.h>

namespace octet {

// A real factor M in (0, 0.5) as M = multiplier / 2^(31 + shift):
// multiplier in [2^30, 2^31 - 1], shift in [1, 31]; or multiplier = 0 (shift 1) for M = 0.
// A factor >= 0.5 is expressed by a pre-shift of the accumulator, one for a whole layer.
struct Multiplier {
  int32_t multiplier;
  int32_t shift;
};

// Section 3, "Short multipliers".
constexpr int32_t kShortStep = 1 << 7, kTieStep = 1 << 20;

// Bound every accumulator has to keep, proved by the validator before anything runs:
// |acc| <= 2^30, so that the rounding addition below cannot overflow 32 bits.
constexpr int32_t kAccumulatorLimit = 1 << 30;
constexpr int32_t kMaxPreShift = 15;

static inline int32_t ClampInt32(int32_t x, int32_t lo, int32_t hi) {
  return x < lo ? lo : (x > hi ? hi : x);
}

// Saturating pre-shift: clamp to +-floor((2^30 - 1) / 2^pre_shift), then shift left.
// Only factors >= 0.5 need it, and then the clamped values saturate int8 anyway.
static inline int32_t PreShift(int32_t acc, int32_t pre_shift) {
  if (pre_shift == 0) return acc;
  const int32_t bound = (kAccumulatorLimit - 1) >> pre_shift;
  return (int32_t)((uint32_t)ClampInt32(acc, -bound, bound) << pre_shift);
}

// floor(acc * M + 1/2), rounded once, half towards +infinity:
//   floor((2 * acc * multiplier + 2^(31 + shift)) / 2^(32 + shift)).
// high = floor(acc * multiplier / 2^31) followed by one rounding shift is exactly that for
// shift >= 1: the bits dropped by the first floor lie below the rounding position, and
// floor(floor(x) + n) = floor(x + n) for integral n.
// |acc| <= 2^30 and multiplier < 2^31 give |high| <= 2^30; adding 2^(shift - 1) <= 2^30 keeps
// it at most 2^31 - 1, because high = 2^30 would need multiplier = 2^31. The addition is unsigned
// all the same: a blob whose weight sums lie may break the bound in kernels that use them, and then
// the numbers are wrong but the behaviour stays defined.
static inline int32_t Requantize(int32_t acc, int32_t multiplier, int32_t shift) {
  const int32_t high = (int32_t)(((int64_t)acc * (int64_t)multiplier) >> 31);
  return (int32_t)((uint32_t)high + (1u << (shift - 1))) >> shift;
}

// Section 13: factors of a sum are m / 2^s with |m| < 2^30 and s of at most this.
constexpr int32_t kMaxSumShift = 45;

// Value to stored int8: add the zero point, clamp to the layer's range.
static inline int8_t ToInt8(int32_t value, int32_t zero_point, int32_t lo, int32_t hi) {
  return (int8_t)ClampInt32(value + zero_point, lo, hi);
}

}  // namespace octet

#endif  // OCTET_QUANT_REQUANTIZE_H_
