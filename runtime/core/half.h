// IEEE 754 binary16 <-> binary32 in portable bit arithmetic: the normative conversion of FP16
// layers, equal to F16C and AArch64 FCVT. Round to nearest even; overflow gives infinity;
// subnormals are exact in both directions; a NaN stays a NaN with its sign and upper payload bits
// and is made quiet.
#ifndef OCTET_CORE_HALF_H_
#define OCTET_CORE_HALF_H_

#include <stdint.h>

namespace octet {

static inline uint32_t FloatBits(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return bits;
}

static inline float BitsFloat(uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}

// binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits. binary32: 1, 8 (bias 127), 23.
static inline float HalfToFloat(uint16_t half) {
  const uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
  uint32_t exponent = (half >> 10) & 31u;
  uint32_t fraction = half & 0x3FFu;
  if (exponent == 31) {
    return BitsFloat(sign | 0x7F800000u | (fraction << 13) | (fraction != 0 ? 0x400000u : 0u));
  }
  if (exponent == 0) {
    // fraction * 2^-24: at most 10 significant bits, so the product is exact.
    const float magnitude = (float)fraction * BitsFloat(0x33800000u);  // 2^-24
    return BitsFloat(FloatBits(magnitude) | sign);
  }
  return BitsFloat(sign | ((exponent + 112u) << 23) | (fraction << 13));  // 112 = 127 - 15
}

static inline uint16_t FloatToHalf(float value) {
  const uint32_t bits = FloatBits(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) {
    return (uint16_t)(sign | 0x7E00u | ((magnitude >> 13) & 0x1FFu));
  }
  // 65520 lies halfway between 65504, the largest half, and 2^16: from there on it is infinity.
  if (magnitude >= 0x477FF000u) return (uint16_t)(sign | 0x7C00u);
  uint32_t result, rest, half_way;
  if (magnitude >= 0x38800000u) {  // 2^-14: a normal half
    result = (magnitude - 0x38000000u) >> 13;
    rest = magnitude & 0x1FFFu;
    half_way = 0x1000u;
  } else {
    // Subnormal: significand * 2^(exponent - 150) in units of 2^-24. Below 2^-25 everything is
    // zero, and 2^-25 itself is a tie that goes to even zero.
    if (magnitude <= 0x33000000u) return (uint16_t)sign;
    const uint32_t shift = 126u - (magnitude >> 23);  // 14 .. 24
    const uint32_t significand = (magnitude & 0x7FFFFFu) | 0x800000u;
    result = significand >> shift;
    rest = significand & ((1u << shift) - 1u);
    half_way = 1u << (shift - 1u);
  }
  // A carry out of the fraction is the next exponent, which is the right result.
  if (rest > half_way || (rest == half_way && (result & 1u) != 0)) ++result;
  return (uint16_t)(sign | result);
}

}  // namespace octet

#endif  // OCTET_CORE_HALF_H_
