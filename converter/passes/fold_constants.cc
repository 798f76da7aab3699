// A node all of whose inputs are constant becomes its results.
#include <algorithm>
#include <memory>
#include <utility>

#include "converter/operators/operator.h"
#include "converter/passes/editor.h"

namespace octet::passes {

namespace {

// Folding must not blow the model up (Expand, Tile, ConstantOfShape): results may be as large as
// the inputs together, or 2^20 elements (4 MiB of floats).
constexpr int64_t kMaxGrownCount = int64_t{1} << 20;

// Quantization of weights is read from these nodes as it stands.
bool IsKept(std::string_view op) {
  return op == "QuantizeLinear" || op == "DequantizeLinear";
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
