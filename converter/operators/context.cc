#include "converter/operators/context.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace octet::operators {

void FailAt(const Node& node, const std::string& why, bool advises) {
  constexpr const char* kWayOut = "; change this node in the model and export the model again";
  throw NodeError(node, advises ? why : why + kWayOut, true);
}

std::string WithInputs(const ShapeContext& context, const std::string& message) {
  constexpr size_t kMostShown = 8;
  std::string text = message + " (inputs:";
  const char* separator = " ";
  for (size_t i = 0; i < std::min(context.inputs.size(), kMostShown); ++i) {
    const graph::Value* value = context.inputs[i];
    text += separator;
    text += value == nullptr || !value->shape ? "none" : graph::ToString(*value->shape);
    separator = ", ";
  }
  if (context.inputs.size() > kMostShown) {
    text += fmt::format(" and {} more", context.inputs.size() - kMostShown);
  }
  return text + ")";
}

void CheckInputCount(const ShapeContext& context, size_t least, size_t most) {
  const size_t count = context.inputs.size();
  if (count < least || count > most) {
    if (least == most) {
      ShapeFail(context, "expects {} inputs, has {}", least, count);
    }
    ShapeFail(context, "expects {} to {} inputs, has {}", least, most, count);
  }
  for (size_t i = 0; i < least; ++i) {
    if (context.inputs[i] == nullptr) ShapeFail(context, "input {} is missing", i);
  }
}

void CheckOutputCount(const ShapeContext& context, size_t most) {
  const auto& outputs = context.node->outputs;
  for (size_t i = most; i < outputs.size(); ++i) {
    if (outputs[i] != graph::kNoValue) {
      ShapeFail(context, "output {} is not supported, only the first {}", i, most);
    }
  }
}

bool HasInput(const ShapeContext& context, size_t index) {
  return index < context.inputs.size() && context.inputs[index] != nullptr;
}

const Shape& InputShape(const ShapeContext& context, size_t index) {
  if (!HasInput(context, index)) ShapeFail(context, "input {} is missing", index);
  return *context.inputs[index]->shape;
}

DataType InputType(const ShapeContext& context, size_t index) {
  if (!HasInput(context, index)) ShapeFail(context, "input {} is missing", index);
  return context.inputs[index]->type;
}

void RequireFloat(const ShapeContext& context, size_t index) {
  if (InputType(context, index) != DataType::kFloat) {
    ShapeFail(context, "input {} must be floating point, is {}", index,
              graph::Name(InputType(context, index)));
  }
}

void RequireInteger(const ShapeContext& context, size_t index) {
  if (InputType(context, index) == DataType::kFloat) {
    ShapeFail(context, "input {} must be integer, is floating point", index);
  }
}

void RequireRank(const ShapeContext& context, size_t index, size_t least, size_t most) {
  const size_t rank = InputShape(context, index).size();
  if (rank < least || rank > most) {
    if (least == most) {
      ShapeFail(context, "input {} must have {} dimensions, has {}", index, least, rank);
    }
    ShapeFail(context, "input {} must have {} to {} dimensions, has {}", index, least, most, rank);
  }
}

void RequireElements(const ShapeContext& context, size_t index) {
  if (graph::ElementCount(InputShape(context, index)) == 0) {
    ShapeFail(context, "input {} is empty", index);
  }
}

const Tensor* KnownInput(const ShapeContext& context, size_t index, const char* what) {
  if (!HasInput(context, index)) return nullptr;
  const Tensor* tensor = context.inputs[index]->constant.get();
  if (tensor == nullptr) {
    ShapeFail(context,
              "{} (input {}, '{}') depends on the data, but must be known at conversion; export "
              "the model with fixed shapes, or end the graph before this node: --cut-at TENSOR",
              what, index, context.inputs[index]->name);
  }
  return tensor;
}

std::vector<int64_t> KnownIntegers(const ShapeContext& context, size_t index, const char* what) {
  const Tensor* tensor = KnownInput(context, index, what);
  if (tensor == nullptr) return {};
  if (tensor->IsFloat()) ShapeFail(context, "{} (input {}) must be integer", what, index);
  if (tensor->shape.size() > 1) {
    ShapeFail(context, "{} (input {}) must have one dimension", what, index);
  }
  return tensor->integers;
}

int64_t NormalizeAxis(const Node& node, int64_t axis, size_t rank) {
  const auto count = static_cast<int64_t>(rank);
  if (axis < -count || axis >= count) {
    NodeFail(node, "axis {} is outside a tensor of {} dimensions", axis, rank);
  }
  return axis < 0 ? axis + count : axis;
}

std::vector<int64_t> NormalizeAxes(const Node& node, const std::vector<int64_t>& axes,
                                   size_t rank) {
  std::vector<int64_t> result;
  for (int64_t axis : axes) result.push_back(NormalizeAxis(node, axis, rank));
  std::sort(result.begin(), result.end());
  if (std::adjacent_find(result.begin(), result.end()) != result.end()) {
    NodeFail(node, "axes [{}] name a dimension twice", fmt::join(axes, ","));
  }
  return result;
}

Shape Broadcast(const Node& node, const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()));
  for (size_t i = 0; i < result.size(); ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      NodeFail(node, "shapes {} and {} cannot be broadcast", graph::ToString(a),
               graph::ToString(b));
    }
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

int64_t Product(const Shape& shape, size_t first, size_t last) {
  int64_t product = 1;
  for (size_t i = first; i < last; ++i) product *= shape[i];
  return product;
}

std::vector<int64_t> Strides(const Shape& shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

void NarrowToType(Tensor& tensor) {
  for (int64_t& value : tensor.integers) {
    if (tensor.type == DataType::kUInt8) value = static_cast<uint8_t>(value);
    if (tensor.type == DataType::kInt8) value = static_cast<int8_t>(value);
    if (tensor.type == DataType::kInt32) value = static_cast<int32_t>(value);
  }
}

int64_t ToInt64(double value) {
  constexpr double kEnd = 9223372036854775808.0;  // 2^63
  if (std::isnan(value)) return 0;
  if (value >= kEnd) return std::numeric_limits<int64_t>::max();
  return value < -kEnd ? std::numeric_limits<int64_t>::min() : static_cast<int64_t>(value);
}

void Allocate(Tensor& tensor, const OutputType& type) {
  tensor.type = type.type;
  tensor.shape = type.shape;
  const auto count = static_cast<size_t>(graph::ElementCount(type.shape));
  if (tensor.IsFloat()) {
    tensor.floats.resize(count);
    tensor.integers.clear();
  } else {
    tensor.integers.resize(count);
    tensor.floats.clear();
  }
}

}  // namespace octet::operators
