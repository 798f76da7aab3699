// Reshape, Expand and Tile to the shape a value has go.
#include "converter/passes/editor.h"

namespace octet::passes {

bool RemoveNoopReshape(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Shape* in = editor.KnownShape(node.inputs[0]);
  const Shape* out = editor.KnownShape(node.outputs[0]);
  return in != nullptr && out != nullptr && *in == *out && editor.Bypass(n);
}

}  // namespace octet::passes
