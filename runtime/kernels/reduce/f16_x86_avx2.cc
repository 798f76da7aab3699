// FP16 reductions with AVX2 and F16C: lanes side by side, as the compiler vectorises them.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/reduce/f16.inl.h"
#include "runtime/kernels/x86_float.inl.h"

namespace octet {

void reduce_f16_avx2(const ReduceF16Args& args, Share share) {
  RunReduceF16<HalfRows>(args, share);
}

}  // namespace octet
