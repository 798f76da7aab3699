// What the scratch of several kernel folders has in common.
#ifndef OCTET_KERNELS_SCRATCH_H_
#define OCTET_KERNELS_SCRATCH_H_

#include "runtime/core/isa.h"

namespace octet {

// Cortex-M without MVE can never run helium: what it would take is not linked there.
#if OCTET_ARCH_CORTEX_M && !(__ARM_FEATURE_MVE & 1)
constexpr bool kKnowsHelium = false;
#else
constexpr bool kKnowsHelium = true;
#endif
static inline bool TakesHeliumScratch(Isa level, bool int8) {
  return kKnowsHelium && level == Isa::kHelium && int8;
}

}  // namespace octet

#endif  // OCTET_KERNELS_SCRATCH_H_
