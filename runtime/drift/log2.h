// Powers of two in eighths, in integers: the same on every machine.
#ifndef OCTET_DRIFT_LOG2_H_
#define OCTET_DRIFT_LOG2_H_

#include <stdint.h>

#include "runtime/core/log2.h"

namespace octet {
namespace drift {

// A scale moves by a power of 2^(1/8): 9 %, finer than any range is known from a few frames.
constexpr int32_t kStepsPerOctave = 8;
constexpr int32_t kMostSteps = 2 * kStepsPerOctave;  // a quarter to four times
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

}  // namespace drift
}  // namespace octet

#endif  // OCTET_DRIFT_LOG2_H_
