// Softmax of int8: what its layers have in their records.
#ifndef OCTET_KERNELS_SOFTMAX_EXPONENTIALS_H_
#define OCTET_KERNELS_SOFTMAX_EXPONENTIALS_H_

#include "runtime/kernels/check.h"
#include "runtime/kernels/softmax/probability.h"

namespace octet {

static inline const uint32_t* ExponentialsOf(const LayerView& v) {
  return reinterpret_cast<const uint32_t*>(v.tables + v.layer->table.offset);
}

static inline bool HasProbabilityCodes(const blob::TensorRecord& out) {
  return out.scale >= 1.0f / 4096 && out.scale <= 1.0f;
}

static inline ProbabilityCodes ProbabilityCodesOf(const blob::TensorRecord& out) {
  return {(uint32_t)(65536.0f / out.scale + 0.5f), out.zero_point};
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
