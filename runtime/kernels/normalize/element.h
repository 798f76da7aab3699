// One element of an int8 normalization, and the 64-bit numbers of its records.
#ifndef OCTET_KERNELS_NORMALIZE_ELEMENT_H_
#define OCTET_KERNELS_NORMALIZE_ELEMENT_H_

#include "runtime/kernels/normalize/normalize.h"
#include "runtime/kernels/normalize/ratio.h"
#include "runtime/quant/requantize.h"

namespace octet {

static inline int64_t OffsetOf(const blob::NormalizeChannelS8& channel) {
  return (int64_t)((uint64_t)channel.offset[0] | (uint64_t)channel.offset[1] << 32);
}

static inline uint64_t EpsilonOf(const blob::NormalizeParams& p) {
  return (uint64_t)p.epsilon_q[0] | (uint64_t)p.epsilon_q[1] << 32;
}

// Of the group whose parameters are at `at`.
static inline uint64_t EpsilonOf(const NormalizeS8Args& args, uint64_t at) {
  if (args.epsilons == nullptr) return EpsilonOf(*args.params);
  return (uint64_t)args.epsilons[at][0] | (uint64_t)args.epsilons[at][1] << 32;
}

// The arena byte of q with the parameters at `at`.
static inline uint8_t NormalizedS8(const NormalizeS8Args& args, const RatioS8& ratio, int32_t q,
                                   uint64_t at) {
  const blob::NormalizeChannelS8& channel = args.channels[at];
  const int64_t rounding = (int64_t)1 << (channel.shift - 1);
  const int64_t y =
      (RatioOf(ratio, q) * channel.factor + OffsetOf(channel) + rounding) >> channel.shift;
  const int32_t near = y > 512 ? 512 : y < -512 ? -512 : (int32_t)y;
  return (uint8_t)((uint8_t)ToInt8(near, args.out_zero_point, -128, 127) ^ args.sign);
}

}  // namespace octet

#endif  // OCTET_KERNELS_NORMALIZE_ELEMENT_H_
