// MatMul with a constant [K, N] matrix becomes Gemm with transB = 1, and takes a constant bias [N]
// added behind it. Leading dimensions are flattened: [..., K] -> Reshape [M, K] -> Gemm [M, N] ->
// Reshape [..., N].
#include "converter/passes/editor.h"
#include "converter/passes/read.h"

namespace octet::passes {

namespace {

graph::Constant Transposed(const graph::Constant& matrix) {
  const int64_t rows = matrix->shape[0], columns = matrix->shape[1];
  std::vector<int64_t> sources(matrix->floats.size());
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      sources[static_cast<size_t>(c * rows + r)] = r * columns + c;
    }
  }
  return matrix.Gathered({columns, rows}, sources);
}

struct Bias {
  int add = -1;
  std::vector<float> values;
};

// A following Add of a constant along the last dimension.
Bias FindBias(Editor& editor, ValueId result, int64_t rank, int64_t columns) {
  const int add = editor.OnlyConsumer(result, {"Add"});
  if (add < 0) return {};
  const Node& node = editor.At(add);
  const Tensor* constant = editor.Constant(node.inputs[node.inputs[0] == result ? 1 : 0]);
  if (constant == nullptr || !node.activation.empty()) return {};
  const auto values = PerAxisConstant(*constant, rank, rank - 1, columns);
  return values ? Bias{add, *values} : Bias{};
}

}  // namespace

bool MatMulToGemm(Editor& editor, int n) {
  const ValueId data = editor.At(n).inputs[0];
  const Tensor* matrix = editor.Constant(editor.At(n).inputs[1]);
  const Shape shape = editor.ShapeOf(data);
  if (matrix == nullptr || !matrix->IsFloat() || matrix->shape.size() != 2 || shape.size() < 2 ||
      !editor.At(n).activation.empty()) {
    return false;
  }
  const int64_t k = matrix->shape[0], columns = matrix->shape[1];
  const int64_t rows = graph::ElementCount(shape) / k;
  const std::string name = editor.At(n).name;
  const graph::Constant& weights = editor.Value(editor.At(n).inputs[1]).constant;
  const std::string weights_name = editor.Value(editor.At(n).inputs[1]).name + "_transposed";

  std::vector<ValueId> inputs = {data, editor.NewConstant(weights_name, Transposed(weights))};
  Bias bias =
      FindBias(editor, editor.At(n).outputs[0], static_cast<int64_t>(shape.size()), columns);
  if (bias.add >= 0) {
    inputs.push_back(editor.NewConstant(name + "_bias", Tensor::Floats({columns}, bias.values)));
    editor.Absorb(n, bias.add);
  }
  if (shape.size() == 2) {
    editor.Become(n, "Gemm", inputs);
    editor.At(n).attributes["transB"] = int64_t{1};
    return true;
  }
  const auto reshape_to = [&](const Shape& target) {
    return editor.NewConstant(name + "_shape",
                              Tensor::Integers({static_cast<int64_t>(target.size())}, target));
  };
  Shape result = shape;
  result.back() = columns;
  const ValueId flat = editor.NewValue(name + "_flat", graph::DataType::kFloat, {rows, k});
  const ValueId product =
      editor.NewValue(name + "_product", graph::DataType::kFloat, {rows, columns});
  editor.AddNode(n, "Reshape", name + "_flatten", {data, reshape_to({rows, k})}, {flat});
  inputs[0] = flat;
  const int gemm = editor.AddNode(n, "Gemm", name + "_gemm", inputs, {product});
  editor.At(gemm).attributes["transB"] = int64_t{1};
  editor.Become(n, "Reshape", {product, reshape_to(result)});
  return true;
}

}  // namespace octet::passes
