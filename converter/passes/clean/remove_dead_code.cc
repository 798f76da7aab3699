// Nodes whose results nobody uses go; from the last to the first, so that one sweep takes whole
// chains.
#include <vector>

#include "converter/graph/graph.h"

namespace octet::passes {

int RemoveDeadCode(graph::Graph& graph) {
  std::vector<bool> used(graph.values.size(), false);
  for (const graph::ValueId id : graph.outputs) used[static_cast<size_t>(id)] = true;
  std::vector<bool> dead(graph.nodes.size(), false);
  int count = 0;
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    bool needed = false;
    for (const graph::ValueId id : graph.nodes[i].outputs) {
      needed = needed || (id != graph::kNoValue && used[static_cast<size_t>(id)]);
    }
    if (!needed) {
      dead[i] = true;
      ++count;
      continue;
    }
    for (const graph::ValueId id : graph.nodes[i].inputs) {
      if (id != graph::kNoValue) used[static_cast<size_t>(id)] = true;
    }
  }
  if (count != 0) graph.RemoveNodes(dead);
  return count;
}

}  // namespace octet::passes
