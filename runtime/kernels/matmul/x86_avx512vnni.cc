// Batched matrix products with AVX-512 and its VNNI.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/matmul/x86_f16.inl.h"

namespace octet {

void matmul_s8_avx512vnni(const MatMulS8Args& args, Share share) {
  RunMatMul<LevelS8>(args, share);
}

void matmul_f16_avx512vnni(const MatMulF16Args& args, Share share) {
  RunMatMulF16(args, share);
}

}  // namespace octet
