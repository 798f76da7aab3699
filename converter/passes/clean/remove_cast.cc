// Casts between float types go (all floats are held as float), and casts to the type a value has.
#include "converter/passes/editor.h"

namespace octet::passes {

bool RemoveCast(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const graph::DataType type = editor.Value(node.inputs[0]).type;
  return type == editor.Value(node.outputs[0]).type && editor.Bypass(n);
}

}  // namespace octet::passes
