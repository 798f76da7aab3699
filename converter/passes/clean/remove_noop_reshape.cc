// Reshape, Expand and Tile to the shape a value has go.
#include "converter/passes/editor.h"

namespace octet::passes {

bool RemoveNoopReshape(Editor& editor, int n) {
  const Node& node = editor.At(n);
  return editor.ShapeOf(node.inputs[0]) == editor.ShapeOf(node.outputs[0]) && editor.Bypass(n);
}

}  // namespace octet::passes
