// Matrix products on OpenBLAS, always on the calling thread.
#ifndef OCTET_CONVERTER_OPERATORS_MATRIX_H_
#define OCTET_CONVERTER_OPERATORS_MATRIX_H_

#include <cstdint>

namespace octet::operators {

// A row-major matrix operand; `transposed` reads it as its transpose. `stride` is the distance of
// stored rows.
struct MatrixOperand {
  const float* data;
  int64_t stride;
  bool transposed = false;
};

// C[rows,columns] (row distance c_stride) = alpha * A[rows,depth] * B[depth,columns] + beta * C.
// One thread, so one order of sums, whatever other threads do: OpenBLAS results change with its
// thread count.
void MultiplyMatrices(int64_t rows, int64_t columns, int64_t depth, float alpha, MatrixOperand a,
                      MatrixOperand b, float beta, float* c, int64_t c_stride);

// The upper triangle R of a symmetric positive definite A [size, size], row-major, R^T R = A, in
// its place; what is below the diagonal stays. False where A is not positive definite: its contents
// are lost then.
bool FactorCholesky(int64_t size, double* a);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_MATRIX_H_
