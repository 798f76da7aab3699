// x - c becomes x + (-c), exactly.
#include "converter/passes/editor.h"

namespace octet::passes {

bool SubConstantToAdd(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Tensor* constant = editor.Constant(node.inputs[1]);
  if (constant == nullptr || !constant->IsFloat() || editor.IsConstant(node.inputs[0]))
    return false;
  Tensor negated = *constant;
  for (float& value : negated.floats) value = -value;
  editor.SetConstantInput(n, 1, graph::Constant::Uncoded(std::move(negated)),
                          editor.Value(node.inputs[1]).name + "_negated");
  editor.At(n).op = "Add";
  editor.At(n).since_opset = 13;
  return true;
}

}  // namespace octet::passes
