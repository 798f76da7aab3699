// ReduceMean, ReduceSum, ReduceMax (axes as an input, as in opset 18) and ArgMax.
#include <algorithm>
#include <array>
#include <limits>

#include "converter/operators/broadcast.h"
#include "converter/operators/registry.h"

namespace octet::operators {
namespace {

// The shape with reduced dimensions kept as 1; equal to `shape` when there is nothing to reduce.
Shape KeptShape(const Node& node, const Shape& shape, const std::vector<int64_t>& axes) {
  Shape kept = shape;
  if (axes.empty()) {
    if (node.Int("noop_with_empty_axes", 0) == 0) std::fill(kept.begin(), kept.end(), 1);
    return kept;
  }
  for (int64_t axis : NormalizeAxes(node, axes, shape.size())) kept[static_cast<size_t>(axis)] = 1;
  return kept;
}

Shape DropAxes(const Node& node, const Shape& shape, const std::vector<int64_t>& axes) {
  if (axes.empty()) return node.Int("noop_with_empty_axes", 0) == 0 ? Shape() : shape;
  const auto dropped = NormalizeAxes(node, axes, shape.size());
  Shape result;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (!std::binary_search(dropped.begin(), dropped.end(), static_cast<int64_t>(d))) {
      result.push_back(shape[d]);
    }
  }
  return result;
}

double Plus(double a, double b) {
  return a + b;
}
int64_t Plus(int64_t a, int64_t b) {
  return WrappingAdd(a, b);
}

// Sums run in `Sum` (double for floats), row after row of the input.
template <typename T, typename Sum>
void Reduce(const Node& node, const Shape& shape, const Shape& kept, const T* in, T* out) {
  const bool max = node.op == "ReduceMax";
  const auto results = static_cast<size_t>(graph::ElementCount(kept));
  std::vector<Sum> sums(results, max ? std::numeric_limits<Sum>::lowest() : Sum(0));
  const auto plan = PlanBroadcast<2>({&shape, &kept}, shape);
  ForEachRow<2>(plan, [&](const std::array<int64_t, 2>& offsets, int64_t, int64_t count,
                          const std::array<int64_t, 2>& strides) {
    const T* row = in + offsets[0];
    Sum* sum = sums.data() + offsets[1];
    for (int64_t i = 0; i < count; ++i) {
      Sum& target = sum[i * strides[1]];
      const auto value = static_cast<Sum>(row[i]);
      target = max ? std::max(target, value) : Plus(target, value);
    }
  });
  const auto divisor = static_cast<Sum>(
      node.op == "ReduceMean" ? graph::ElementCount(shape) / static_cast<int64_t>(results) : 1);
  for (size_t i = 0; i < results; ++i) out[i] = static_cast<T>(sums[i] / divisor);
}

}  // namespace

std::vector<OutputType> InferReduce(const ShapeContext& context) {
  CheckInputCount(context, 1, 2);
  const Node& node = *context.node;
  const Shape& shape = InputShape(context, 0);
  if (graph::ElementCount(shape) == 0) ShapeFail(context, "input 0 is empty");
  const auto axes = KnownIntegers(context, 1, "the list of axes");
  const bool keep = node.Int("keepdims", 1) != 0;
  return {
      {InputType(context, 0), keep ? KeptShape(node, shape, axes) : DropAxes(node, shape, axes)}};
}

void ExecuteReduce(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  const Shape kept = KeptShape(node, in.shape, IntegersAt(inputs, 1));
  if (in.IsFloat()) {
    Reduce<float, double>(node, in.shape, kept, in.floats.data(), outputs[0].floats.data());
  } else {
    Reduce<int64_t, int64_t>(node, in.shape, kept, in.integers.data(), outputs[0].integers.data());
  }
}

std::vector<OutputType> InferArgMax(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  const Node& node = *context.node;
  Shape shape = InputShape(context, 0);
  const int64_t axis = NormalizeAxis(node, node.Int("axis", 0), shape.size());
  if (shape[static_cast<size_t>(axis)] == 0) ShapeFail(context, "input 0 is empty");
  shape[static_cast<size_t>(axis)] = 1;
  if (node.Int("keepdims", 1) == 0) shape.erase(shape.begin() + axis);
  return {{DataType::kInt64, shape}};
}

void ExecuteArgMax(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  const auto axis = static_cast<size_t>(NormalizeAxis(node, node.Int("axis", 0), in.shape.size()));
  const bool last_wins = node.Int("select_last_index", 0) != 0;
  const int64_t outer = Product(in.shape, 0, axis);
  const int64_t count = in.shape[axis];
  const int64_t inner = Product(in.shape, axis + 1, in.shape.size());
  const auto search = [&](const auto* data) {
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i) {
        const auto* column = data + o * count * inner + i;
        int64_t best = 0;
        for (int64_t k = 1; k < count; ++k) {
          const auto challenger = column[k * inner];
          const auto champion = column[best * inner];
          if (challenger > champion || (last_wins && challenger == champion)) best = k;
        }
        outputs[0].integers[static_cast<size_t>(o * inner + i)] = best;
      }
    }
  };
  if (in.IsFloat()) {
    search(in.floats.data());
  } else {
    search(in.integers.data());
  }
}

}  // namespace octet::operators
