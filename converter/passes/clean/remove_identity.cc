// Identity goes, except between a graph input and a graph output.
#include "converter/passes/editor.h"

namespace octet::passes {

int RemoveIdentity(graph::Graph& graph) {
  Editor editor(graph);
  editor.ForEach({"Identity"}, [&](int n) { return editor.Bypass(n); });
  return editor.Finish();
}

}  // namespace octet::passes
