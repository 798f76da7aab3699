// Batched matrix products with AVX2, FMA and F16C.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/matmul/x86_f16.inl.h"

namespace octet {

void matmul_s8_avx2(const MatMulS8Args& args, Share share) {
  RunMatMul<LevelS8>(args, share);
}

void matmul_f16_avx2(const MatMulF16Args& args, Share share) {
  RunMatMulF16(args, share);
}

}  // namespace octet
