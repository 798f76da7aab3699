// Products of two computed tensors, matrix by matrix over a batch of up to three dimensions, whose
// strides may be 0 (broadcasting) and in any order (transposed operands).
//
//   C[b0][b1][b2][i][j] = sum over k of A[b0][b1][b2][i][k] * B[b0][b1][b2][k][j]
//
// int8: acc = sum (q_a - z_a)(q_b - z_b), |acc| <= 255 * 255 * depth <= 2^30 by
// blob::kMaxMatMulDepthS8;
//   q = clamp(Requantize(PreShift(acc), multiplier, shift) + z_out, lo, hi).
// FP16: every element is one sum in float that starts at 0 and takes k in ascending order; one
//   rounding to FP16. A float holds the product of two halves exactly (22 bits), so a fused sum and
//   one in two steps are equal. Kernels go side by side over columns and rows, which no element
//   notices.
//
// C is dense and row-major and overlaps neither operand. No alignment is assumed. `scratch` is this
// thread's, MatMulPartsOf() bytes (matmul/scratch.h), 64-byte aligned.
#ifndef OCTET_KERNELS_MATMUL_MATMUL_H_
#define OCTET_KERNELS_MATMUL_MATMUL_H_

#include "runtime/format/axes_params.h"
#include "runtime/kernels/share.h"

namespace octet {

struct MatMulS8Args {
  const blob::MatMulParams* params;
  const uint8_t *a, *b;
  uint8_t* output;
  uint8_t* scratch;
  int32_t zero_point_a, zero_point_b, out_zero_point;
  uint8_t sign;
};
typedef void (*MatMulS8Fn)(const MatMulS8Args& args, Share share);

struct MatMulF16Args {
  const blob::MatMulParams* params;
  const uint16_t *a, *b;
  uint16_t* output;
  uint8_t* scratch;
};
typedef void (*MatMulF16Fn)(const MatMulF16Args& args, Share share);

}  // namespace octet

#endif  // OCTET_KERNELS_MATMUL_MATMUL_H_
