// A Slice that keeps everything goes: positive steps that leave every dimension as long as it was.
#include "converter/passes/editor.h"
#include "converter/passes/read.h"

namespace octet::passes {

bool RemoveNoopSlice(Editor& editor, int n) {
  const Node& node = editor.At(n);
  if (editor.ShapeOf(node.inputs[0]) != editor.ShapeOf(node.outputs[0])) return false;
  if (node.inputs.size() > 4 && node.inputs[4] != graph::kNoValue) {
    const auto steps = ConstantInts(editor.graph(), node, 4);
    if (!steps) return false;
    for (const int64_t step : *steps) {
      if (step < 0) return false;  // reverses
    }
  }
  return editor.Bypass(n);
}

}  // namespace octet::passes
