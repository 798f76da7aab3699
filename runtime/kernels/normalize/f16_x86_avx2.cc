// FP16 normalizations with AVX2 and F16C: lanes side by side, as the compiler vectorises them.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/normalize/f16.inl.h"
#include "runtime/kernels/x86_float.inl.h"

namespace octet {
void normalize_f16_avx2(const NormalizeF16Args& args, Share share) {
  RunNormalizeF16<HalfRows, true>(args, share);
}

}  // namespace octet
