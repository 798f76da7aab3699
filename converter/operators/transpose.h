// Permuted copies: Transpose, DepthToSpace, SpaceToDepth.
#ifndef OCTET_CONVERTER_OPERATORS_TRANSPOSE_H_
#define OCTET_CONVERTER_OPERATORS_TRANSPOSE_H_

#include <cstdint>
#include <vector>

#include "converter/operators/context.h"

namespace octet::operators {

// out[j0, j1, ...] = in[...] where dimension d of the result is dimension permutation[d] of the
// source.
template <typename T>
void CopyPermuted(const Shape& shape, const std::vector<int64_t>& permutation, const T* in,
                  T* out) {
  const size_t rank = shape.size();
  const auto in_strides = Strides(shape);
  std::vector<int64_t> dims(rank), strides(rank);
  for (size_t d = 0; d < rank; ++d) {
    dims[d] = shape[static_cast<size_t>(permutation[d])];
    strides[d] = in_strides[static_cast<size_t>(permutation[d])];
  }
  const int64_t total = graph::ElementCount(shape);
  const int64_t count = rank == 0 ? 1 : dims[rank - 1];
  const int64_t stride = rank == 0 ? 1 : strides[rank - 1];
  std::vector<int64_t> index(rank, 0);
  int64_t offset = 0;
  for (int64_t done = 0; done < total; done += count) {
    for (int64_t i = 0; i < count; ++i) *out++ = in[offset + i * stride];
    for (size_t d = rank == 0 ? 0 : rank - 1; d-- > 0;) {
      offset += strides[d];
      if (++index[d] < dims[d]) break;
      offset -= strides[d] * dims[d];
      index[d] = 0;
    }
  }
}

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_TRANSPOSE_H_
