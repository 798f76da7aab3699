#include "converter/operators/matrix.h"

#include <cstdlib>
#include <string>

#include "converter/operators/matrix_kernels/kernels.h"
#include "converter/support/error.h"

namespace octet::operators {
namespace {

// OCTET_MATRIX_LEVEL is for tests that compare levels.
const MatrixLevel& Choose() {
  const char* wanted = std::getenv("OCTET_MATRIX_LEVEL");
  for (const MatrixLevel* level : MatrixLevelsHere()) {
    if (wanted == nullptr || wanted == std::string(level->name)) return *level;
  }
  Fail("OCTET_MATRIX_LEVEL={}: not in this build or on this machine; unset it", wanted);
}

const MatrixLevel& Level() {
  static const MatrixLevel& level = Choose();
  return level;
}

}  // namespace

void MultiplyMatrices(int64_t rows, int64_t columns, int64_t depth, float alpha, MatrixOperand a,
                      MatrixOperand b, float beta, float* c, int64_t c_stride) {
  MultiplyMatricesAt(Level(), rows, columns, depth, alpha, a, b, beta, c, c_stride);
}

bool FactorCholesky(int64_t size, double* a) {
  return FactorCholeskyAt(Level(), size, a);
}

}  // namespace octet::operators
