// Element-wise evaluation of two or three operands with numpy broadcasting.
#ifndef OCTET_CONVERTER_OPERATORS_BROADCAST_H_
#define OCTET_CONVERTER_OPERATORS_BROADCAST_H_

#include <array>
#include <cstdint>
#include <vector>

#include "converter/operators/context.h"

namespace octet::operators {

// Strides of N operands over a result, with neighbouring dimensions merged wherever all operands
// allow it.
template <size_t N>
struct BroadcastPlan {
  std::vector<int64_t> dims;  // at least one
  std::vector<std::array<int64_t, N>> strides;
};

template <size_t N>
BroadcastPlan<N> PlanBroadcast(const std::array<const Shape*, N>& shapes, const Shape& result) {
  BroadcastPlan<N> plan;
  std::array<std::vector<int64_t>, N> strides;
  for (size_t n = 0; n < N; ++n) strides[n] = Strides(*shapes[n]);
  for (size_t d = 0; d < result.size(); ++d) {
    if (result[d] == 1) continue;
    std::array<int64_t, N> stride{};
    for (size_t n = 0; n < N; ++n) {
      const size_t lead = result.size() - shapes[n]->size();
      if (d >= lead && (*shapes[n])[d - lead] != 1) stride[n] = strides[n][d - lead];
    }
    bool merge = !plan.dims.empty();
    for (size_t n = 0; n < N && merge; ++n) {
      merge = plan.strides.back()[n] == stride[n] * result[d];
    }
    if (merge) {
      plan.dims.back() *= result[d];
      plan.strides.back() = stride;
    } else {
      plan.dims.push_back(result[d]);
      plan.strides.push_back(stride);
    }
  }
  if (plan.dims.empty()) {
    plan.dims.push_back(1);
    plan.strides.push_back({});
  }
  return plan;
}

// Calls row(offsets, result_offset, count, strides) for every innermost row.
template <size_t N, typename Row>
void ForEachRow(const BroadcastPlan<N>& plan, Row&& row) {
  const size_t outer = plan.dims.size() - 1;
  int64_t rows = 1;
  for (size_t d = 0; d < outer; ++d) rows *= plan.dims[d];
  const int64_t count = plan.dims[outer];
  if (count == 0) return;
  std::vector<int64_t> index(outer, 0);
  std::array<int64_t, N> offsets{};
  for (int64_t r = 0; r < rows; ++r) {
    row(offsets, r * count, count, plan.strides[outer]);
    for (size_t d = outer; d-- > 0;) {
      for (size_t n = 0; n < N; ++n) offsets[n] += plan.strides[d][n];
      if (++index[d] < plan.dims[d]) break;
      index[d] = 0;
      for (size_t n = 0; n < N; ++n) offsets[n] -= plan.strides[d][n] * plan.dims[d];
    }
  }
}

// out[i] = f(a[i], b[i]), both broadcast to the shape of the result.
template <typename T, typename R, typename F>
void BroadcastBinary(const Shape& shape_a, const T* a, const Shape& shape_b, const T* b,
                     const Shape& shape_out, R* out, F f) {
  const auto plan = PlanBroadcast<2>({&shape_a, &shape_b}, shape_out);
  ForEachRow<2>(plan, [&](const std::array<int64_t, 2>& offsets, int64_t at, int64_t count,
                          const std::array<int64_t, 2>& strides) {
    const T* x = a + offsets[0];
    const T* y = b + offsets[1];
    R* z = out + at;
    // The innermost stride is 0 or 1 after merging: one loop for each case vectorises.
    if (strides[0] != 0 && strides[1] != 0) {
      for (int64_t i = 0; i < count; ++i) z[i] = f(x[i], y[i]);
    } else if (strides[0] != 0) {
      const T scalar = y[0];
      for (int64_t i = 0; i < count; ++i) z[i] = f(x[i], scalar);
    } else if (strides[1] != 0) {
      const T scalar = x[0];
      for (int64_t i = 0; i < count; ++i) z[i] = f(scalar, y[i]);
    } else {
      const R value = f(x[0], y[0]);
      for (int64_t i = 0; i < count; ++i) z[i] = value;
    }
  });
}

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_BROADCAST_H_
