// Matrix products and a factorisation whose results do not depend on the processor: every machine
// adds in the order that stands here, always on the calling thread.
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
//
// Each element of C is beta * C (0 for beta = 0, whatever C was), and then, for every 256 numbers
// of depth in ascending order, is increased by alpha times their sum. This sum starts at 0 and goes
// on in ascending order by fused multiplications, each rounded once; alpha times it and the
// addition to C are rounded too. So an element has the same bits for every split into panels, width
// of vectors and number of threads of the caller.
void MultiplyMatrices(int64_t rows, int64_t columns, int64_t depth, float alpha, MatrixOperand a,
                      MatrixOperand b, float beta, float* c, int64_t c_stride);

// The upper triangle R of a symmetric positive definite A [size, size], row-major, R^T R = A, in
// its place; only A's upper triangle is read, and below the diagonal is anything afterwards. False
// where A is not positive definite: its contents are lost then. All rounding is of single products,
// sums, quotients and roots in double, in an order that depends on `size` alone.
bool FactorCholesky(int64_t size, double* a);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_MATRIX_H_
