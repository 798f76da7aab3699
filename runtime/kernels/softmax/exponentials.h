// The integer rule of softmax (QUANTIZATION.md, section 9), for every walk over the axis.
#ifndef OCTET_KERNELS_SOFTMAX_EXPONENTIALS_H_
#define OCTET_KERNELS_SOFTMAX_EXPONENTIALS_H_

#include "runtime/kernels/check.h"

namespace octet {

constexpr uint32_t kSoftmaxOne = 1u << 23;         // table value of exp(0)
constexpr uint32_t kMaxSoftmaxCountS8 = 1u << 16;  // sum <= 2^39

static inline const uint32_t* ExponentialsOf(const LayerView& v) {
  return reinterpret_cast<const uint32_t*>(v.tables + v.layer->table.offset);
}

// Output codes of probabilities: N = one / 2^16 of them are 1, above the zero point.
struct ProbabilityCodes {
  uint32_t one;  // 2^16 / scale, in [2^16, 2^28]
  int32_t zero_point;
};

static inline bool HasProbabilityCodes(const blob::TensorRecord& out) {
  return out.scale >= 1.0f / 4096 && out.scale <= 1.0f;
}

static inline ProbabilityCodes ProbabilityCodesOf(const blob::TensorRecord& out) {
  return {(uint32_t)(65536.0f / out.scale + 0.5f), out.zero_point};
}

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

// The output's scale and the table of an int8 layer.
static inline bool HasExponentials(const LayerView& view) {
  const blob::TensorRecord& out = OutputOf(view);
  if (!HasProbabilityCodes(out) ||
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
