// The loops of kernels.h over the vectors of one instruction set. A vector type V has kLanes,
// Number, Load, Store, All (one number in all lanes), Step(a, b, sum): sum + a * b as kernels.h
// rounds it, Times and Plus.
#ifndef OCTET_CONVERTER_OPERATORS_MATRIX_KERNELS_PANEL_INL_H_
#define OCTET_CONVERTER_OPERATORS_MATRIX_KERNELS_PANEL_INL_H_

#include <cstdint>

#include "converter/operators/matrix_kernels/kernels.h"

namespace octet::operators {
namespace {

template <typename V, int kRows, int kVectors, bool kTransposed>
inline void Tile(const MatrixPanel<typename V::Number>& p, int64_t first) {
  using T = typename V::Number;
  V sums[kRows][kVectors];
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) sums[i][v] = V::All(T(0));
  }
  const int64_t row = kTransposed ? 1 : p.a_row, step = kTransposed ? p.a_depth : 1;
  const T *a = p.a + first * row, *b = p.b;
  for (int64_t k = 0; k < p.depth; ++k, a += step, b += p.b_stride) {
    V columns[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) columns[v] = V::Load(b + v * V::kLanes);
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      const V factor = V::All(a[i * row]);
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sums[i][v] = V::Step(factor, columns[v], sums[i][v]);
    }
  }
  const V alpha = V::All(p.alpha);
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
    T* c = p.c + (first + i) * p.c_stride;
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v, c += V::kLanes) {
      V::Plus(V::Load(c), V::Times(alpha, sums[i][v])).Store(c);
    }
  }
}

template <typename V, int kRows, int kVectors, bool kTransposed>
inline void Tiles(const MatrixPanel<typename V::Number>& panel, int64_t first) {
  for (; first + kRows <= panel.rows; first += kRows) {
    Tile<V, kRows, kVectors, kTransposed>(panel, first);
  }
  if constexpr (kRows > 1) Tiles<V, kRows / 2, kVectors, kTransposed>(panel, first);
}

template <typename V, int kRows, int kVectors>
void Panel(const MatrixPanel<typename V::Number>& panel) {
  if (panel.a_depth == 1) {
    Tiles<V, kRows, kVectors, false>(panel, 0);
  } else {
    Tiles<V, kRows, kVectors, true>(panel, 0);
  }
}

template <typename V, int kRows, int kVectors>
constexpr MatrixKernels<typename V::Number> KernelsOf() {
  static_assert(kVectors * V::kLanes <= kWidestPanel && kVectors % 2 == 0);
  return {kVectors * V::kLanes, Panel<V, kRows, kVectors>, Panel<V, kRows, kVectors / 2>};
}

}  // namespace
}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_MATRIX_KERNELS_PANEL_INL_H_
