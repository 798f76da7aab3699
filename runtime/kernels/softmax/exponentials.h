// The integer rule of softmax (QUANTIZATION.md, section 9), for every walk over the axis.
#ifndef OCTET_KERNELS_SOFTMAX_EXPONENTIALS_H_
#define OCTET_KERNELS_SOFTMAX_EXPONENTIALS_H_

#include "runtime/kernels/check.h"

namespace octet {

constexpr uint32_t kSoftmaxOne = 1u << 23;         // table value of exp(0)
constexpr uint32_t kMaxSoftmaxCountS8 = 1u << 16;  // sum <= 2^39
constexpr int32_t kSoftmaxZeroPoint = -128;        // output scale 1/256: probabilities [0, 255/256]

static inline const uint32_t* ExponentialsOf(const LayerView& v) {
  return reinterpret_cast<const uint32_t*>(v.tables + v.layer->table.offset);
}

// floor((512 t + sum) / (2 sum)): t is one of the terms of sum, 2 * 256 * t <= 2^32 and 2 * sum <=
// 2^40; sum >= t[0] > 0, for the largest value meets d = 0. `inverse` is 256 / sum in float, whose
// product with t is within a thousandth of the quotient: at most one off, which is put right in
// integers, several times faster than a division of 64 bits.
static inline int8_t ProbabilityS8(uint64_t t, uint64_t sum, float inverse) {
  const uint64_t n = 512 * t + sum, d = 2 * sum;
  uint64_t q = (uint64_t)(uint32_t)((float)(uint32_t)t * inverse + 0.5f);
  if (q * d > n) {
    --q;
  } else if ((q + 1) * d <= n) {
    ++q;
  }
  return (int8_t)(q > 255 ? 127 : (int32_t)q + kSoftmaxZeroPoint);
}

// The output's scale and the table of an int8 layer.
static inline bool HasExponentials(const LayerView& view) {
  const blob::TensorRecord& out = OutputOf(view);
  if (out.scale != 1.0f / 256 || out.zero_point != kSoftmaxZeroPoint ||
      !HasData(view.layer->table, 256 * sizeof(uint32_t), alignof(uint32_t))) {
    return false;
  }
  const uint32_t* table = ExponentialsOf(view);
  for (uint32_t d = 0; d < 256; ++d) {
    if (table[d] > kSoftmaxOne) return false;
  }
  return table[0] == kSoftmaxOne;
}

}  // namespace octet

#endif  // OCTET_KERNELS_SOFTMAX_EXPONENTIALS_H_
