// Pad by nothing goes.
#include "converter/passes/editor.h"
#include "converter/passes/read.h"

namespace octet::passes {

int RemoveNoopPad(graph::Graph& graph) {
  Editor editor(graph);
  editor.ForEach({"Pad"}, [&](int n) {
    const Node& node = editor.At(n);
    const auto pad = ReadPad(graph, node, editor.Rank(node.inputs[0]));
    if (!pad) return false;
    for (const auto& amounts : {pad->begin, pad->end}) {
      for (const int64_t amount : amounts) {
        if (amount != 0) return false;
      }
    }
    return editor.Bypass(n);
  });
  return editor.Finish();
}

}  // namespace octet::passes
