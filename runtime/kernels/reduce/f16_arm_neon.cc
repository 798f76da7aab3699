// FP16 reductions with NEON: lanes side by side, as the compiler vectorises them.
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/reduce/f16.inl.h"

namespace octet {

void reduce_f16_neon(const ReduceF16Args& args, Share share) {
  RunReduceF16<HalfRows>(args, share);
}

}  // namespace octet
