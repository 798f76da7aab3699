// Identity goes, except between a graph input and a graph output; so does a Where whose condition
// is the same constant everywhere, such as that of a mask that masks nothing: what it does not
// choose may be minus infinity, which no scale holds.
#include <algorithm>

#include "converter/passes/editor.h"

namespace octet::passes {

int RemoveIdentity(graph::Graph& graph) {
  Editor editor(graph);
  editor.ForEach({"Where"}, [&](int n) {
    const Node& node = editor.At(n);
    const Tensor* condition = editor.Constant(node.inputs[0]);
    if (condition == nullptr || condition->integers.empty() || !node.activation.empty()) {
      return false;
    }
    const auto is_true = [](int64_t c) { return c != 0; };
    const bool all = std::all_of(condition->integers.begin(), condition->integers.end(), is_true);
    if (!all && std::any_of(condition->integers.begin(), condition->integers.end(), is_true)) {
      return false;
    }
    const ValueId chosen = node.inputs[all ? 1 : 2];
    if (editor.ShapeOf(chosen) != editor.ShapeOf(node.outputs[0])) return false;
    editor.Become(n, "Identity", {chosen});
    return true;
  });
  editor.ForEach({"Identity"}, [&](int n) { return editor.Bypass(n); });
  return editor.Finish();
}

}  // namespace octet::passes
