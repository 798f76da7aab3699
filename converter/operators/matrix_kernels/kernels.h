// The inner loops of matrix.h for each instruction set. All give the same bits.
#ifndef OCTET_CONVERTER_OPERATORS_MATRIX_KERNELS_KERNELS_H_
#define OCTET_CONVERTER_OPERATORS_MATRIX_KERNELS_KERNELS_H_

#include <cstdint>
#include <vector>

#include "converter/operators/matrix.h"

namespace octet::operators {

// C[rows, width] += alpha * (A[rows, depth] * B[depth, width]). Each element of the product is one
// sum, from zero, over ascending depth: in float each step is rounded once (fused), in double the
// product and the sum are rounded. Then alpha times it and the sum with C are rounded.
// Element (i, k) of A stands at i * a_row + k * a_depth, and one of the two is 1.
template <typename T>
struct MatrixPanel {
  int64_t rows, depth;
  T alpha;
  const T* a;
  int64_t a_row, a_depth;
  const T* b;
  int64_t b_stride;
  T* c;
  int64_t c_stride;
};

// `whole` takes panels of `width` columns, `half` those of half as many.
template <typename T>
struct MatrixKernels {
  int64_t width;
  void (*whole)(const MatrixPanel<T>& panel);
  void (*half)(const MatrixPanel<T>& panel);
};
inline constexpr int64_t kWidestPanel = 32;

struct MatrixLevel {
  const char* name;
  bool (*is_here)();  // whether this machine has the instructions
  MatrixKernels<float> single;
  MatrixKernels<double> twofold;
};

extern const MatrixLevel kMatrixPortable;
#if defined(OCTET_ARCH_X86)
extern const MatrixLevel kMatrixSse2, kMatrixAvx2, kMatrixAvx512;
#elif defined(OCTET_ARCH_AARCH64)
extern const MatrixLevel kMatrixNeon;
#endif

// Those of this build that this machine has, the best first.
std::vector<const MatrixLevel*> MatrixLevelsHere();

// matrix.h on one level.
void MultiplyMatricesAt(const MatrixLevel& level, int64_t rows, int64_t columns, int64_t depth,
                        float alpha, MatrixOperand a, MatrixOperand b, float beta, float* c,
                        int64_t c_stride);
bool FactorCholeskyAt(const MatrixLevel& level, int64_t size, double* a);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_MATRIX_KERNELS_KERNELS_H_
