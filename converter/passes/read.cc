#include "converter/passes/read.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace octet::passes {

using graph::Graph;
using graph::kNoValue;
using graph::Node;
using graph::Tensor;
using graph::ValueId;

namespace {

ValueId InputOrNone(const Node& node, size_t input) {
  return input < node.inputs.size() ? node.inputs[input] : kNoValue;
}

}  // namespace

std::optional<float> ConstantScalar(const Graph& graph, ValueId id) {
  const Tensor* tensor = graph.Constant(id);
  if (tensor == nullptr || !tensor->IsFloat() || tensor->floats.size() != 1) return std::nullopt;
  return tensor->floats[0];
}

std::optional<std::vector<int64_t>> ConstantInts(const Graph& graph, const Node& node,
                                                 size_t input) {
  const Tensor* tensor = graph.Constant(InputOrNone(node, input));
  if (tensor == nullptr || tensor->IsFloat()) return std::nullopt;
  return tensor->integers;
}

std::optional<ClipBounds> ReadClipBounds(const Graph& graph, const Node& node) {
  ClipBounds bounds{std::numeric_limits<float>::lowest(), std::numeric_limits<float>::max()};
  bounds.min = node.Float("min", bounds.min);
  bounds.max = node.Float("max", bounds.max);
  float* const targets[] = {&bounds.min, &bounds.max};
  for (size_t i = 0; i < 2; ++i) {
    const ValueId id = InputOrNone(node, i + 1);
    if (id == kNoValue) continue;
    const std::optional<float> bound = ConstantScalar(graph, id);
    if (!bound) return std::nullopt;
    *targets[i] = *bound;
  }
  return bounds;
}

std::optional<std::vector<int64_t>> ReadAxes(const Graph& graph, const Node& node, size_t input,
                                             int64_t rank) {
  std::vector<int64_t> axes = node.Ints("axes");
  if (InputOrNone(node, input) != kNoValue) {
    const auto constant = ConstantInts(graph, node, input);
    if (!constant) return std::nullopt;
    axes = *constant;
  }
  for (int64_t& axis : axes) {
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return std::nullopt;
  }
  std::sort(axes.begin(), axes.end());
  return axes;
}

std::optional<PadSpec> ReadPad(const Graph& graph, const Node& node, int64_t rank) {
  PadSpec spec;
  spec.constant_mode = node.String("mode", "constant") == "constant";
  std::vector<int64_t> amounts = node.Ints("pads");
  spec.value = node.Float("value", 0);
  if (InputOrNone(node, 1) != kNoValue) {
    const auto constant = ConstantInts(graph, node, 1);
    if (!constant) return std::nullopt;
    amounts = *constant;
  }
  if (InputOrNone(node, 2) != kNoValue) {
    const std::optional<float> value = ConstantScalar(graph, node.inputs[2]);
    if (!value) return std::nullopt;
    spec.value = *value;
  }
  std::vector<int64_t> axes;
  if (InputOrNone(node, 3) != kNoValue) {
    const auto constant = ConstantInts(graph, node, 3);
    if (!constant) return std::nullopt;
    axes = *constant;
  } else {
    for (int64_t i = 0; i < rank; ++i) axes.push_back(i);
  }
  if (amounts.size() != 2 * axes.size()) return std::nullopt;
  spec.begin.assign(static_cast<size_t>(rank), 0);
  spec.end = spec.begin;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    if (axis < 0 || axis >= rank) return std::nullopt;
    spec.begin[static_cast<size_t>(axis)] = amounts[i];
    spec.end[static_cast<size_t>(axis)] = amounts[i + axes.size()];
  }
  return spec;
}

std::optional<std::vector<float>> PerAxisConstant(const Tensor& tensor, int64_t rank, int64_t axis,
                                                  int64_t count) {
  const int64_t own_rank = static_cast<int64_t>(tensor.shape.size());
  if (!tensor.IsFloat() || own_rank > rank) return std::nullopt;
  for (int64_t i = 0; i < own_rank; ++i) {
    const int64_t dim = tensor.shape[static_cast<size_t>(i)];
    const bool is_axis = i + rank - own_rank == axis;
    if (dim != 1 && !(is_axis && dim == count)) return std::nullopt;
  }
  if (tensor.floats.size() == 1) {
    return std::vector<float>(static_cast<size_t>(count), tensor.floats[0]);
  }
  return tensor.floats;
}

std::optional<ScaleShift> ReadBatchNorm(const Graph& graph, const Node& node) {
  if (node.inputs.size() < 5 || node.Int("training_mode", 0) != 0 || !node.activation.empty()) {
    return std::nullopt;
  }
  const Tensor* parts[4];
  for (size_t i = 0; i < 4; ++i) {
    parts[i] = graph.Constant(node.inputs[i + 1]);
    if (parts[i] == nullptr || !parts[i]->IsFloat()) return std::nullopt;
    if (parts[i]->floats.size() != parts[0]->floats.size()) return std::nullopt;
  }
  const double epsilon = static_cast<double>(node.Float("epsilon", 1e-5f));
  ScaleShift result;
  for (size_t c = 0; c < parts[0]->floats.size(); ++c) {
    const double scale = parts[0]->floats[c] / std::sqrt(parts[3]->floats[c] + epsilon);
    result.scale.push_back(static_cast<float>(scale));
    result.shift.push_back(static_cast<float>(parts[1]->floats[c] - parts[2]->floats[c] * scale));
  }
  return result;
}

std::optional<SpatialAttributes> ReadSpatialAttributes(const Node& node,
                                                       const std::vector<int64_t>& kernel) {
  if (node.String("auto_pad", "NOTSET") != "NOTSET") return std::nullopt;
  const size_t rank = kernel.size();
  const std::vector<int64_t> ones(rank, 1);
  SpatialAttributes window;
  window.kernel = kernel;
  window.strides = node.Ints("strides", ones);
  window.dilations = node.Ints("dilations", ones);
  window.pads = node.Ints("pads", std::vector<int64_t>(2 * rank, 0));
  if (window.strides.size() != rank || window.dilations.size() != rank ||
      window.pads.size() != 2 * rank) {
    return std::nullopt;
  }
  return window;
}

}  // namespace octet::passes
