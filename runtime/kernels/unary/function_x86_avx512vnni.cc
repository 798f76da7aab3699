#include "runtime/kernels/unary/function_lanes.inl.h"

namespace octet {

void apply_function_avx512vnni(blob::Function function, float alpha, float beta, float* values,
                               uint32_t count) {
  ApplyFunctionLanes(function, alpha, beta, values, count);
}

}  // namespace octet
