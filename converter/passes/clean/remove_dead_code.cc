// Nodes whose results nobody uses go; from the last to the first, so that one sweep takes whole
// chains.
#include "converter/graph/graph.h"

namespace octet::passes {

int RemoveDeadCode(graph::Graph& graph) {
  const size_t before = graph.nodes.size();
  graph.RemoveUnread();
  return static_cast<int>(before - graph.nodes.size());
}

}  // namespace octet::passes
