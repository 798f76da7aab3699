// log2 in steps of 1/256, in integers: the same on every machine.
#ifndef OCTET_CORE_LOG2_H_
#define OCTET_CORE_LOG2_H_

#include <stdint.h>

namespace octet {

constexpr int32_t kLogUnit = 256;  // log2 is counted in 1/256

// floor(256 * log2(x)) of a positive normal float, from its bits: eight squarings of the
// significand give the eight bits behind the point.
static inline int32_t Log2Of(uint32_t float_bits) {
  const int32_t exponent = (int32_t)(float_bits >> 23) - 127;
  uint64_t x = ((uint64_t)(float_bits & 0x7FFFFFu) | 0x800000u) << 7;  // [1, 2) in units of 2^-30
  int32_t fraction = 0;
  for (int32_t bit = 0; bit < 8; ++bit) {
    x = (x * x) >> 30;
    const int32_t carry = (int32_t)(x >> 31);
    x >>= carry;
    fraction = 2 * fraction + carry;
  }
  return exponent * kLogUnit + fraction;
}

}  // namespace octet

#endif  // OCTET_CORE_LOG2_H_
