// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear, as ONNX defines them: halves are
// rounded to even, one scale a tensor or one an index of `axis`.
#include <algorithm>
#include <cmath>
#include <limits>

#include "converter/operators/registry.h"

namespace octet::operators {
namespace {

struct Codes {
  int64_t low, high;
};

Codes CodesOf(DataType type) {
  switch (type) {
    case DataType::kInt8:
      return {-128, 127};
    case DataType::kInt16:
      return {-32768, 32767};
    case DataType::kUInt16:
      return {0, 65535};
    default:
      return {0, 255};
  }
}

// Scale and zero point of every element: index (i / inner) % count.
struct Steps {
  size_t count, inner;
};

Steps StepsOf(const Node& node, const Shape& shape, const Tensor& scale) {
  Steps steps{static_cast<size_t>(scale.Count()), 1};
  if (steps.count == 1) return steps;
  const auto axis = static_cast<size_t>(NormalizeAxis(node, node.Int("axis", 1), shape.size()));
  steps.inner = static_cast<size_t>(Product(shape, axis + 1, shape.size()));
  return steps;
}

void CheckScale(const ShapeContext& context) {
  RequireFloat(context, 1);
  const Shape &shape = InputShape(context, 0), &scale = InputShape(context, 1);
  if (HasInput(context, 2)) RequireInteger(context, 2);
  const int64_t count = graph::ElementCount(scale);
  if (HasInput(context, 2) && graph::ElementCount(InputShape(context, 2)) != count) {
    ShapeFail(context, "has different counts of scales and zero points");
  }
  if (count == 1) return;
  if (scale.size() != 1 || context.node->Int("block_size", 0) != 0) {
    ShapeFail(context,
              "scales by block are not supported; export with scales by tensor or channel");
  }
  const int64_t axis = NormalizeAxis(*context.node, context.node->Int("axis", 1), shape.size());
  if (shape[static_cast<size_t>(axis)] != count) {
    ShapeFail(context, "{} scales along axis {}", count, axis);
  }
}

int64_t ZeroPoint(const Tensor* zero_point, size_t step) {
  return zero_point == nullptr ? 0 : zero_point->integers[step];
}

}  // namespace

std::vector<OutputType> InferQuantizeLinear(const ShapeContext& context) {
  CheckInputCount(context, 2, 3);
  RequireFloat(context, 0);
  CheckScale(context);
  // Without a zero point attribute `output_dtype` (opset 21) may tell the type, as ONNX numbers it.
  DataType type = DataType::kUInt8;
  switch (context.node->Int("output_dtype", 0)) {
    case 3:
      type = DataType::kInt8;
      break;
    case 4:
      type = DataType::kUInt16;
      break;
    case 5:
      type = DataType::kInt16;
      break;
    default:
      break;
  }
  if (HasInput(context, 2)) type = InputType(context, 2);
  return {{type, InputShape(context, 0)}};
}

void ExecuteQuantizeLinear(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor &in = *inputs[0], &scale = *inputs[1];
  const Tensor* zero_point = At(inputs, 2);
  const Steps steps = StepsOf(node, in.shape, scale);
  const Codes codes = CodesOf(outputs[0].type);
  for (size_t i = 0; i < in.floats.size(); ++i) {
    const size_t step = i / steps.inner % steps.count;
    const double code = static_cast<double>(std::nearbyint(in.floats[i] / scale.floats[step])) +
                        static_cast<double>(ZeroPoint(zero_point, step));
    outputs[0].integers[i] =
        std::isnan(code) ? ZeroPoint(zero_point, step)
                         : static_cast<int64_t>(std::clamp(code, static_cast<double>(codes.low),
                                                           static_cast<double>(codes.high)));
  }
}

std::vector<OutputType> InferDequantizeLinear(const ShapeContext& context) {
  CheckInputCount(context, 2, 3);
  RequireInteger(context, 0);
  CheckScale(context);
  return {{DataType::kFloat, InputShape(context, 0)}};
}

void ExecuteDequantizeLinear(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor &in = *inputs[0], &scale = *inputs[1];
  const Tensor* zero_point = At(inputs, 2);
  const Steps steps = StepsOf(node, in.shape, scale);
  for (size_t i = 0; i < in.integers.size(); ++i) {
    const size_t step = i / steps.inner % steps.count;
    outputs[0].floats[i] =
        static_cast<float>(WrappingSub(in.integers[i], ZeroPoint(zero_point, step))) *
        scale.floats[step];
  }
}

std::vector<OutputType> InferDynamicQuantizeLinear(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  RequireFloat(context, 0);
  return {
      {DataType::kUInt8, InputShape(context, 0)}, {DataType::kFloat, {}}, {DataType::kUInt8, {}}};
}

void ExecuteDynamicQuantizeLinear(const Node&, Inputs inputs, Outputs outputs, Workspace&) {
  const std::vector<float>& in = inputs[0]->floats;
  float low = 0, high = 0;
  for (const float value : in) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const float scale = high > low ? (high - low) / 255 : 1.0f;
  const float zero_point = std::clamp(std::nearbyint(-low / scale), 0.0f, 255.0f);
  for (size_t i = 0; i < in.size(); ++i) {
    const float code = std::nearbyint(in[i] / scale) + zero_point;
    outputs[0].integers[i] =
        std::isnan(code) ? 0 : static_cast<int64_t>(std::clamp(code, 0.0f, 255.0f));
  }
  outputs[1].floats[0] = scale;
  outputs[2].integers[0] = ToInt64(static_cast<double>(zero_point));
}

}  // namespace octet::operators
