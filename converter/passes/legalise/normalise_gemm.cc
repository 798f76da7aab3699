// Gemm with a constant matrix in one form: y = x * W^T + b with x [M, K], W [N, K], b [N] or
// absent: transA = 0, transB = 1, alpha = beta = 1. A third operand of another kind becomes an Add
// behind it.
#include "converter/passes/editor.h"
#include "converter/passes/read.h"

namespace octet::passes {

namespace {

// W [N, K], multiplied by alpha.
graph::Constant Normalised(const graph::Constant& matrix, bool transposed, float alpha) {
  const int64_t rows = matrix->shape[0], columns = matrix->shape[1];
  Shape shape = transposed ? matrix->shape : Shape{columns, rows};
  std::vector<int64_t> sources(matrix->floats.size());
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      const int64_t at = transposed ? r * columns + c : c * rows + r;
      sources[static_cast<size_t>(at)] = r * columns + c;
    }
  }
  graph::Constant result = matrix.Gathered(std::move(shape), sources);
  return alpha == 1 ? result : result.Multiplied(std::vector<float>(sources.size(), alpha));
}

// A separate Add of beta * C, which is no bias along N.
void DetachAddend(Editor& editor, int n, ValueId addend, float beta, const Shape& shape) {
  const std::string name = editor.At(n).name;
  const ValueId out = editor.At(n).outputs[0];
  const ValueId product = editor.NewValue(name + "_product", graph::DataType::kFloat, shape);
  editor.SetOutput(n, 0, product);
  if (beta != 1) {
    const ValueId factor = editor.NewConstant(name + "_beta", Tensor::Floats({}, {beta}));
    const Shape addend_shape = editor.ShapeOf(addend);
    const ValueId scaled = editor.NewValue(name + "_addend", graph::DataType::kFloat, addend_shape);
    editor.AddNode(n, "Mul", name + "_scale", {addend, factor}, {scaled});
    addend = scaled;
  }
  editor.AddNode(n, "Add", name + "_add", {product, addend}, {out});
}

}  // namespace

bool NormaliseGemm(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Tensor* matrix = editor.Constant(node.inputs[1]);
  const Shape shape = editor.ShapeOf(node.outputs[0]);
  const Shape& in = editor.ShapeOf(node.inputs[0]);
  if (matrix == nullptr || !matrix->IsFloat() || !node.activation.empty()) {
    return false;
  }
  const bool trans_a = node.Int("transA", 0) != 0, trans_b = node.Int("transB", 0) != 0;
  const float alpha = node.Float("alpha", 1), beta = node.Float("beta", 1);
  const ValueId addend = node.inputs.size() > 2 ? node.inputs[2] : graph::kNoValue;
  const Tensor* bias = editor.Constant(addend);
  const bool is_bias_normal =
      addend == graph::kNoValue || (beta == 1 && bias != nullptr && bias->shape == Shape{shape[1]});
  if (!trans_a && trans_b && alpha == 1 && is_bias_normal) return false;

  const std::string name = node.name;
  if (trans_a) {
    const ValueId turned =
        editor.NewValue(name + "_turned", graph::DataType::kFloat, {in[1], in[0]});
    const int turn = editor.AddNode(n, "Transpose", name + "_turn", {node.inputs[0]}, {turned});
    editor.At(turn).attributes["perm"] = std::vector<int64_t>{1, 0};
    editor.SetInput(n, 0, turned);
  }
  if (!trans_b || alpha != 1) {
    editor.SetConstantInput(n, 1, Normalised(editor.Value(node.inputs[1]).constant, trans_b, alpha),
                            editor.Value(node.inputs[1]).name + "_normalised");
  }
  if (!is_bias_normal) {
    auto values = bias == nullptr ? std::nullopt : PerAxisConstant(*bias, 2, 1, shape[1]);
    if (values) {
      const graph::Constant& old = editor.Value(addend).constant;
      const bool same = beta == 1 && old->Count() == shape[1];
      for (float& value : *values) value *= beta;
      editor.SetConstantInput(
          n, 2,
          same ? old.Reshaped({shape[1]})
               : graph::Constant::Uncoded(Tensor::Floats({shape[1]}, std::move(*values))),
          name + "_bias");
    } else {
      editor.SetInputs(n, {editor.At(n).inputs[0], editor.At(n).inputs[1]});
      DetachAddend(editor, n, addend, beta, shape);
    }
  }
  Node& changed = editor.At(n);
  changed.since_opset = 13;
  changed.attributes = {{"transB", int64_t{1}}};
  return true;
}

}  // namespace octet::passes
