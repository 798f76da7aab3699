// The int8 division of QUANTIZATION.md, section 7.
#ifndef OCTET_KERNELS_BINARY_QUOTIENT_H_
#define OCTET_KERNELS_BINARY_QUOTIENT_H_

#include <stdint.h>

namespace octet {

// floor(n / d + 1/2) = floor((2n + d) / 2d), |n| < 2^39, 0 < d < 2^48.
static inline int64_t RoundedQuotient(int64_t n, int64_t d) {
  const int64_t numerator = 2 * n + d;
  const int64_t truncated = numerator / (2 * d);
  return numerator % (2 * d) < 0 ? truncated - 1 : truncated;
}

// round(n multiplier / (d 2^shift)) within int16, which is beyond every clamp; so is what d = 0
// gives.
static inline int32_t QuotientS8(int64_t n, int64_t d, int32_t multiplier, int32_t shift) {
  if (d == 0) return n > 0 ? INT16_MAX : (n < 0 ? INT16_MIN : 0);
  const int64_t q = d > 0 ? RoundedQuotient(n * multiplier, d * ((int64_t)1 << shift))
                          : RoundedQuotient(-n * multiplier, -d * ((int64_t)1 << shift));
  return q > INT16_MAX ? INT16_MAX : (q < INT16_MIN ? INT16_MIN : (int32_t)q);
}

}  // namespace octet

#endif  // OCTET_KERNELS_BINARY_QUOTIENT_H_
