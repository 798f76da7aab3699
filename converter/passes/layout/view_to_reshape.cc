// Flatten, Squeeze, Unsqueeze, and Reshape with a computed, partial or zero-copying shape become
// Reshape to a constant shape.
#include "converter/passes/editor.h"
#include "converter/passes/read.h"

namespace octet::passes {

bool ViewToReshape(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Shape target = editor.ShapeOf(node.outputs[0]);
  if (graph::ElementCount(target) == 0) return false;
  if (node.op == "Reshape" && node.attributes.empty()) {
    const auto asked = ConstantInts(editor.graph(), node, 1);
    if (asked && *asked == target) return false;
  }
  const ValueId data = node.inputs[0];
  const ValueId shape = editor.NewConstant(
      node.name + "_shape", Tensor::Integers({static_cast<int64_t>(target.size())}, target));
  editor.Become(n, "Reshape", {data, shape});
  return true;
}

}  // namespace octet::passes
