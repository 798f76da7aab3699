#include "converter/quantize/positions.h"

#include <utility>

#include "converter/operators/meaning.h"
#include "converter/operators/weights.h"

namespace octet::quantize {

std::vector<bool> MakersOf(const graph::Graph& graph, std::vector<bool> wanted) {
  std::vector<bool> marked(graph.nodes.size());
  // Nodes stand behind those that they read, so that one walk sees every reader first.
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const graph::Node& node = graph.nodes[n];
    if (operators::SumsProducts(node)) continue;
    marked[n] = graph::AnyOf(node.outputs, wanted);
    if (!marked[n]) continue;
    for (const graph::ValueId id : graph::Present(node.inputs)) {
      if (graph.At(id).type != graph::DataType::kFloat) continue;
      wanted[static_cast<size_t>(id)] = true;
    }
  }
  return marked;
}

std::vector<bool> SampledPositions(const graph::Graph& graph) {
  std::vector<bool> wanted(graph.values.size());
  for (const graph::Node& node : graph.nodes) {
    const int sampled = operators::PositionsInput(node.op);
    if (sampled >= 0) wanted[static_cast<size_t>(node.inputs[static_cast<size_t>(sampled)])] = true;
  }
  return MakersOf(graph, std::move(wanted));
}

}  // namespace octet::quantize
