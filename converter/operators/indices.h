// Integer tensors that say where elements lie: what Gather and Scatter and their kin share.
#ifndef OCTET_CONVERTER_OPERATORS_INDICES_H_
#define OCTET_CONVERTER_OPERATORS_INDICES_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "converter/operators/context.h"

namespace octet::operators {

// [-count, count) to [0, count), and what lies outside to the nearest end.
inline int64_t PlaceIndex(int64_t index, int64_t count) {
  return std::clamp<int64_t>(index < 0 ? index + count : index, 0, count - 1);
}

// Fails where the indices are constant and one lies outside [-count, count).
inline void RequireIndices(const ShapeContext& context, size_t input, int64_t count) {
  const Tensor* indices = context.inputs[input]->constant.get();
  if (indices == nullptr) return;
  for (int64_t index : indices->integers) {
    if (index < -count || index >= count) {
      ShapeFail(context, "index {} is outside a dimension of {}", index, count);
    }
  }
}

// The axis of indices that name a place an element of theirs, in a tensor of the same rank that is
// nowhere smaller but along the axis.
inline size_t RequireElementIndices(const ShapeContext& context, size_t input, int64_t fallback) {
  const Shape& data = InputShape(context, 0);
  const Shape& indices = InputShape(context, input);
  if (indices.size() != data.size() || data.empty()) {
    ShapeFail(context, "the indices have {} dimensions, the data {}", indices.size(), data.size());
  }
  const auto axis = static_cast<size_t>(
      NormalizeAxis(*context.node, context.node->Int("axis", fallback), data.size()));
  for (size_t d = 0; d < data.size(); ++d) {
    if (d != axis && indices[d] > data[d]) {
      ShapeFail(context, "the indices are larger than the data in dimension {}", d);
    }
  }
  if (data[axis] == 0) ShapeFail(context, "the data are empty");
  return axis;
}

// Calls f(number of the index, position in the data) for every index.
template <typename F>
void ForEachElementIndex(const Shape& data, const Tensor& indices, size_t axis, F&& f) {
  const auto strides = Strides(data);
  std::vector<int64_t> at(data.size(), 0);
  for (size_t i = 0; i < indices.integers.size(); ++i) {
    int64_t source = PlaceIndex(indices.integers[i], data[axis]) * strides[axis];
    for (size_t d = 0; d < at.size(); ++d) source += d == axis ? 0 : at[d] * strides[d];
    f(i, source);
    for (size_t d = at.size(); d-- > 0;) {
      if (++at[d] < indices.shape[d]) break;
      at[d] = 0;
    }
  }
}

// Fails where the tuples of indices (the last dimension, behind `batch` common ones) are constant
// and name a place outside.
inline void RequireTuples(const ShapeContext& context, size_t input, size_t batch) {
  const Shape& data = InputShape(context, 0);
  const Tensor* indices = context.inputs[input]->constant.get();
  const auto depth = static_cast<size_t>(InputShape(context, input).back());
  for (size_t d = 0; d < depth; ++d) {
    if (data[batch + d] == 0) ShapeFail(context, "the data are empty");
    for (size_t i = d; indices != nullptr && i < indices->integers.size(); i += depth) {
      const int64_t index = indices->integers[i], count = data[batch + d];
      if (index < -count || index >= count) {
        ShapeFail(context, "index {} is outside a dimension of {}", index, count);
      }
    }
  }
}

// Calls f(number of the tuple, position of its slice in the data, elements of a slice).
template <typename F>
void ForEachTuple(const Shape& data, const Tensor& indices, size_t batch, F&& f) {
  const auto depth = static_cast<size_t>(indices.shape.back());
  const auto strides = Strides(data);
  const int64_t inner = Product(data, batch + depth, data.size());
  const int64_t tuples = Product(indices.shape, 0, indices.shape.size() - 1);
  const int64_t batches = Product(data, 0, batch);
  for (int64_t t = 0; t < tuples; ++t) {
    int64_t source = t / (tuples / batches) * Product(data, batch, data.size());
    for (size_t d = 0; d < depth; ++d) {
      const int64_t index = indices.integers[static_cast<size_t>(t) * depth + d];
      source += PlaceIndex(index, data[batch + d]) * strides[batch + d];
    }
    f(t, source, inner);
  }
}

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_INDICES_H_
