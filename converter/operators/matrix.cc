#include "converter/operators/matrix.h"

#include <mutex>

#include <cblas.h>

namespace octet::operators {

void MultiplyMatrices(int64_t rows, int64_t columns, int64_t depth, float alpha, MatrixOperand a,
                      MatrixOperand b, float beta, float* c, int64_t c_stride) {
  static std::once_flag one_thread;
  std::call_once(one_thread, [] { openblas_set_num_threads(1); });
  const auto integer = [](int64_t value) { return static_cast<blasint>(value); };
  cblas_sgemm(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,
              b.transposed ? CblasTrans : CblasNoTrans, integer(rows), integer(columns),
              integer(depth), alpha, a.data, integer(a.stride), b.data, integer(b.stride), beta, c,
              integer(c_stride));
}

}  // namespace octet::operators
