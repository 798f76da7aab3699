// Normalizations that name their axes: GroupNormalization, RMSNormalization,
// MeanVarianceNormalization, LpNormalization, LRN. Sums run in double.
#include <algorithm>
#include <array>
#include <cmath>

#include "converter/operators/broadcast.h"
#include "converter/operators/norm_parameters.h"
#include "converter/operators/registry.h"
#include "converter/support/functions.h"

namespace octet::operators {
namespace {

std::vector<OutputType> LikeInput(const ShapeContext& context) {
  RequireFloat(context, 0);
  RequireElements(context, 0);
  return {{DataType::kFloat, InputShape(context, 0)}};
}

// out = (in - mean) * factor for runs of `count` elements.
template <typename F>
void ScaleRuns(const Tensor& in, int64_t count, Tensor& out, F moments) {
  for (int64_t at = 0; at < in.Count(); at += count) {
    const float* from = in.floats.data() + at;
    const auto [mean, factor] = moments(from);
    for (int64_t i = 0; i < count; ++i) {
      out.floats[static_cast<size_t>(at + i)] =
          static_cast<float>((static_cast<double>(from[i]) - mean) * factor);
    }
  }
}

std::array<double, 2> MeanAndVariance(const float* values, int64_t count) {
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < count; ++i) sum += values[i];
  const double mean = sum / static_cast<double>(count);
  for (int64_t i = 0; i < count; ++i) squares += (values[i] - mean) * (values[i] - mean);
  return {mean, squares / static_cast<double>(count)};
}

}  // namespace

std::vector<OutputType> InferGroupNormalization(const ShapeContext& context) {
  CheckInputCount(context, 3, 3);
  const Shape& shape = InputShape(context, 0);
  if (shape.size() < 2) ShapeFail(context, "input 0 must have at least 2 dimensions");
  const int64_t groups = context.node->Int("num_groups", 0);
  if (groups < 1 || shape[1] % groups != 0) {
    ShapeFail(context, "{} channels cannot be divided into {} groups", shape[1], groups);
  }
  for (size_t i = 1; i < 3; ++i) {
    RequireFloat(context, i);
    const Shape& own = InputShape(context, i);
    if (own != Shape{shape[1]} && own != Shape{groups}) {
      ShapeFail(context, "input {} must have one value per channel or per group", i);
    }
  }
  return LikeInput(context);
}

void ExecuteGroupNormalization(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  const double epsilon = node.Float("epsilon", 1e-5f);
  const int64_t channels = in.shape[1], groups = node.Int("num_groups", 1);
  const int64_t pixels = Product(in.shape, 2, in.shape.size());
  ScaleRuns(in, channels / groups * pixels, outputs[0], [&](const float* values) {
    const auto [mean, variance] = MeanAndVariance(values, channels / groups * pixels);
    return std::array<double, 2>{mean, 1 / std::sqrt(variance + epsilon)};
  });
  const auto parameter = [&](const Tensor& tensor, int64_t channel) {
    const bool by_group = tensor.Count() != channels;
    return tensor.floats[static_cast<size_t>(by_group ? channel / (channels / groups) : channel)];
  };
  for (int64_t plane = 0; plane < in.shape[0] * channels; ++plane) {
    const float scale = parameter(*inputs[1], plane % channels);
    const float bias = parameter(*inputs[2], plane % channels);
    float* out = outputs[0].floats.data() + plane * pixels;
    for (int64_t i = 0; i < pixels; ++i) out[i] = out[i] * scale + bias;
  }
}

std::vector<OutputType> InferRmsNormalization(const ShapeContext& context) {
  CheckInputCount(context, 2, 2);
  const Shape& shape = InputShape(context, 0);
  const auto axis = static_cast<size_t>(
      NormalizeAxis(*context.node, context.node->Int("axis", -1), shape.size()));
  RequireNormParameter(context, 1, axis);
  return LikeInput(context);
}

void ExecuteRmsNormalization(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  const double epsilon = node.Float("epsilon", 1e-5f);
  const auto axis = static_cast<size_t>(NormalizeAxis(node, node.Int("axis", -1), in.shape.size()));
  const int64_t count = Product(in.shape, axis, in.shape.size());
  ScaleRuns(in, count, outputs[0], [&](const float* values) {
    double squares = 0;
    for (int64_t i = 0; i < count; ++i) squares += static_cast<double>(values[i]) * values[i];
    return std::array<double, 2>{0, 1 / std::sqrt(squares / static_cast<double>(count) + epsilon)};
  });
  ApplyNormParameter(*inputs[1], axis, outputs[0], [](float x, float scale) { return x * scale; });
}

