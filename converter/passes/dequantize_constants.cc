// A DequantizeLinear of constant codes becomes the real values, which remember their codes' scales;
// a layer that reads them as its weights remembers the scale of each of its outputs.
#include <algorithm>

#include "converter/operators/operator.h"
#include "converter/passes/editor.h"
#include "converter/passes/quantization.h"

namespace octet::passes {

namespace {

// The axis of a layer's weights that counts its outputs, -1 where none does.
int64_t OutputAxis(const Node& node, size_t rank) {
  if (node.op == "Conv") return 0;
  if (node.op == "ConvTranspose") return node.Int("group", 1) == 1 ? 1 : -1;
  if (node.op == "Gemm") return node.Int("transB", 0) != 0 ? 0 : 1;
  return rank == 2 ? 1 : -1;  // MatMul
}

int64_t OutputCount(const Node& node, const Shape& shape, int64_t axis) {
  const int64_t groups = node.op == "ConvTranspose" ? node.Int("group", 1) : 1;
  return axis < 0 ? shape[1] * groups : shape[static_cast<size_t>(axis)];
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
    const int64_t axis = OutputAxis(node, weights->shape.size());
    const bool by_output = given->scales.size() > 1;
    if (given->type != graph::DataType::kInt8 || (by_output && given->axis != axis)) return false;
    if (axis < 0 && node.op == "MatMul") return false;
    const int64_t count = OutputCount(node, weights->shape, axis);
    if (by_output && given->scales.size() != static_cast<size_t>(count)) return false;
    node.weight_scales = given->scales;
    node.weight_scales.resize(static_cast<size_t>(count), given->scales[0]);
    if (node.inputs.size() < 3 || node.inputs[2] == graph::kNoValue) return true;
    const graph::Given* bias = graph.At(node.inputs[2]).given.get();
    if (bias == nullptr || bias->codes == nullptr || bias->codes->Count() != count) return true;
    const auto is_zero = [](int z) { return z == 0; };
    if (!std::all_of(bias->zero_points.begin(), bias->zero_points.end(), is_zero)) return true;
    node.bias_codes = bias->codes->integers;
    node.bias_scales = bias->scales;
    node.bias_scales.resize(static_cast<size_t>(count), bias->scales[0]);
    return true;
  });
  return editor.Finish();
}

}  // namespace octet::passes
