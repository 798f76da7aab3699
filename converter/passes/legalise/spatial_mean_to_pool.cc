// ReduceMean over both spatial axes of [N, C, H, W] is GlobalAveragePool, and a Reshape when the
// axes are dropped.
#include "converter/passes/editor.h"
#include "converter/passes/read.h"

namespace octet::passes {

bool SpatialMeanToPool(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Shape& in = editor.ShapeOf(node.inputs[0]);
  if (in.size() != 4 || !editor.IsFloat(node.inputs[0])) return false;
  const auto axes = ReadAxes(editor.graph(), node, 1, 4);
  if (!axes || *axes != std::vector<int64_t>{2, 3}) return false;
  const ValueId data = node.inputs[0];
  if (node.Int("keepdims", 1) != 0) {
    editor.Become(n, "GlobalAveragePool", {data});
    return true;
  }
  const Shape pooled_shape = {in[0], in[1], 1, 1};
  const std::string name = node.name;
  const ValueId pooled = editor.NewValue(name + "_pooled", graph::DataType::kFloat, pooled_shape);
  const ValueId shape = editor.NewConstant(
      name + "_shape", Tensor::Integers({2}, {pooled_shape[0], pooled_shape[1]}));
  editor.AddNode(n, "GlobalAveragePool", name + "_pool", {data}, {pooled});
  editor.Become(n, "Reshape", {pooled, shape});
  return true;
}

}  // namespace octet::passes
