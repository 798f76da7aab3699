// Gemm whose second matrix is computed as well: alpha * A' B' + beta * C spelt out as transposes,
// MatMul, Mul and Add.
#include "converter/passes/editor.h"

namespace octet::passes {

bool SplitComputedGemm(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Shape shape = editor.ShapeOf(node.outputs[0]);
  if (editor.IsConstant(node.inputs[1]) || !node.activation.empty()) {
    return false;
  }
  const std::string name = node.name;
  const bool turned[2] = {node.Int("transA", 0) != 0, node.Int("transB", 0) != 0};
  const float alpha = node.Float("alpha", 1), beta = node.Float("beta", 1);
  const bool has_addend = node.inputs.size() > 2 && node.inputs[2] != graph::kNoValue;
  const std::vector<ValueId> inputs = node.inputs;
  std::vector<ValueId> operands{inputs[0], inputs[1]};
  for (size_t i = 0; i < 2; ++i) {
    if (!turned[i]) continue;
    const Shape own = editor.ShapeOf(inputs[i]);
    operands[i] = editor.NewValue(name + "_turned", graph::DataType::kFloat, {own[1], own[0]});
    const int turn = editor.AddNode(n, "Transpose", name + "_turn", {inputs[i]}, {operands[i]});
    editor.At(turn).attributes["perm"] = std::vector<int64_t>{1, 0};
  }
  const auto scaled = [&](ValueId value, const Shape& value_shape, float factor) {
    if (factor == 1) return value;
    const ValueId constant = editor.NewConstant(name + "_factor", Tensor::Floats({}, {factor}));
    const ValueId result = editor.NewValue(name + "_scaled", graph::DataType::kFloat, value_shape);
    editor.AddNode(n, "Mul", name + "_scale", {value, constant}, {result});
    return result;
  };
  if (alpha == 1 && !has_addend) {
    editor.Become(n, "MatMul", operands);
    return true;
  }
  const ValueId product = editor.NewValue(name + "_product", graph::DataType::kFloat, shape);
  editor.AddNode(n, "MatMul", name + "_matmul", operands, {product});
  const ValueId sum = scaled(product, shape, alpha);
  if (!has_addend) {
    editor.Become(n, "Identity", {sum});
    return true;
  }
  const Shape addend_shape = editor.ShapeOf(inputs[2]);
  const ValueId addend = scaled(inputs[2], addend_shape, beta);
  editor.Become(n, "Add", {sum, addend});
  return true;
}

}  // namespace octet::passes
