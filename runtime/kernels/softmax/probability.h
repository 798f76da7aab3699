// The integer rule of softmax (QUANTIZATION.md, section 9), for every walk over the axis.
#ifndef OCTET_KERNELS_SOFTMAX_PROBABILITY_H_
#define OCTET_KERNELS_SOFTMAX_PROBABILITY_H_

#include "runtime/kernels/softmax/softmax.h"

namespace octet {

constexpr uint32_t kSoftmaxOne = 1u << 23;         // table value of exp(0)
constexpr uint32_t kMaxSoftmaxCountS8 = 1u << 16;  // sum <= 2^39

// What a line along the axis has in common. sum >= t[0] > 0, for its largest value meets d = 0.
struct ProbabilityLine {
  uint64_t half, whole;  // 2^16 sum, 2^17 sum: <= 2^56
  float inverse;
};

static inline ProbabilityLine ProbabilityLineOf(uint64_t sum, ProbabilityCodes codes) {
  return {sum << 16, sum << 17, (float)codes.one / 65536.0f / (float)sum};
}

// floor((2 one t + 2^16 sum) / (2^17 sum)) + zero_point: t is one of the terms of sum, so that 2 *
// one * t <= 2^52 and the quotient is at most 2^12. The product of t with `inverse` is within a
// hundredth of it: at most one off, which is put right in integers, several times faster than a
// division of 64 bits. (q + 1) * 2^17 sum is at most 2^52 + 2 * 2^56.
static inline int8_t ProbabilityS8(uint64_t t, const ProbabilityLine& line,
                                   ProbabilityCodes codes) {
  const uint64_t n = 2 * (uint64_t)codes.one * t + line.half;
  uint64_t q = (uint64_t)(uint32_t)((float)(uint32_t)t * line.inverse + 0.5f);
  if (q * line.whole > n) {
    --q;
  } else if ((q + 1) * line.whole <= n) {
    ++q;
  }
  const int32_t code = (int32_t)q + codes.zero_point;
  return (int8_t)(code > 127 ? 127 : code);
}

// One row (`x`, `y`), a value at a time.
static inline void SoftmaxRowS8(const SoftmaxS8Args& args, const uint8_t* x, uint8_t* y) {
  const uint8_t sign = args.sign;
  const uint32_t* table = args.table;
  int32_t max = -128;
  for (uint32_t c = 0; c < args.count; ++c) {
    const int32_t q = (int8_t)(x[c] ^ sign);
    max = q > max ? q : max;
  }
  uint64_t sum = 0;
  for (uint32_t c = 0; c < args.count; ++c) sum += table[max - (int8_t)(x[c] ^ sign)];
  const ProbabilityLine line = ProbabilityLineOf(sum, args.codes);
  for (uint32_t c = 0; c < args.count; ++c) {
    const uint64_t t = table[max - (int8_t)(x[c] ^ sign)];
    y[c] = (uint8_t)((uint8_t)ProbabilityS8(t, line, args.codes) ^ sign);
  }
}

}  // namespace octet

#endif  // OCTET_KERNELS_SOFTMAX_PROBABILITY_H_
