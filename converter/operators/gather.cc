// Gather, GatherElements, GatherND. Computed indices outside the data mean the nearest element
// inside, as on the board; constant ones are refused.
#include <algorithm>

#include "converter/operators/indices.h"
#include "converter/operators/registry.h"

namespace octet::operators {

std::vector<OutputType> InferGather(const ShapeContext& context) {
  CheckInputCount(context, 2, 2);
  RequireInteger(context, 1);
  const Shape& data = InputShape(context, 0);
  const Shape& indices = InputShape(context, 1);
  const int64_t axis = NormalizeAxis(*context.node, context.node->Int("axis", 0), data.size());
  RequireIndices(context, 1, data[static_cast<size_t>(axis)]);
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
  if (count == 0) return;
  ByStorage(data, outputs[0], [&](const auto* from, auto* to) {
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t index : indices) {
        to = std::copy_n(from + (o * count + PlaceIndex(index, count)) * inner, inner, to);
      }
    }
  });
}

std::vector<OutputType> InferGatherElements(const ShapeContext& context) {
  CheckInputCount(context, 2, 2);
  RequireInteger(context, 1);
  const size_t axis = RequireElementIndices(context, 1, 0);
  RequireIndices(context, 1, InputShape(context, 0)[axis]);
  return {{InputType(context, 0), InputShape(context, 1)}};
}

void ExecuteGatherElements(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& data = *inputs[0];
  const auto axis =
      static_cast<size_t>(NormalizeAxis(node, node.Int("axis", 0), data.shape.size()));
  ByStorage(data, outputs[0], [&](const auto* from, auto* to) {
    ForEachElementIndex(data.shape, *inputs[1], axis,
                        [&](size_t i, int64_t source) { to[i] = from[source]; });
  });
}

std::vector<OutputType> InferGatherND(const ShapeContext& context) {
  CheckInputCount(context, 2, 2);
  RequireInteger(context, 1);
  const Shape& data = InputShape(context, 0);
  const Shape& indices = InputShape(context, 1);
  const int64_t batch = context.node->Int("batch_dims", 0);
  if (indices.empty() || batch < 0 || batch >= static_cast<int64_t>(indices.size())) {
    ShapeFail(context, "batch_dims {} does not fit", batch);
  }
  const int64_t depth = indices.back();
  if (depth < 1 || batch + depth > static_cast<int64_t>(data.size())) {
    ShapeFail(context, "indices of {} dimensions do not fit", depth);
  }
  if (!std::equal(data.begin(), data.begin() + batch, indices.begin())) {
    ShapeFail(context, "the first {} dimensions differ", batch);
  }
  RequireTuples(context, 1, static_cast<size_t>(batch));
  Shape result(indices.begin(), indices.end() - 1);
  result.insert(result.end(), data.begin() + batch + depth, data.end());
  return {{InputType(context, 0), result}};
}

void ExecuteGatherND(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& data = *inputs[0];
  const auto batch = static_cast<size_t>(node.Int("batch_dims", 0));
  ByStorage(data, outputs[0], [&](const auto* from, auto* to) {
    ForEachTuple(data.shape, *inputs[1], batch, [&](int64_t t, int64_t source, int64_t inner) {
      std::copy_n(from + source, inner, to + t * inner);
    });
  });
}

}  // namespace octet::operators
