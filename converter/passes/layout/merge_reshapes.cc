// Reshape of a Reshape is the last Reshape: with a constant shape it depends on nothing but the
// elements' order.
#include "converter/passes/editor.h"

namespace octet::passes {

bool MergeReshapes(Editor& editor, int n) {
  const Node& node = editor.At(n);
  // A 0 or -1 in the target would be read against the inner shape.
  const Tensor* target = editor.Constant(node.inputs[1]);
  const int inner = editor.ProducerIf(node.inputs[0], "Reshape");
  if (inner < 0 || target == nullptr) return false;
  for (const int64_t dim : target->integers) {
    if (dim <= 0) return false;
  }
  editor.SetInput(n, 0, editor.At(inner).inputs[0]);
  if (editor.Consumers(editor.At(inner).outputs[0]).empty() &&
      !editor.IsOutput(editor.At(inner).outputs[0])) {
    editor.Remove(inner);
  }
  return true;
}

}  // namespace octet::passes
