// Casts between float types go (all floats are held as float), and casts to the type a value has.
#include "converter/passes/editor.h"

namespace octet::passes {

int RemoveCast(graph::Graph& graph) {
  Editor editor(graph);
  editor.ForEach({"Cast", "CastLike"}, [&](int n) {
    const Node& node = editor.At(n);
    const graph::DataType type = editor.Value(node.inputs[0]).type;
    return type == editor.Value(node.outputs[0]).type && editor.Bypass(n);
  });
  return editor.Finish();
}

}  // namespace octet::passes
