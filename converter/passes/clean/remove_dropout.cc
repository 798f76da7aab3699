// Dropout does nothing at inference; one whose mask is used stays.
#include "converter/passes/editor.h"

namespace octet::passes {

bool RemoveDropout(Editor& editor, int n) {
  // A training_mode input that is not a constant false asks for randomness.
  const Node& node = editor.At(n);
  if (node.inputs.size() > 2 && node.inputs[2] != graph::kNoValue) {
    const Tensor* training = editor.Constant(node.inputs[2]);
    if (training == nullptr || training->integers.size() != 1 || training->integers[0] != 0)
      return false;
  }
  if (editor.Bypass(n)) return true;
  // Between an input and an output of the editor.graph(), or of a value that is an output itself.
  if (node.outputs.size() != 1) return false;
  editor.Become(n, "Identity", {node.inputs[0]});
  return true;
}

}  // namespace octet::passes
