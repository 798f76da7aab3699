// BatchNormalization (inference), InstanceNormalization, LayerNormalization. Statistics are summed
// in double.
#include <algorithm>
#include <cmath>

#include "converter/operators/norm_parameters.h"
#include "converter/operators/registry.h"

namespace octet::operators {
namespace {

void RequireParameter(const ShapeContext& context, size_t index, const char* what,
                      const Shape& shape) {
  RequireFloat(context, index);
  if (InputShape(context, index) != shape) {
    ShapeFail(context, "the {} (input {}) must have shape {}", what, index, graph::ToString(shape));
  }
}

struct Moments {
  double mean;
  double variance;
};

Moments MomentsOf(const float* values, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += values[i];
  const double mean = sum / static_cast<double>(count);
  double squares = 0;
  for (int64_t i = 0; i < count; ++i) squares += (values[i] - mean) * (values[i] - mean);
  return {mean, squares / static_cast<double>(count)};
}

void Affine(const float* in, int64_t count, double factor, double offset, float* out) {
  const auto a = static_cast<float>(factor);
  const auto b = static_cast<float>(offset);
  for (int64_t i = 0; i < count; ++i) out[i] = in[i] * a + b;
}

}  // namespace

std::vector<OutputType> InferBatchNormalization(const ShapeContext& context) {
  CheckInputCount(context, 5, 5);
  CheckOutputCount(context, 1);
  RequireFloat(context, 0);
  if (context.node->Int("training_mode", 0) != 0) ShapeFail(context, "is in training mode");
  const Shape& shape = InputShape(context, 0);
  if (shape.size() < 2) ShapeFail(context, "input 0 must have at least 2 dimensions");
  RequireElements(context, 0);
  const char* names[] = {"data", "scale", "bias", "mean", "variance"};
  for (size_t i = 1; i < 5; ++i) RequireParameter(context, i, names[i], {shape[1]});
  return {{DataType::kFloat, shape}};
}

void ExecuteBatchNormalization(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  const double epsilon = node.Float("epsilon", 1e-5f);
  const int64_t channels = in.shape[1];
  const int64_t pixels = Product(in.shape, 2, in.shape.size());
  for (int64_t n = 0; n < in.shape[0]; ++n) {
    for (int64_t c = 0; c < channels; ++c) {
      const auto at = static_cast<size_t>(c);
      const double factor = inputs[1]->floats[at] / std::sqrt(inputs[4]->floats[at] + epsilon);
      const double offset = inputs[2]->floats[at] - inputs[3]->floats[at] * factor;
      const int64_t plane = (n * channels + c) * pixels;
      Affine(in.floats.data() + plane, pixels, factor, offset, outputs[0].floats.data() + plane);
    }
  }
}

std::vector<OutputType> InferInstanceNormalization(const ShapeContext& context) {
  CheckInputCount(context, 3, 3);
  RequireFloat(context, 0);
  const Shape& shape = InputShape(context, 0);
  if (shape.size() < 3) ShapeFail(context, "input 0 must have at least 3 dimensions");
  RequireElements(context, 0);
  RequireParameter(context, 1, "scale", {shape[1]});
  RequireParameter(context, 2, "bias", {shape[1]});
  return {{DataType::kFloat, shape}};
}

void ExecuteInstanceNormalization(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  const double epsilon = node.Float("epsilon", 1e-5f);
  const int64_t channels = in.shape[1];
  const int64_t pixels = Product(in.shape, 2, in.shape.size());
  for (int64_t p = 0; p < in.shape[0] * channels; ++p) {
    const auto channel = static_cast<size_t>(p % channels);
    const float* plane = in.floats.data() + p * pixels;
    const Moments moments = MomentsOf(plane, pixels);
    const double factor = inputs[1]->floats[channel] / std::sqrt(moments.variance + epsilon);
    const double offset = inputs[2]->floats[channel] - moments.mean * factor;
    Affine(plane, pixels, factor, offset, outputs[0].floats.data() + p * pixels);
  }
}

std::vector<OutputType> InferLayerNormalization(const ShapeContext& context) {
  CheckInputCount(context, 2, 3);
  RequireFloat(context, 0);
  RequireElements(context, 0);
  const Shape& shape = InputShape(context, 0);
  const auto axis = static_cast<size_t>(
      NormalizeAxis(*context.node, context.node->Int("axis", -1), shape.size()));
  for (size_t i = 1; i < 3; ++i) {
    if (HasInput(context, i)) RequireNormParameter(context, i, axis);
  }
  Shape statistics = shape;
  std::fill(statistics.begin() + static_cast<int64_t>(axis), statistics.end(), 1);
  std::vector<OutputType> types{{DataType::kFloat, shape}};
  // The mean and the inverse of the deviation.
  const size_t outputs = std::min<size_t>(context.node->outputs.size(), 3);
  while (types.size() < outputs) types.push_back({DataType::kFloat, statistics});
  return types;
}

void ExecuteLayerNormalization(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  const Tensor* bias = At(inputs, 2);
  const double epsilon = node.Float("epsilon", 1e-5f);
  const auto axis = static_cast<size_t>(NormalizeAxis(node, node.Int("axis", -1), in.shape.size()));
  const int64_t rows = Product(in.shape, 0, axis);
  const int64_t count = Product(in.shape, axis, in.shape.size());
  for (int64_t r = 0; r < rows; ++r) {
    const float* row = in.floats.data() + r * count;
    float* out = outputs[0].floats.data() + r * count;
    const Moments moments = MomentsOf(row, count);
    const double factor = 1.0 / std::sqrt(moments.variance + epsilon);
    Affine(row, count, factor, -moments.mean * factor, out);
    const auto at = static_cast<size_t>(r);
    if (outputs.size() > 1) outputs[1].floats[at] = static_cast<float>(moments.mean);
    if (outputs.size() > 2) outputs[2].floats[at] = static_cast<float>(factor);
  }
  ApplyNormParameter(*inputs[1], axis, outputs[0], [](float x, float scale) { return x * scale; });
  if (bias == nullptr) return;
  ApplyNormParameter(*bias, axis, outputs[0], [](float x, float offset) { return x + offset; });
}

}  // namespace octet::operators
