// Flatten, Squeeze, Unsqueeze, and Reshape with a computed, partial or zero-copying shape become
// Reshape to a constant shape.
#include "converter/passes/editor.h"
#include "converter/passes/read.h"

namespace octet::passes {

bool ViewToReshape(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Shape* known = editor.KnownShape(node.outputs[0]);
  if (known == nullptr || graph::ElementCount(*known) == 0) return false;
  if (node.op == "Reshape" && node.attributes.empty()) {
    const auto target = ConstantInts(editor.graph(), node, 1);
    if (target && *target == *known) return false;
  }
  const ValueId data = node.inputs[0];
  const Shape target = *known;
  const ValueId shape = editor.NewConstant(
      node.name + "_shape", Tensor::Integers({static_cast<int64_t>(target.size())}, target));
  editor.Become(n, "Reshape", {data, shape});
  return true;
}

}  // namespace octet::passes
