// A DequantizeLinear of constant codes becomes the real values, which remember their codes' scales;
// a layer that reads them as its weights remembers the scale of each of its outputs.
#include <algorithm>

#include "converter/operators/operator.h"
#include "converter/passes/editor.h"
#include "converter/passes/quantization.h"

namespace octet::passes {

namespace {

// One scale an output of a ConvTranspose with weights [inputs, outputs / groups, ...]; empty where
// an output has several.
std::vector<float> ScalesOfTransposed(const graph::Given& given, const Shape& shape,
                                      int64_t groups) {
  const int64_t outputs = shape[1] * groups, group_inputs = shape[0] / groups;
  std::vector<float> scales;
  for (int64_t o = 0; o < outputs; ++o) {
    if (given.axis == 1) {
      scales.push_back(given.scales[static_cast<size_t>(o % shape[1])]);
      continue;
    }
    const auto first = given.scales.begin() + o / shape[1] * group_inputs;
    const auto differs = [first](float scale) { return scale != *first; };
    if (given.axis != 0 || std::any_of(first, first + group_inputs, differs)) return {};
    scales.push_back(*first);
  }
  return scales;
}

// One scale an output of the layer; empty where an output has several.
std::vector<float> ScalesByOutput(const Node& node, const graph::Given& given, const Shape& shape) {
  const bool transposed = node.op == "ConvTranspose";
  const int64_t groups = transposed ? node.Int("group", 1) : 1;
  int64_t axis = transposed || shape.size() == 2 ? 1 : 0;
  if (node.op == "Conv" || (node.op == "Gemm" && node.Int("transB", 0) != 0)) axis = 0;
  if (node.op == "MatMul" && shape.size() != 2) return {};
  const int64_t count = shape[static_cast<size_t>(axis)] * groups;
  if (given.scales.size() == 1) {
    return std::vector<float>(static_cast<size_t>(count), given.scales[0]);
  }
  if (given.axis < 0 || given.axis >= static_cast<int64_t>(shape.size()) ||
      given.scales.size() != static_cast<size_t>(shape[static_cast<size_t>(given.axis)])) {
    return {};
  }
  if (transposed) return ScalesOfTransposed(given, shape, groups);
  return given.axis == axis ? given.scales : std::vector<float>();
}

}  // namespace

int DequantizeConstants(graph::Graph& graph) {
  Editor editor(graph);
  editor.ForEach({"DequantizeLinear"}, [&](int n) {
    const Node& node = editor.At(n);
    const Tensor* codes = editor.Constant(node.inputs[0]);
    if (codes == nullptr || editor.IsOutput(node.outputs[0])) return false;
    const auto quantization = ReadQuantization(editor, node);
    if (!quantization) return false;
    graph::Value& value = editor.Value(node.outputs[0]);
    value.constant = std::make_shared<const Tensor>(operators::Evaluate(graph, node)[0]);
    value.shape = value.constant->shape;
    value.type = graph::DataType::kFloat;
    if (quantization->given != nullptr) {
      graph::Given given = *quantization->given;
      if (given.type == graph::DataType::kInt32) {
        given.codes = graph.At(node.inputs[0]).constant;
      }
      value.given = std::make_shared<const graph::Given>(std::move(given));
    }
    editor.Remove(n);
    return true;
  });
  return editor.Finish();
}

int TakeWeightScales(graph::Graph& graph) {
  Editor editor(graph);
  editor.ForEach({"Conv", "ConvTranspose", "Gemm", "MatMul"}, [&](int n) {
    Node& node = editor.At(n);
    if (!node.weight_scales.empty() || node.inputs.size() < 2) return false;
    const Tensor* weights = editor.Constant(node.inputs[1]);
    const graph::Given* given = graph.At(node.inputs[1]).given.get();
    if (weights == nullptr || given == nullptr || weights->shape.size() < 2) return false;
    if (given->type != graph::DataType::kInt8) return false;
    std::vector<float> scales = ScalesByOutput(node, *given, weights->shape);
    if (scales.empty()) return false;
    node.weight_scales = std::move(scales);
    const size_t count = node.weight_scales.size();
    if (node.inputs.size() < 3 || node.inputs[2] == graph::kNoValue) return true;
    const graph::Given* bias = graph.At(node.inputs[2]).given.get();
    if (bias == nullptr || bias->codes == nullptr ||
        bias->codes->Count() != static_cast<int64_t>(count))
      return true;
    const auto is_zero = [](int z) { return z == 0; };
    if (!std::all_of(bias->zero_points.begin(), bias->zero_points.end(), is_zero)) return true;
    node.bias_codes = bias->codes->integers;
    node.bias_scales = bias->scales;
    node.bias_scales.resize(count, bias->scales[0]);
    return true;
  });
  return editor.Finish();
}

}  // namespace octet::passes
