// FP16 normalizations with NEON: lanes side by side, as the compiler vectorises them.
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/normalize/f16.inl.h"

namespace octet {
void normalize_f16_neon(const NormalizeF16Args& args, Share share) {
  RunNormalizeF16<HalfRows, true>(args, share);
}

}  // namespace octet
