// A node all of whose inputs are constant becomes its results.
#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "converter/operators/operator.h"
#include "converter/passes/editor.h"

namespace octet::passes {

namespace {

// Folding must not blow the model up (Expand, Tile, ConstantOfShape): results may be as large as
// the inputs together, or 2^20 elements (4 MiB of floats).
constexpr int64_t kMaxGrownCount = int64_t{1} << 20;

// The codes of constants and their scales are read from these as they stand.
bool IsKept(std::string_view op) {
  return op == "DequantizeLinear";
}

// Where each element of the result stands in input 0, for operators that move elements of integers
// as well; nullopt for any other.
std::optional<std::vector<int64_t>> Sources(const graph::Graph& graph, const Node& node) {
  for (const std::string_view op : {"Transpose", "Reshape", "Squeeze", "Unsqueeze", "Flatten",
                                    "Slice", "Identity", "Gather", "Expand", "Tile"}) {
    if (node.op != op) continue;
    graph::Graph indices;
    indices.opsets = graph.opsets;
    Node copy = node;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == graph::kNoValue) continue;
      Tensor input = *graph.Constant(node.inputs[i]);
      if (i == 0) {
        std::vector<int64_t> places(input.floats.size());
        std::iota(places.begin(), places.end(), int64_t{0});
        input = Tensor::Integers(input.shape, std::move(places));
      }
      copy.inputs[i] = indices.AddConstant(std::to_string(i), std::move(input));
    }
    graph::Value result;
    result.name = "places";
    copy.outputs = {indices.AddValue(std::move(result))};
    return operators::Evaluate(indices, copy)[0].integers;
  }
  return std::nullopt;
}

// The results of a node as constants: codes move with their elements.
graph::Constant ResultOf(const graph::Graph& graph, const Node& node, Tensor result) {
  if (node.inputs.empty() || node.inputs[0] == graph::kNoValue) {
    return graph::Constant::Real(std::move(result));
  }
  const graph::Constant& source = graph.At(node.inputs[0]).constant;
  const auto places =
      source.codes() != nullptr && node.outputs.size() == 1 ? Sources(graph, node) : std::nullopt;
  return places ? source.Gathered(result.shape, *places) : graph::Constant::Real(std::move(result));
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
      editor.SetConstant(node.outputs[i], ResultOf(graph, node, std::move(results[i])));
    }
    editor.Remove(n);
    return true;
  });
  return editor.Finish();
}

}  // namespace octet::passes
