// ScatterElements (Scatter before opset 11), ScatterND and MaxUnpool. Updates of one place are
// taken in order; places outside the data as Gather's.
#include <algorithm>
#include <string>

#include "converter/operators/indices.h"
#include "converter/operators/registry.h"
#include "converter/operators/unpool.h"

namespace octet::operators {
namespace {

void CheckScatter(const ShapeContext& context) {
  CheckInputCount(context, 3, 3);
  RequireInteger(context, 1);
  if (InputType(context, 0) != InputType(context, 2)) {
    ShapeFail(context, "data and updates have different types");
  }
  const std::string reduction = context.node->String("reduction", "none");
  for (const char* known : {"none", "add", "mul", "min", "max"}) {
    if (reduction == known) return;
  }
  ShapeFail(context, "reduction '{}' is unknown", reduction);
}

// f(x, y): what becomes of element x under update y.
template <typename T, typename F>
void WithReduction(const std::string& reduction, F&& f) {
  if (reduction == "add") return f([](T x, T y) { return x + y; });
  if (reduction == "mul") return f([](T x, T y) { return x * y; });
  if (reduction == "min") return f([](T x, T y) { return std::min(x, y); });
  if (reduction == "max") return f([](T x, T y) { return std::max(x, y); });
  f([](T, T y) { return y; });
}

}  // namespace

Shape UnpooledShape(const Node& node, const Shape& in) {
  const size_t spatial = in.size() - 2;
  const auto kernel = node.Ints("kernel_shape");
  const auto strides = node.Ints("strides", std::vector<int64_t>(spatial, 1));
  const auto pads = node.Ints("pads", std::vector<int64_t>(2 * spatial, 0));
  if (kernel.size() != spatial || strides.size() != spatial || pads.size() != 2 * spatial) {
    NodeFail(node, "kernel_shape, strides and pads do not fit {} dimensions", in.size());
  }
  Shape result = in;
  for (size_t i = 0; i < spatial; ++i) {
    constexpr int64_t kMost = 1 << 20;
    for (int64_t value : {kernel[i], strides[i], pads[i], pads[i + spatial]}) {
      if (value < 0 || value > kMost) NodeFail(node, "a window of {} is out of range", value);
    }
    result[i + 2] = (in[i + 2] - 1) * strides[i] + kernel[i] - pads[i] - pads[i + spatial];
    if (result[i + 2] < 1) NodeFail(node, "its pads remove everything");
    // As for every tensor: 2^31 elements at most.
    if (result[i + 2] > (int64_t{1} << 31) / std::max<int64_t>(Product(result, 0, i + 2), 1)) {
      NodeFail(node, "its result would be too large");
    }
  }
  return result;
}

std::vector<OutputType> InferScatterElements(const ShapeContext& context) {
  CheckScatter(context);
  const size_t axis = RequireElementIndices(context, 1, 0);
  RequireIndices(context, 1, InputShape(context, 0)[axis]);
  if (InputShape(context, 1) != InputShape(context, 2)) {
    ShapeFail(context, "indices and updates differ in shape");
  }
  return {{InputType(context, 0), InputShape(context, 0)}};
}

void ExecuteScatterElements(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& data = *inputs[0];
  Tensor& out = outputs[0];
  out.floats = data.floats;
  out.integers = data.integers;
  const auto axis =
      static_cast<size_t>(NormalizeAxis(node, node.Int("axis", 0), data.shape.size()));
  ByStorage(*inputs[2], out, [&](const auto* updates, auto* to) {
    using T = std::remove_reference_t<decltype(*to)>;
    WithReduction<T>(node.String("reduction", "none"), [&](auto reduce) {
      ForEachElementIndex(data.shape, *inputs[1], axis,
                          [&](size_t i, int64_t at) { to[at] = reduce(to[at], updates[i]); });
    });
  });
}

std::vector<OutputType> InferScatterND(const ShapeContext& context) {
  CheckScatter(context);
  const Shape& data = InputShape(context, 0);
  const Shape& indices = InputShape(context, 1);
  if (indices.empty() || indices.back() < 1 || indices.back() > static_cast<int64_t>(data.size())) {
    ShapeFail(context, "the indices do not fit the data");
  }
  RequireTuples(context, 1, 0);
  Shape expected(indices.begin(), indices.end() - 1);
  expected.insert(expected.end(), data.begin() + indices.back(), data.end());
  if (InputShape(context, 2) != expected) {
    ShapeFail(context, "the updates must have shape {}", graph::ToString(expected));
  }
  return {{InputType(context, 0), data}};
}

void ExecuteScatterND(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& data = *inputs[0];
  Tensor& out = outputs[0];
  out.floats = data.floats;
  out.integers = data.integers;
  ByStorage(*inputs[2], out, [&](const auto* updates, auto* to) {
    using T = std::remove_reference_t<decltype(*to)>;
    WithReduction<T>(node.String("reduction", "none"), [&](auto reduce) {
      ForEachTuple(data.shape, *inputs[1], 0, [&](int64_t t, int64_t at, int64_t inner) {
        for (int64_t i = 0; i < inner; ++i) to[at + i] = reduce(to[at + i], updates[t * inner + i]);
      });
    });
  });
}

// The output's size is that of the pool's input: what undoes kernel, strides and pads. The indices
// count in a tensor of that size even where another output shape is given, which then cuts it or
// adds zeros behind it.
std::vector<OutputType> InferMaxUnpool(const ShapeContext& context) {
  CheckInputCount(context, 2, 3);
  RequireFloat(context, 0);
  RequireInteger(context, 1);
  const Shape& in = InputShape(context, 0);
  if (in.size() < 3 || InputShape(context, 1) != in) {
    ShapeFail(context, "data and indices must have the same shape, of at least 3 dimensions");
  }
  const Shape pooled = UnpooledShape(*context.node, in);
  if (!HasInput(context, 2)) return {{DataType::kFloat, pooled}};
  const Shape result = KnownIntegers(context, 2, "the output shape");
  if (result.size() != in.size() || result[0] != in[0] || result[1] != in[1]) {
    ShapeFail(context, "the output shape {} does not fit", graph::ToString(result));
  }
  return {{DataType::kFloat, result}};
}

void ExecuteMaxUnpool(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  Tensor& out = outputs[0];
  std::fill(out.floats.begin(), out.floats.end(), 0.0f);
  const Shape pooled = UnpooledShape(node, inputs[0]->shape);
  const auto strides = Strides(out.shape);
  for (size_t i = 0; i < inputs[0]->floats.size(); ++i) {
    int64_t rest = PlaceIndex(inputs[1]->integers[i], graph::ElementCount(pooled)), at = 0;
    bool inside = true;
    for (size_t d = pooled.size(); d-- > 0; rest /= pooled[d]) {
      inside &= rest % pooled[d] < out.shape[d];
      at += rest % pooled[d] * strides[d];
    }
    if (inside) out.floats[static_cast<size_t>(at)] = inputs[0]->floats[i];
  }
}

}  // namespace octet::operators
