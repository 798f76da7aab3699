// x / c becomes x * (1 / c), to one rounding; not for a zero, or an inverse outside the normal
// floats.
#include <cmath>

#include "converter/passes/editor.h"

namespace octet::passes {

bool DivConstantToMul(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Tensor* constant = editor.Constant(node.inputs[1]);
  if (constant == nullptr || !constant->IsFloat() || editor.IsConstant(node.inputs[0]))
    return false;
  Tensor inverse = *constant;
  for (float& value : inverse.floats) {
    value = static_cast<float>(1.0 / static_cast<double>(value));
    if (!std::isnormal(value)) return false;
  }
  editor.SetConstantInput(n, 1, graph::Constant::Uncoded(std::move(inverse)),
                          editor.Value(node.inputs[1]).name + "_inverse");
  editor.At(n).op = "Mul";
  editor.At(n).since_opset = 13;
  return true;
}

}  // namespace octet::passes
