#include <algorithm>

#include "converter/operators/registry.h"

namespace octet::operators {

std::vector<OutputType> InferGather(const ShapeContext& context) {
  CheckInputCount(context, 2, 2);
  RequireInteger(context, 1);
  const Shape& data = InputShape(context, 0);
  const Shape& indices = InputShape(context, 1);
  const int64_t axis = NormalizeAxis(*context.node, context.node->Int("axis", 0), data.size());
  Shape result(data.begin(), data.begin() + axis);
  result.insert(result.end(), indices.begin(), indices.end());
  result.insert(result.end(), data.begin() + axis + 1, data.end());
  return {{InputType(context, 0), result}};
}

void ExecuteGather(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& data = *inputs[0];
  const std::vector<int64_t>& indices = inputs[1]->integers;
  const auto axis =
      static_cast<size_t>(NormalizeAxis(node, node.Int("axis", 0), data.shape.size()));
  const int64_t outer = Product(data.shape, 0, axis);
  const int64_t count = data.shape[axis];
  const int64_t inner = Product(data.shape, axis + 1, data.shape.size());
  for (int64_t index : indices) {
    if (index < -count || index >= count) {
      NodeFail(node, "index {} is outside axis {} of {}", index, axis, graph::ToString(data.shape));
    }
  }
  ByStorage(data, outputs[0], [&](const auto* from, auto* to) {
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t index : indices) {
        const int64_t row = o * count + (index < 0 ? index + count : index);
        to = std::copy_n(from + row * inner, inner, to);
      }
    }
  });
}

}  // namespace octet::operators
