// Elementary functions in float: the runtime has no libm, and the same bits are wanted from every
// compiler, so each is one fixed order of IEEE additions, multiplications and divisions. Relative
// error at most about 2 units in the last place (2^-23) unless a comment says otherwise; a test
// compares each with libm in double.
//
// Sources: range reduction and series by Abramowitz and Stegun, Handbook of Mathematical Functions,
// the formula named at each function.
#ifndef OCTET_CORE_FLOAT_MATH_H_
#define OCTET_CORE_FLOAT_MATH_H_

#include <stdint.h>

#include "runtime/core/half.h"

namespace octet {

static inline float FloatInfinity() {
  return BitsFloat(0x7F800000u);
}
static inline float FloatNan() {
  return BitsFloat(0x7FC00000u);
}
static inline float FloatAbs(float x) {
  return BitsFloat(FloatBits(x) & 0x7FFFFFFFu);
}

// From 2^23 on every float is an integer; the test is false for NaN, too, and a NaN is returned.
static inline float FloatFloor(float x) {
  if (!(FloatAbs(x) < 8388608.0f)) return x;
  const float whole = (float)(int32_t)x;
  return whole > x ? whole - 1.0f : whole;
}
static inline float FloatCeil(float x) {
  if (!(FloatAbs(x) < 8388608.0f)) return x;
  const float whole = (float)(int32_t)x;
  return whole < x ? whole + 1.0f : whole;
}

// Truncated towards zero; beyond int32 the nearest end of it, NaN 0.
static inline int32_t FloatToInt32(float x) {
  if (x != x) return 0;
  if (x >= 2147483648.0f) return INT32_MAX;
  if (x < -2147483648.0f) return INT32_MIN;
  return (int32_t)x;
}

// 2^n for n in [-126, 127].
static inline float FloatPowerOfTwo(int32_t n) {
  return BitsFloat((uint32_t)(n + 127) << 23);
}

// ln 2 in two parts: the first has 9 significant bits, so that its product with an exponent (8
// bits) is exact.
constexpr float kLn2High = 0.693359375f;
constexpr float kLn2Low = -2.12194440e-4f;

// x = n ln 2 + r, |r| <= ln 2 / 2: e^x = 2^n e^r, e^r by its series (4.2.1) up to r^7, rest < 6e-9.
static inline float FloatExp(float x) {
  if (x != x) return x;
  if (x > 88.8f) return FloatInfinity();  // e^88.73 > largest float
  if (x < -104.0f) return 0.0f;           // below half of the smallest subnormal
  const float scaled = x * 1.44269504f;   // log2(e)
  const int32_t n = (int32_t)(scaled + (scaled < 0.0f ? -0.5f : 0.5f));
  const float r = (x - (float)n * kLn2High) - (float)n * kLn2Low;
  float e = 1.0f / 5040.0f;
  e = e * r + 1.0f / 720.0f;
  e = e * r + 1.0f / 120.0f;
  e = e * r + 1.0f / 24.0f;
  e = e * r + 1.0f / 6.0f;
  e = e * r + 0.5f;
  e = e * r + 1.0f;
  e = e * r + 1.0f;
  // Two factors, because 2^n itself may be beyond the range of normal floats (n in [-150, 128]).
  const int32_t half = n / 2;
  return e * FloatPowerOfTwo(half) * FloatPowerOfTwo(n - half);
}

// The exponential never gets a positive argument, so that it cannot overflow.
static inline float FloatSigmoid(float x) {
  const float e = FloatExp(-FloatAbs(x));
  return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

// x = 2^e m, m in [sqrt(1/2), sqrt(2)): ln m = 2 (s + s^3/3 + ...), s = (m - 1) / (m + 1) (4.1.27),
// |s| < 0.172.
static inline float FloatLog(float x) {
  if (x != x || x < 0.0f) return FloatNan();
  if (x == 0.0f) return -FloatInfinity();
  if (x == FloatInfinity()) return x;
  int32_t exponent = 0;
  if (x < 1.17549435e-38f) {  // subnormal
    x *= 8388608.0f;
    exponent = -23;
  }
  const uint32_t bits = FloatBits(x);
  exponent += (int32_t)(bits >> 23) - 127;
  float m = BitsFloat((bits & 0x7FFFFFu) | 0x3F800000u);
  if (m > 1.41421354f) {
    m *= 0.5f;
    exponent += 1;
  }
  const float f = m - 1.0f;  // exact
  const float s = f / (m + 1.0f);
  const float s2 = s * s;
  const float p = s2 * (1.0f / 3.0f +
                        s2 * (1.0f / 5.0f + s2 * (1.0f / 7.0f + s2 * (1.0f / 9.0f + s2 / 11.0f))));
  // 2 s = f - f s: the large part f is exact, only the small rest is rounded.
  const float log_m = f - (f * s - 2.0f * s * p);
  return (float)exponent * kLn2High + (log_m + (float)exponent * kLn2Low);
}

// ln(1 + x) for x in [0, 1], the same series with s = x / (2 + x) <= 1/3: no cancellation for small
// x.
static inline float FloatLog1pUnit(float x) {
  const float s = x / (2.0f + x);
  const float s2 = s * s;
  float p = 1.0f / 17.0f;
  p = p * s2 + 1.0f / 15.0f;
  p = p * s2 + 1.0f / 13.0f;
  p = p * s2 + 1.0f / 11.0f;
  p = p * s2 + 1.0f / 9.0f;
  p = p * s2 + 1.0f / 7.0f;
  p = p * s2 + 1.0f / 5.0f;
  p = p * s2 + 1.0f / 3.0f;
  return 2.0f * (s + s * s2 * p);
}

// Heron's iteration from an estimate within 4 % (half the exponent); three steps square that error
// to below 2^-24.
static inline float FloatSqrt(float x) {
  if (x != x || x < 0.0f) return FloatNan();
  if (x == 0.0f || x == FloatInfinity()) return x;
  if (x < 1.17549435e-38f) return FloatSqrt(x * 16777216.0f) * (1.0f / 4096.0f);  // subnormal
  float y = BitsFloat(0x1FBB4F2Eu + (FloatBits(x) >> 1));
  y = 0.5f * (y + x / y);
  y = 0.5f * (y + x / y);
  y = 0.5f * (y + x / y);
  return y;
}

// Below 1/2 the series (4.5.64) up to x^15, rest < 1e-8 of the result; above, (1 - e) / (1 + e), e
// = exp(-2 |x|).
static inline float FloatTanh(float x) {
  const float a = FloatAbs(x);
  if (!(a >= 0.5f)) {
    const float x2 = x * x;
    float p = -1.45583437e-3f;     // -929569 / 638512875
    p = p * x2 + 3.59212803e-3f;   // 21844 / 6081075
    p = p * x2 + -8.86323553e-3f;  // -1382 / 155925
    p = p * x2 + 2.18694885e-2f;   // 62 / 2835
    p = p * x2 + -5.39682540e-2f;  // -17 / 315
    p = p * x2 + 1.33333333e-1f;   // 2 / 15
    p = p * x2 + -3.33333333e-1f;  // -1 / 3
    return x + x * x2 * p;
  }
  const float e = FloatExp(-2.0f * a);
  const float t = (1.0f - e) / (1.0f + e);
  return x < 0.0f ? -t : t;
}

// Below 2: 2/sqrt(pi) exp(-x^2) x (1 + t/3 (1 + t/5 (1 + ...))), t = 2 x^2 (7.1.6, all terms
// positive; relative error about 4 units, from exp(-x^2)). From 2 on: 1 - erfc by its continued
// fraction (7.1.14); 1 from 4 on.
static inline float FloatErf(float x) {
  const float a = FloatAbs(x);
  if (x != x) return x;
  float y = 1.0f;
  if (a < 2.0f) {
    const float t = 2.0f * a * a;
    float sum = 1.0f;
    for (int32_t n = 43; n >= 3; n -= 2) sum = 1.0f + t / (float)n * sum;
    y = 1.12837917f * a * FloatExp(-a * a) * sum;
  } else if (a < 4.0f) {
    float d = a;
    for (int32_t n = 20; n >= 1; --n) d = a + 0.5f * (float)n / d;
    y = 1.0f - 0.564189584f * FloatExp(-a * a) / d;
  }
  return x < 0.0f ? -y : y;
}

// Whole exponents up to 64 by squaring (any base); 1/2 by the square root; else exp(alpha ln x),
// where the relative error grows to about 2^-24 (2 + |alpha ln x|), below 1e-5 for everything FP16
// can hold. Negative base, broken exponent: NaN.
static inline float FloatPow(float x, float alpha) {
  if (alpha == FloatFloor(alpha) && FloatAbs(alpha) <= 64.0f) {
    uint32_t n = (uint32_t)FloatAbs(alpha);
    float power = 1.0f;
    for (float square = x; n != 0; n >>= 1, square *= square) {
      if ((n & 1u) != 0) power *= square;
    }
    return alpha < 0.0f ? 1.0f / power : power;
  }
  if (alpha == 0.5f) return FloatSqrt(x);
  return FloatExp(alpha * FloatLog(x));
}

}  // namespace octet

#endif  // OCTET_CORE_FLOAT_MATH_H_
