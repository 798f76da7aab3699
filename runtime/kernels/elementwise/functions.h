// What the functions of format/elementwise.inc call. None can fault: division by zero is defined,
// and integers wrap.
#ifndef OCTET_KERNELS_ELEMENTWISE_FUNCTIONS_H_
#define OCTET_KERNELS_ELEMENTWISE_FUNCTIONS_H_

#include "runtime/core/float_math.h"

namespace octet {

static inline int32_t WrapAdd(int32_t x, int32_t y) {
  return (int32_t)((uint32_t)x + (uint32_t)y);
}
static inline int32_t WrapSub(int32_t x, int32_t y) {
  return (int32_t)((uint32_t)x - (uint32_t)y);
}
static inline int32_t WrapMul(int32_t x, int32_t y) {
  return (int32_t)((uint32_t)x * (uint32_t)y);
}

// Towards zero; x / 0 is 0, and INT32_MIN / -1 wraps.
static inline int32_t Quotient(int32_t x, int32_t y) {
  if (y == 0) return 0;
  return y == -1 ? WrapSub(0, x) : x / y;
}
// With the sign of x.
static inline int32_t Remainder(int32_t x, int32_t y) {
  return y == 0 || y == -1 ? 0 : x % y;
}
// With the sign of y.
static inline int32_t FloorRemainder(int32_t x, int32_t y) {
  const int32_t r = Remainder(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

static inline int32_t Power(int32_t x, int32_t y) {
  if (y < 0) return x == 1 ? 1 : (x == -1 ? (y % 2 == 0 ? 1 : -1) : 0);
  uint32_t power = 1;
  uint32_t square = (uint32_t)x;
  for (; y != 0; y >>= 1, square *= square) {
    if ((y & 1) != 0) power *= square;
  }
  return (int32_t)power;
}

// Of the 32 bits; by more than 31, or less than 0: none are left.
static inline int32_t LeftShift(int32_t x, int32_t y) {
  return y < 0 || y > 31 ? 0 : (int32_t)((uint32_t)x << y);
}
static inline int32_t RightShift(int32_t x, int32_t y) {
  return y < 0 || y > 31 ? 0 : (int32_t)((uint32_t)x >> y);
}

// Of values that halves can hold, exact, by long division; of x and 0, or infinity and y, NaN.
static inline float Remainder(float x, float y) {
  float a = FloatAbs(x);
  const float b = FloatAbs(y);
  if (!(a < FloatInfinity()) || y != y || b == 0.0f) return FloatNan();
  // While a >= b, the largest b 2^n <= a is taken off: exact, for the difference has no more bits.
  while (a >= b) {
    const int32_t n = (int32_t)(FloatBits(a) >> 23) - (int32_t)(FloatBits(b) >> 23);
    const float step = b * FloatPowerOfTwo(n);
    a -= step > a ? step * 0.5f : step;
  }
  return BitsFloat(FloatBits(a) | (FloatBits(x) & 0x80000000u));
}
static inline float FloorRemainder(float x, float y) {
  const float r = Remainder(x, y);
  return r != 0.0f && (r < 0.0f) != (y < 0.0f) ? r + y : r;
}

}  // namespace octet

#endif  // OCTET_KERNELS_ELEMENTWISE_FUNCTIONS_H_
