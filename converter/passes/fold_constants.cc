// A node all of whose inputs are constant becomes its results.
#include <algorithm>
#include <memory>
#include <utility>

#include "converter/operators/operator.h"
#include "converter/passes/editor.h"
#include "converter/passes/quantization.h"

namespace octet::passes {

namespace {

// Folding must not blow the model up (Expand, Tile, ConstantOfShape): results may be as large as
// the inputs together, or 2^20 elements (4 MiB of floats).
constexpr int64_t kMaxGrownCount = int64_t{1} << 20;

// The codes of constants and their scales are read from these as they stand.
bool IsKept(std::string_view op) {
  return op == "DequantizeLinear";
}

// What is left of the scheme of quantized constants that only move.
std::shared_ptr<const graph::Given> MovedGiven(const graph::Graph& graph, const Node& node) {
  if (node.inputs.empty() || node.inputs[0] == graph::kNoValue) return nullptr;
  const std::shared_ptr<const graph::Given>& given = graph.At(node.inputs[0]).given;
  if (given == nullptr || !MovesCodes(node.op)) return nullptr;
  const bool keeps_order = node.op == "Identity" || node.op == "Reshape" || node.op == "Flatten" ||
                           node.op == "Squeeze" || node.op == "Unsqueeze";
  graph::Given moved = *given;
  if (!keeps_order) moved.codes = nullptr;
  if (moved.scales.size() > 1) {
    if (node.op != "Transpose") return nullptr;
    const std::vector<int64_t> perm = node.Ints("perm");
    const auto at = std::find(perm.begin(), perm.end(), moved.axis);
    if (at == perm.end()) return nullptr;
    moved.axis = at - perm.begin();
  }
  return std::make_shared<const graph::Given>(std::move(moved));
}

}  // namespace

int FoldConstants(graph::Graph& graph) {
  Editor editor(graph);
  editor.ForEach({}, [&](int n) {
    const Node& node = editor.At(n);
    if (IsKept(node.op) || !node.activation.empty() || operators::Find(node.op) == nullptr)
      return false;
    int64_t input_count = 0;
    for (const ValueId id : node.inputs) {
      if (id == graph::kNoValue) continue;
      const Tensor* tensor = editor.Constant(id);
      if (tensor == nullptr) return false;
      input_count += tensor->Count();
    }
    int64_t output_count = 0;
    for (const ValueId id : node.outputs) {
      if (id == graph::kNoValue) continue;
      const Shape* shape = editor.KnownShape(id);
      // A graph output stays the result of a node.
      if (shape == nullptr || editor.IsOutput(id)) return false;
      output_count += graph::ElementCount(*shape);
    }
    if (output_count > std::max(input_count, kMaxGrownCount)) return false;

    std::vector<Tensor> results = operators::Evaluate(graph, node);
    for (size_t i = 0; i < node.outputs.size() && i < results.size(); ++i) {
      if (node.outputs[i] == graph::kNoValue) continue;
      graph::Value& value = editor.Value(node.outputs[i]);
      value.given = MovedGiven(graph, node);
      value.type = results[i].type;
      value.shape = results[i].shape;
      value.constant = std::make_shared<const Tensor>(std::move(results[i]));
    }
    editor.Remove(n);
    return true;
  });
  return editor.Finish();
}

}  // namespace octet::passes
