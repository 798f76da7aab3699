// Statistics of int8 values in integers, and every value's distance from the mean in deviations:
// the rule of QUANTIZATION.md, "Normalization". Of n values q with sums S1 = sum q, S2 = sum q^2,
//
//   n^2 variance = n S2 - S1^2,     n (q - mean) = n q - S1
//
// are exact, and so is their quotient but for the last bit of a 31-bit square root.
#ifndef OCTET_KERNELS_NORMALIZE_RATIO_H_
#define OCTET_KERNELS_NORMALIZE_RATIO_H_

#include <stdint.h>

namespace octet {

// |(x - mean) / deviation| <= sqrt(n - 1) < 2^11 for values that took part.
constexpr int32_t kRatioFractionBits = 16;
constexpr int64_t kRatioLimit = (int64_t)1 << 28;

// floor(sqrt(x)) for x < 2^62, a bit at a time from the highest.
static inline uint32_t IntegerSqrt(uint64_t x) {
  uint64_t root = 0, bit = (uint64_t)1 << 60;
  for (; bit != 0; bit >>= 2) {
    if (x >= root + bit) {
      x -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
  }
  return (uint32_t)root;
}

// The same from an estimate that is at most one off.
static inline uint32_t SqrtFromEstimate(uint64_t x, uint64_t estimate) {
  if (estimate * estimate > x) --estimate;
  if ((estimate + 1) * (estimate + 1) <= x) ++estimate;
  return (uint32_t)estimate;
}

// (q - mean) / deviation for a group of values: n q - S1 times `inverse` / 2^shift, in units of
// 2^-16.
struct RatioS8 {
  int64_t count, sum;
  int64_t inverse;  // 2^30 < inverse <= 2^31
  int32_t shift;    // 15 .. 45
};

// `spread` = n^2 (variance + epsilon) in squares of the input's steps, 1 <= spread < 2^62.
// root_of: IntegerSqrt() or what equals it.
template <typename RootOf>
static inline RatioS8 MakeRatioS8(int64_t count, int64_t sum, uint64_t spread, RootOf root_of) {
  // Doublings of the root: its square's highest bit, 61 or lower, comes to 60 or 61.
  const int32_t doublings = (__builtin_clzll(spread) - 2) / 2;
  const uint64_t root = root_of(spread << (2 * doublings));  // in [2^30, 2^31)
  return RatioS8{count, sum, (int64_t)(((uint64_t)1 << 61) / root),
                 61 - kRatioFractionBits - doublings};
}

static inline int64_t RatioOf(const RatioS8& r, int32_t q) {
  const int64_t ratio = ((r.count * q - r.sum) * r.inverse) >> r.shift;
  if (ratio > kRatioLimit) return kRatioLimit;
  return ratio < -kRatioLimit ? -kRatioLimit : ratio;
}

}  // namespace octet

#endif  // OCTET_KERNELS_NORMALIZE_RATIO_H_
