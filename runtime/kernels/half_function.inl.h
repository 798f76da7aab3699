// Functions of FP16 layers: their float lies within 1/16 of a unit in the last place of a half from
// the true value, for every float that comes in, and is rounded to a half once, by who stores it.
// A half has 11 bits, so that much shorter series do than in core/float_math.h. Each is one fixed
// order of IEEE additions and multiplications, none of them fused and none subnormal where the
// result is not, in floats alone or in vectors of them: the same bits from every level. Divisions
// are multiplications by Reciprocal(): ARMv7 has none in vectors, and in-order cores wait for
// them.
//
// A Lanes brings
//   Floats, Words              float and uint32_t, or vectors of them with the operators of C++
//   FromBits(Words), ToBits(Floats)
//   AtLeast(x, lo), AtMost(x, hi)   bounds other than zero; NaN stays NaN
//   All(float)
//
// Internal linkage.
#ifndef OCTET_KERNELS_HALF_FUNCTION_INL_H_
#define OCTET_KERNELS_HALF_FUNCTION_INL_H_

#include <stdint.h>

namespace octet {
namespace {

inline constexpr float kLog2E = 1.44269504f;
// Beyond them sigmoid, tanh and what is made of exp(-|x|) are constant to 2^-28, the sixteenth of
// the smallest half: 24 e^-24 < 2^-30, 2 e^-20 < 2^-27 of 1.
inline constexpr float kGateEnd = 24.0f;
inline constexpr float kTanhEnd = 10.0f;
// e^12 is infinite as a half. Downwards far below the smallest half, for sums of many.
inline constexpr float kExpLow = -80.0f;
inline constexpr float kExpHigh = 12.0f;
inline constexpr float kTailEnd = 6.5f;  // of erfc

template <typename Lanes>
struct HalfFunction {
  typedef typename Lanes::Floats Floats;
  typedef typename Lanes::Words Words;

  // x = n + r, |r| <= 1/2, for |x| < 2^7: the sum with 1.5 * 2^23 has n in its low bits.
  struct Rounded {
    Floats r;
    Words shift;  // n << 23
  };
  static inline Rounded Round(Floats x) {
    constexpr float kRound = 12582912.0f;
    const Floats sum = x + kRound;
    return Rounded{x - (sum - kRound), Lanes::ToBits(sum) << 23};
  }
  // 2^x = 2^n (a + r) / (a - r): a = r coth(r ln 2 / 2) =
  //   2 / ln 2 + ln 2 / 6 r^2 - ln^3 2 / 360 r^4 + ..,
  // r^4 = r^2 / 4 - 1/128 +- 1/128 (Chebyshev), error of a < 2.6e-6 of it, of 2^x < 1e-6.
  struct Exponential {
    Floats a, r;
    Words shift;
  };
  static inline Exponential Split(Floats x) {
    const Rounded e = Round(x);
    return Exponential{e.r * e.r * 0.115293263f + 2.88539731f, e.r, e.shift};
  }
  static inline Floats Scaled(Floats x, Words shift) {
    return Lanes::FromBits(Lanes::ToBits(x) + shift);
  }
  static inline Floats Power(Words shift) { return Scaled(Lanes::All(1.0f), shift); }
  // 1 / d within 1e-6 of it, d in [2^-100, 2^100]. The difference of bits is linear in the
  // significand: h = d y in sqrt(1/2) [1, 1.0304]. 1 / h there by the quadratic that leaves
  // 1 - h q(h) a Chebyshev polynomial.
  static inline Floats Reciprocal(Floats d) {
    const Floats y = Lanes::FromBits(0x7EB504F3u - Lanes::ToBits(d));
    const Floats h = d * y;
    return y * ((h * 2.70400645f - 5.82305155f) * h + 4.1797284f);
  }
  static inline Floats Clamped(Floats x, float lo, float hi) {
    return Lanes::AtMost(Lanes::AtLeast(x, lo), hi);
  }

