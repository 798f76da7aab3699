// A node all of whose inputs are constant becomes its results.
#include <algorithm>
#include <numeric>
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

// Where each element of the results stands in input 0, of an operator that takes them from there.
std::vector<Tensor> Sources(const graph::Graph& graph, const Node& node) {
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
  for (graph::ValueId& id : copy.outputs) id = indices.AddValue({});
  return operators::Evaluate(indices, copy);
}

// The results of a node as constants: codes move with their elements.
std::vector<graph::Constant> ResultsOf(const graph::Graph& graph, const Node& node) {
  std::vector<graph::Constant> constants;
  std::vector<Tensor> results = operators::Evaluate(graph, node);
  const graph::Constant* source = node.inputs.empty() || node.inputs[0] == graph::kNoValue
                                      ? nullptr
                                      : &graph.At(node.inputs[0]).constant;
  const bool moves = source != nullptr && source->codes() != nullptr &&
                     operators::OnCodesOf(node.op) == operators::OnCodes::kPlaces;
  const std::vector<Tensor> places = moves ? Sources(graph, node) : std::vector<Tensor>();
  for (size_t i = 0; i < results.size(); ++i) {
    // The mask of Dropout is no codes.
    constants.push_back(moves && results[i].IsFloat()
                            ? source->Gathered(results[i].shape, places[i].integers)
                            : graph::Constant::Real(std::move(results[i])));
  }
  return constants;
}

}  // namespace

bool FoldConstants(Editor& editor, int n) {
  const Node& node = editor.At(n);
  if (IsKept(node.op) || !node.activation.empty() || operators::Find(node.op) == nullptr)
    return false;
  int64_t input_count = 0;
  for (const ValueId id : graph::Present(node.inputs)) {
    const Tensor* tensor = editor.Constant(id);
    if (tensor == nullptr) return false;
    input_count += tensor->Count();
  }
  int64_t output_count = 0;
  for (const ValueId id : graph::Present(node.outputs)) {
    const Shape& shape = editor.ShapeOf(id);
    // A graph output stays the result of a node.
    if (editor.IsOutput(id)) return false;
    output_count += graph::ElementCount(shape);
  }
  if (output_count > std::max(input_count, kMaxGrownCount)) return false;

  std::vector<graph::Constant> results = ResultsOf(editor.graph(), node);
  for (size_t i = 0; i < results.size(); ++i) {
    if (node.outputs[i] == graph::kNoValue) continue;
    editor.SetConstant(node.outputs[i], std::move(results[i]));
  }
  editor.Remove(n);
  return true;
}

}  // namespace octet::passes