std::vector<OutputType> InferMeanVarianceNormalization(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  NormalizeAxes(*context.node, context.node->Ints("axes", {0, 2, 3}),
                InputShape(context, 0).size());
  return LikeInput(context);
}

void ExecuteMeanVarianceNormalization(const Node& node, Inputs inputs, Outputs outputs,
                                      Workspace&) {
  const Tensor& in = *inputs[0];
  Shape kept = in.shape;
  for (int64_t axis : NormalizeAxes(node, node.Ints("axes", {0, 2, 3}), kept.size())) {
    kept[static_cast<size_t>(axis)] = 1;
  }
  const auto groups = static_cast<size_t>(graph::ElementCount(kept));
  const double count = static_cast<double>(in.Count()) / static_cast<double>(groups);
  std::vector<double> mean(groups), squares(groups);
  const auto plan = PlanBroadcast<2>({&in.shape, &kept}, in.shape);
  const auto each = [&](auto f) {
    ForEachRow<2>(plan, [&](const std::array<int64_t, 2>& offsets, int64_t at, int64_t size,
                            const std::array<int64_t, 2>& strides) {
      for (int64_t i = 0; i < size; ++i) {
        f(static_cast<size_t>(at + i), static_cast<size_t>(offsets[1] + i * strides[1]));
      }
    });
  };
  each([&](size_t at, size_t group) { mean[group] += in.floats[at] / count; });
  each([&](size_t at, size_t group) {
    const double distance = in.floats[at] - mean[group];
    squares[group] += distance * distance;
  });
  constexpr double kEpsilon = 1e-9;  // of the function in the operator's specification
  each([&](size_t at, size_t group) {
    outputs[0].floats[at] = static_cast<float>((in.floats[at] - mean[group]) /
                                               (std::sqrt(squares[group] / count) + kEpsilon));
  });
}

std::vector<OutputType> InferLpNormalization(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  const Node& node = *context.node;
  NormalizeAxis(node, node.Int("axis", -1), InputShape(context, 0).size());
  const int64_t p = node.Int("p", 2);
  if (p != 1 && p != 2) ShapeFail(context, "p is {}, but only 1 and 2 are defined", p);
  return LikeInput(context);
}

void ExecuteLpNormalization(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  const auto axis = static_cast<size_t>(NormalizeAxis(node, node.Int("axis", -1), in.shape.size()));
  const bool absolute = node.Int("p", 2) == 1;
  const int64_t count = in.shape[axis], inner = Product(in.shape, axis + 1, in.shape.size());
  for (int64_t line = 0; line < in.Count() / count; ++line) {
    const auto start = static_cast<size_t>(line / inner * count * inner + line % inner);
    double sum = 0;
    for (int64_t k = 0; k < count; ++k) {
      const double x = in.floats[start + static_cast<size_t>(k * inner)];
      sum += absolute ? std::fabs(x) : x * x;
    }
    const double norm = absolute ? sum : std::sqrt(sum);
    for (int64_t k = 0; k < count; ++k) {
      const size_t at = start + static_cast<size_t>(k * inner);
      outputs[0].floats[at] = norm == 0 ? 0.0f : static_cast<float>(in.floats[at] / norm);
    }
  }
}

std::vector<OutputType> InferLrn(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  if (InputShape(context, 0).size() < 2) ShapeFail(context, "input 0 has no channels");
  if (context.node->Int("size", 0) < 1) ShapeFail(context, "size must be at least 1");
  return LikeInput(context);
}

void ExecuteLrn(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  const int64_t size = node.Int("size", 1), channels = in.shape[1];
  const double alpha = node.Float("alpha", 1e-4f) / static_cast<double>(size);
  const double beta = node.Float("beta", 0.75f), bias = node.Float("bias", 1.0f);
  const int64_t pixels = Product(in.shape, 2, in.shape.size());
  const int64_t before = std::min((size - 1) / 2, channels), after = std::min(size / 2, channels);
  for (int64_t plane = 0; plane < in.shape[0] * channels; ++plane) {
    const int64_t c = plane % channels, first = plane - c;
    const int64_t begin = std::max<int64_t>(0, c - before), end = std::min(channels, c + after + 1);
    for (int64_t i = 0; i < pixels; ++i) {
      double sum = 0;
      for (int64_t k = begin; k < end; ++k) {
        const double x = in.floats[static_cast<size_t>((first + k) * pixels + i)];
        sum += x * x;
      }
      const auto at = static_cast<size_t>(plane * pixels + i);
      outputs[0].floats[at] =
          static_cast<float>(in.floats[at] / math::Pow(bias + alpha * sum, beta));
    }
  }
}

}  // namespace octet::operators
