// Constant, ConstantOfShape, Range, Shape: values that shape computations start from.
#include <algorithm>
#include <cmath>

#include "converter/operators/registry.h"

namespace octet::operators {
namespace {

Tensor ConstantTensor(const Node& node) {
  const auto scalar_or_list = [&](const char* one, const char* many) {
    return node.Has(one) || node.Has(many);
  };
  const auto length = [](const auto& list) { return static_cast<int64_t>(list.size()); };
  if (const auto found = node.attributes.find("value"); found != node.attributes.end()) {
    if (const Tensor* tensor = std::get_if<Tensor>(&found->second)) return *tensor;
  }
  if (scalar_or_list("value_float", "value_floats")) {
    if (node.Has("value_float")) return Tensor::Floats({}, {node.Float("value_float", 0)});
    auto list = node.FloatList("value_floats");
    const int64_t count = length(list);
    return Tensor::Floats({count}, std::move(list));
  }
  if (scalar_or_list("value_int", "value_ints")) {
    if (node.Has("value_int")) return Tensor::Integers({}, {node.Int("value_int", 0)});
    auto list = node.Ints("value_ints");
    const int64_t count = length(list);
    return Tensor::Integers({count}, std::move(list));
  }
  NodeFail(node, "has no numeric value");
}

void CopyTensor(const Tensor& from, Tensor& to) {
  to.floats = from.floats;
  to.integers = from.integers;
}

// The one element ConstantOfShape repeats.
Tensor FillOf(const Node& node) {
  Tensor fill = node.Has("value") ? ConstantTensor(node) : Tensor::Floats({1}, {0.0f});
  if (fill.Count() != 1) NodeFail(node, "attribute value must have one element");
  return fill;
}

double NumberAt(const Tensor& tensor) {
  return tensor.IsFloat() ? static_cast<double>(tensor.floats[0])
                          : static_cast<double>(tensor.integers[0]);
}

std::pair<int64_t, int64_t> ShapeRange(const Node& node, size_t rank) {
  const auto count = static_cast<int64_t>(rank);
  const auto place = [count](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + count : at, 0, count);
  };
  const int64_t start = place(node.Int("start", 0));
  return {start, std::max(start, place(node.Int("end", count)))};
}

}  // namespace

std::vector<OutputType> InferConstant(const ShapeContext& context) {
  CheckInputCount(context, 0, 0);
  const Tensor tensor = ConstantTensor(*context.node);
  return {{tensor.type, tensor.shape}};
}

void ExecuteConstant(const Node& node, Inputs, Outputs outputs, Workspace&) {
  CopyTensor(ConstantTensor(node), outputs[0]);
}

std::vector<OutputType> InferConstantOfShape(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  return {{FillOf(*context.node).type, KnownIntegers(context, 0, "the shape")}};
}

void ExecuteConstantOfShape(const Node& node, Inputs, Outputs outputs, Workspace&) {
  const Tensor fill = FillOf(node);
  if (fill.IsFloat()) {
    std::fill(outputs[0].floats.begin(), outputs[0].floats.end(), fill.floats[0]);
  } else {
    std::fill(outputs[0].integers.begin(), outputs[0].integers.end(), fill.integers[0]);
  }
}

std::vector<OutputType> InferRange(const ShapeContext& context) {
  CheckInputCount(context, 3, 3);
  double values[3];
  for (size_t i = 0; i < 3; ++i) {
    const Tensor* tensor = KnownInput(context, i, "a bound");
    if (tensor->Count() != 1) ShapeFail(context, "input {} must be a scalar", i);
    if (tensor->type != InputType(context, 0)) ShapeFail(context, "inputs have different types");
    values[i] = NumberAt(*tensor);
  }
  if (values[2] == 0 || !std::isfinite((values[1] - values[0]) / values[2])) {
    ShapeFail(context, "a range from {} to {} in steps of {} does not end", values[0], values[1],
              values[2]);
  }
  const double count = std::max(0.0, std::ceil((values[1] - values[0]) / values[2]));
  if (count > 1e9) ShapeFail(context, "a range of {} elements is too large", count);
  return {{InputType(context, 0), {static_cast<int64_t>(count)}}};
}

void ExecuteRange(const Node&, Inputs inputs, Outputs outputs, Workspace&) {
  Tensor& out = outputs[0];
  for (size_t i = 0; i < out.floats.size(); ++i) {
    out.floats[i] = inputs[0]->floats[0] + static_cast<float>(i) * inputs[2]->floats[0];
  }
  for (size_t i = 0; i < out.integers.size(); ++i) {
    out.integers[i] = WrappingAdd(inputs[0]->integers[0],
                                  WrappingMul(static_cast<int64_t>(i), inputs[2]->integers[0]));
  }
}

std::vector<OutputType> InferShape(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  const auto [start, end] = ShapeRange(*context.node, InputShape(context, 0).size());
  return {{DataType::kInt64, {end - start}}};
}

void ExecuteShape(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Shape& shape = inputs[0]->shape;
  const auto [start, end] = ShapeRange(node, shape.size());
  std::copy(shape.begin() + start, shape.begin() + end, outputs[0].integers.begin());
}

}  // namespace octet::operators
