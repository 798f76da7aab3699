#include "converter/quantize/states.h"

#include "converter/operators/operator.h"
#include "converter/operators/recurrent.h"

namespace octet::quantize {
namespace {

bool OnlyMoves(const graph::Node& node) {
  const operators::Int8 kind = operators::Int8Of(node);
  return kind == operators::Int8::kKeepsScale || kind == operators::Int8::kJoins;
}

}  // namespace

std::vector<bool> MovesStates(const graph::Graph& graph) {
  std::vector<bool> marked(graph.nodes.size()), wanted(graph.values.size()), made(wanted);
  const auto add = [&](graph::ValueId id, std::vector<bool>* to) {
    if (id == graph::kNoValue || graph.At(id).type != graph::DataType::kFloat) return;
    (*to)[static_cast<size_t>(id)] = true;
  };
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const graph::Node& node = graph.nodes[n];
    marked[n] = OnlyMoves(node) && graph::AnyOf(node.outputs, wanted);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (marked[n] || operators::ReadsHalves(node, i)) add(node.inputs[i], &wanted);
    }
  }
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const graph::Node& node = graph.nodes[n];
    const bool moves = OnlyMoves(node) && graph::AnyOf(node.inputs, made);
    marked[n] = marked[n] || moves;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (moves || (i > 0 && operators::WritesHalves(node))) add(node.outputs[i], &made);
    }
  }
  return marked;
}

}  // namespace octet::quantize
