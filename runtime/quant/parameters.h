// From scales to the numbers that an int8 layer is stored with: codes, clamps, tables, factors and
// their shifts. One author for the converter, which computes in double, and for layers that change
// on the board, which has float alone: Real is either, and each keeps its bits.
#ifndef OCTET_QUANT_PARAMETERS_H_
#define OCTET_QUANT_PARAMETERS_H_

#include <stdint.h>

#include "runtime/core/float_math.h"
#include "runtime/quant/requantize.h"

namespace octet {

static inline float FloorOf(float x) {
  return FloatFloor(x);
}
// From 2^52 on every double is an integer; NaN is returned.
static inline double FloorOf(double x) {
  if (!(x < 0x1p52 && x > -0x1p52)) return x;
  const double whole = (double)(int64_t)x;
  return whole > x ? whole - 1 : whole;
}

// Section 1: floor(value / scale + 1/2) + zero_point, cut to int8; of NaN the zero point.
template <typename Real>
static inline int8_t CodeOf(Real value, float scale, int32_t zero_point) {
  const Real code = FloorOf(value / (Real)scale + (Real)0.5) + (Real)zero_point;
  if (code != code) return (int8_t)zero_point;
  return code < -128 ? (int8_t)-128 : code > 127 ? (int8_t)127 : (int8_t)(int32_t)code;
}

// Section 4: the codes of a clamp's ends.
template <typename Real>
static inline void CodesOfClamp(Real low, Real high, float scale, int32_t zero_point, int8_t* lo,
                                int8_t* hi) {
  *lo = CodeOf<Real>(low, scale, zero_point);
  *hi = CodeOf<Real>(high, scale, zero_point);
}

// Section 4: a function from the codes of one tensor to those of another. table: 256 entries.
template <typename Real, typename Function>
static inline void CodesOfFunction(const Function& function, float scale, int32_t zero_point,
                                   float out_scale, int32_t out_zero_point, int8_t* table) {
  for (int32_t q = -128; q < 128; ++q) {
    const Real x = (Real)scale * (Real)(q - zero_point);
    table[q + 128] = CodeOf<Real>(function(x), out_scale, out_zero_point);
  }
}

// Section 3: mantissa / 2^(31 + shift) with a mantissa of [2^30, 2^32], as a Multiplier of any
// shift.
static inline Multiplier NormalMultiplier(int64_t mantissa, int32_t shift) {
  while (mantissa > INT32_MAX) {
    mantissa = (mantissa + 1) >> 1;
    --shift;
  }
  return Multiplier{(int32_t)mantissa, shift};
}

// Section 3, "Short multipliers": multiples of kShortStep, 24 bits, and not of kTieStep. What 11
// bits hold stays as it is, powers of two above all: sums meet its ties.
static inline bool IsShort(const Multiplier& m) {
  return m.multiplier % kShortStep == 0 && m.multiplier % kTieStep != 0;
}
static inline Multiplier ShortMultiplier(const Multiplier& m) {
  if (m.multiplier % kTieStep == 0) return m;
  const int32_t most = INT32_MAX - (kShortStep - 1), half = kShortStep / 2;
  if (m.multiplier >= most - half) return Multiplier{most, m.shift};
  const int32_t nearest = (m.multiplier + half) / kShortStep * kShortStep;
  return Multiplier{nearest % kTieStep == 0 ? nearest + kShortStep : nearest, m.shift};
}

// What a layer stores of it. Only rounding up to exactly 0.5 brings a shift of 0 here, behind its
// pre-shift; the largest value below it is the same to 31 bits.
static inline Multiplier StoredMultiplier(const Multiplier& m) {
  if (m.multiplier == 0 || m.shift > 31) return Multiplier{0, 1};
  return m.shift < 1 ? Multiplier{INT32_MAX, 1} : m;
}

// The smallest pre-shift that brings every factor of a layer under 0.5, where the least of their
// shifts is this one without a pre-shift. Layers hold kMaxPreShift at most.
static inline int32_t PreShiftOf(int32_t least_shift) {
  return least_shift < 1 ? 1 - least_shift : 0;
}

// Section 5: bits of the two factors of a sum, and their largest common shift.
constexpr int32_t kSumFactorBits = 15;
constexpr int32_t kMostSumShift = 30;
// The largest shift from `most` down to 1 at which the factors fit; 0: at none.
template <typename Fits>
static inline int32_t LargestShift(int32_t most, const Fits& fits) {
  int32_t shift = most;
  while (shift >= 1 && !fits(shift)) --shift;
  return shift;
}

// Section 2: a stored bias holds the zero point's share of the products.
static inline int64_t ShareOfZeroPoint(int32_t zero_point, int32_t weight_sum) {
  return (int64_t)zero_point * weight_sum;
}

}  // namespace octet

#endif  // OCTET_QUANT_PARAMETERS_H_
