// Concat, Sum, Max and Min of one value are that value.
#include "converter/passes/editor.h"

namespace octet::passes {

int RemoveSingleConcat(graph::Graph& graph) {
  Editor editor(graph);
  editor.ForEach({"Concat", "Sum", "Max", "Min", "Mean"},
                 [&](int n) { return editor.At(n).inputs.size() == 1 && editor.Bypass(n); });
  return editor.Finish();
}

}  // namespace octet::passes