  // Infinite as a half where the true value is; 1 at 0, so that a one-hot softmax is one. 2^r = 1 +
  // r p(r), p the cubic through (2^r - 1) / r at Chebyshev's nodes: within 7e-06 of 2^r.
  static inline Floats Exp(Floats x) {
    const Rounded e = Round(Clamped(x, kExpLow, kExpHigh) * kLog2E);
    Floats p = e.r * 0.00965671029f + 0.0558382829f;
    p = p * e.r + 0.240225301f;
    p = p * e.r + 0.693136734f;
    return (p * e.r + 1.0f) * Power(e.shift);
  }
  // 1 / (1 + e^-x), x in [-24, 24].
  static inline Floats Gate(Floats x) {
    const Exponential e = Split(x * -kLog2E);
    const Floats below = e.a - e.r;
    return below * Reciprocal(below + Scaled(e.a + e.r, e.shift));
  }
  static inline Floats Sigmoid(Floats x) { return Gate(Clamped(x, -kGateEnd, kGateEnd)); }
  static inline Floats Silu(Floats x) {
    const Floats low = Lanes::AtLeast(x, -kGateEnd);
    return low * Gate(Lanes::AtMost(low, kGateEnd));
  }
  // With g = 2^n: (g (a + r) - (a - r)) / .., whose terms do not cancel where x is small.
  struct Difference {
    Floats minus, plus;  // of g (a + r) and a - r
    Floats below;        // a - r
  };
  static inline Difference Differ(Floats x) {
    const Exponential e = Split(x);
    const Floats g = Power(e.shift);
    const Floats less = g - 1.0f, more = g + 1.0f;
    return Difference{less * e.a + more * e.r, more * e.a + less * e.r, e.a - e.r};
  }
  // (e^2x - 1) / (e^2x + 1) of |x|, with the sign of x.
  static inline Floats Tanh(Floats x) {
    const Words sign = Lanes::ToBits(x) & 0x80000000u;
    const Difference d = Differ(Lanes::AtMost(Size(x), kTanhEnd) * (2 * kLog2E));
    return Lanes::FromBits(Lanes::ToBits(d.minus * Reciprocal(d.plus)) | sign);
  }
  // e^x - 1 for x <= 0.
  static inline Floats ExpLess1(Floats x) {
    const Difference d = Differ(Clamped(x, -kGateEnd, kGateEnd) * kLog2E);
    return d.minus * Reciprocal(d.below);
  }
  static inline Floats Elu(Floats x, float alpha) { return x < 0.0f ? alpha * ExpLess1(x) : x; }
  static inline Floats ExpMinusSize(Floats x) {
    return Exp(Lanes::FromBits(Lanes::ToBits(x) | 0x80000000u));
  }
  // max(x, 0) + ln(1 + e^-|x|), the logarithm as in FloatLog1pUnit().
  static inline Floats Softplus(Floats x) {
    const Floats e = ExpMinusSize(x);
    const Floats s = e * Reciprocal(2.0f + e);
    const Floats s2 = s * s;
    Floats p = s2 * (1.0f / 11.0f) + 1.0f / 9.0f;
    p = p * s2 + 1.0f / 7.0f;
    p = p * s2 + 1.0f / 5.0f;
    p = p * s2 + 1.0f / 3.0f;
    return (x < 0.0f ? Lanes::All(0.0f) : x) + 2.0f * (s + s * s2 * p);
  }
  // FloatMish().
  static inline Floats Mish(Floats x) {
    const Floats low = Lanes::AtLeast(x, -kGateEnd);
    const Floats e = ExpMinusSize(low);
    const Floats up = low < 0.0f ? e * (e + 2.0f) : 1.0f + 2.0f * e;
    const Floats rest = low < 0.0f ? Lanes::All(2.0f) : 2.0f * e * e;
    return low * (up * Reciprocal(up + rest));
  }

  // erfc(a / sqrt(2)) / 2, a in [0, 6.5]: e^(-a^2 / 2) times a function of a without bends, s
  // q(s) with s = 1 / (a + 3.35) and q the quintic through Chebyshev's nodes, within 2e-6 of it.
  static inline Floats Tail(Floats a) {
    const Floats s = Reciprocal(a + 3.35f);
    Floats q = s * -120.20092f + 103.542577f;
    q = q * s - 6.46318992f;
    q = q * s + 6.12636888f;
    q = q * s + 1.21180024f;
    q = q * s + 0.402045565f;
    return Exp(a * a * -0.5f) * (q * s);
  }
  static inline Floats Size(Floats x) { return Lanes::FromBits(Lanes::ToBits(x) & 0x7FFFFFFFu); }
  // x times the share of normal numbers below it; 6.5 e-11 < 2^-28 at the end.
  static inline Floats Gelu(Floats x) {
    const Floats low = Lanes::AtLeast(x, -kTailEnd);
    return WithTail(low, Tail(Lanes::AtMost(Size(low), kTailEnd)));
  }
  static inline Floats WithTail(Floats low, Floats tail) {
    return low * (low < 0.0f ? tail : 1.0f - tail);
  }
  // Below 1/2 the series up to x^9, rest < 1e-6 of it.
  static inline Floats Erf(Floats x) {
    const Words sign = Lanes::ToBits(x) & 0x80000000u;
    const Floats a = Lanes::AtMost(Size(x), kTailEnd);
    const Floats a2 = a * a;
    Floats p = a2 * 5.22397763e-3f - 2.68661706e-2f;  // 2 / sqrt(pi) / 216, / 42
    p = p * a2 + 1.12837917e-1f;                      // / 10
    p = p * a2 - 3.76126389e-1f;                      // / 3
    p = p * a2 + 1.12837917f;
    const Floats tail = Tail(Lanes::AtMost(a * 1.41421356f, kTailEnd));
    const Floats y = a < 0.5f ? p * a : 1.0f - 2.0f * tail;
    return Lanes::FromBits(Lanes::ToBits(y) | sign);
  }
};

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_HALF_FUNCTION_INL_H_
