// Powers of two in eighths, and log2 in steps of 1/256, in integers: the same on every machine.
#ifndef OCTET_DRIFT_LOG2_H_
#define OCTET_DRIFT_LOG2_H_

#include <stdint.h>

namespace octet {
namespace drift {

// A scale moves by a power of 2^(1/8): 9 %, finer than any range is known from a few frames.
constexpr int32_t kStepsPerOctave = 8;
constexpr int32_t kMostSteps = 2 * kStepsPerOctave;  // a quarter to four times
constexpr int32_t kLogUnit = 256;                    // log2 is counted in 1/256
constexpr int32_t kLogPerStep = kLogUnit / kStepsPerOctave;

// round(2^(j / 8) * 2^30).
constexpr int64_t kPowers[kStepsPerOctave] = {1073741824, 1170923762, 1276901417, 1392470869,
                                              1518500250, 1655936265, 1805811301, 1969251188};

// steps = 8 * octaves + eighth, eighth in [0, 8).
struct Steps {
  int32_t octaves, eighth;
};
static inline Steps SplitSteps(int32_t steps) {
  const int32_t eighth = (int32_t)((uint32_t)steps & (kStepsPerOctave - 1));
  return Steps{(steps - eighth) / kStepsPerOctave, eighth};
}

// round(value * 2^(steps / 8)), halves towards plus infinity. |value| < 2^32, |steps| <= 48.
static inline int64_t TimesPower(int64_t value, int32_t steps) {
  const Steps s = SplitSteps(steps);
  const int64_t wide = value * kPowers[s.eighth];  // below 2^63
  const int32_t shift = 30 - s.octaves;            // 24 to 36
  return (wide + ((int64_t)1 << (shift - 1))) >> shift;
}

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

}  // namespace drift
}  // namespace octet

#endif  // OCTET_DRIFT_LOG2_H_
