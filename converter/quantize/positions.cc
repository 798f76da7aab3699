#include "converter/quantize/positions.h"

#include "converter/operators/meaning.h"
#include "converter/operators/weights.h"

namespace octet::quantize {

std::vector<bool> SampledPositions(const graph::Graph& graph) {
  std::vector<bool> marked(graph.nodes.size()), wanted(graph.values.size());
  // Nodes stand behind those that they read, so that one walk sees every reader first.
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const graph::Node& node = graph.nodes[n];
    for (const graph::ValueId id : node.outputs) {
      marked[n] = marked[n] || (id != graph::kNoValue && wanted[static_cast<size_t>(id)]);
    }
    const int sampled = operators::PositionsInput(node.op);
    if (sampled >= 0) wanted[static_cast<size_t>(node.inputs[static_cast<size_t>(sampled)])] = true;
    if (operators::IsContraction(node)) marked[n] = false;
    if (!marked[n]) continue;
    for (const graph::ValueId id : node.inputs) {
      if (id == graph::kNoValue || graph.At(id).type != graph::DataType::kFloat) continue;
      wanted[static_cast<size_t>(id)] = true;
    }
  }
  return marked;
}

}  // namespace octet::quantize
