#include "converter/operators/weights.h"

#include <algorithm>

#include "converter/operators/operator.h"

#include "converter/operators/recurrent.h"

namespace octet::operators {
namespace {

const LayerForm& FormOf(std::string_view op) {
  const Operator* known = Find(op);
  return known == nullptr ? layers::kNone : known->layer;
}

}  // namespace

Clamping ClampingOf(std::string_view op) {
  return FormOf(op).clamping;
}

bool HasBiasInput(std::string_view op) {
  return FormOf(op).has_bias;
}

bool IsContraction(const graph::Node& node) {
  return FormOf(node.op).has_weights;
}

bool SumsProducts(const graph::Node& node) {
  return IsContraction(node) || IsRecurrent(node);
}

bool IsConvolution(const graph::Node& node) {
  const LayerForm& form = FormOf(node.op);
  return form.has_weights && form.axis == 0;
}

std::optional<Weights> WeightsOf(const graph::Graph& graph, const graph::Node& node) {
  const LayerForm& form = FormOf(node.op);
  if (!form.has_weights || node.inputs.size() < 2) return std::nullopt;
  Weights weights;
  weights.tensor = graph.Constant(node.inputs[weights.input]);
  if (weights.tensor == nullptr || !weights.tensor->IsFloat()) return std::nullopt;
  const graph::Shape& shape = weights.tensor->shape;
  if (shape.size() < 2 || weights.tensor->Count() == 0) return std::nullopt;
  const auto rank = static_cast<int64_t>(shape.size());
  const bool transposed = form.axis < 0 && node.Int("transB", 0) != 0;
  const int64_t axis = transposed ? rank - 2 : form.axis < 0 ? form.axis + rank : form.axis;
  weights.axis = static_cast<size_t>(axis);
  weights.outputs = shape[weights.axis] * (form.axis == 1 ? node.Int("group", 1) : 1);
  weights.products = weights.tensor->Count() / weights.outputs;
  if (form.axis < 0) weights.products = shape[static_cast<size_t>(2 * rank - 3 - axis)];
  const auto& result = graph.At(node.outputs[0]).shape;
  if (form.result_axis >= 0) {
    weights.result_axis = static_cast<size_t>(form.result_axis);
  } else if (result && !result->empty()) {
    weights.result_axis = result->size() - 1;
  }
  return weights;
}

int64_t ProductsOf(const graph::Graph& graph, const graph::Node& node) {
  if (!SumsProducts(node)) return 0;
  const auto& read = graph.At(node.inputs[0]).shape;
  if (IsRecurrent(node)) {
    // Every weight meets every step of every sequence once.
    int64_t weights = 0;
    for (const size_t input : {kRecurrentW, kRecurrentR}) {
      if (const auto& shape = graph.At(node.inputs[input]).shape) {
        weights += graph::ElementCount(*shape);
      }
    }
    return read && read->size() > 1 ? (*read)[0] * (*read)[1] * weights : weights;
  }
  int64_t elements = 0;
  for (const graph::ValueId id : graph::Present(node.outputs)) {
    if (graph.At(id).shape) {
      elements += graph::ElementCount(*graph.At(id).shape);
    }
  }
  if (const auto weights = WeightsOf(graph, node)) return weights->products * elements;
  return read && !read->empty() ? read->back() * elements : elements;
}

std::vector<size_t> OutputsOfElements(const Weights& weights) {
  const graph::Shape& shape = weights.tensor->shape;
  const auto axis_size = static_cast<size_t>(shape[weights.axis]);
  size_t inner = 1;
  for (size_t i = weights.axis + 1; i < shape.size(); ++i) inner *= static_cast<size_t>(shape[i]);
  const size_t count = weights.tensor->floats.size();
  const size_t groups = static_cast<size_t>(weights.outputs) / axis_size;
  std::vector<size_t> outputs(count);
  for (size_t i = 0; i < count; ++i) {
    outputs[i] = i / (count / groups) * axis_size + i / inner % axis_size;
  }
  return outputs;
}

std::vector<float> CodedScalesOf(const graph::Graph& graph, const graph::Node& node) {
  const auto weights = WeightsOf(graph, node);
  const bool matrix = weights && node.op == "MatMul" && weights->tensor->shape.size() != 2;
  if (!weights || matrix) return {};
  const graph::Codes* codes = graph.At(node.inputs[weights->input]).constant.codes();
  if (codes == nullptr || !codes->integers.empty()) return {};
  const auto outputs = static_cast<size_t>(weights->outputs);
  if (codes->scales.size() == 1) return std::vector<float>(outputs, codes->scales[0]);
  std::vector<float> scales(outputs, -1);
  const std::vector<size_t> of = codes->ScaleOfElements(), at = OutputsOfElements(*weights);
  for (size_t i = 0; i < at.size(); ++i) {
    float& scale = scales[at[i]];
    const float own = codes->scales[of[i]];
    scale = scale < 0 || scale == own ? own : 0;
  }
  const auto none = [](float scale) { return scale <= 0; };
  return std::all_of(scales.begin(), scales.end(), none) ? std::vector<float>() : scales;
}

CodedBias CodedBiasOf(const graph::Graph& graph, const graph::Node& node) {
  const auto weights = WeightsOf(graph, node);
  if (!weights || node.inputs.size() < 3 || node.inputs[2] == graph::kNoValue) return {};
  const graph::Codes* codes = graph.At(node.inputs[2]).constant.codes();
  const auto is_zero = [](int zero_point) { return zero_point == 0; };
  if (codes == nullptr || codes->integers.size() != static_cast<size_t>(weights->outputs) ||
      !std::all_of(codes->zero_points.begin(), codes->zero_points.end(), is_zero)) {
    return {};
  }
  CodedBias bias{codes->integers, {}};
  for (const size_t scale : codes->ScaleOfElements()) bias.scales.push_back(codes->scales[scale]);
  return bias;
}

}  // namespace octet::operators
