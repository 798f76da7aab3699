// MaxUnpool becomes ScatterElements into zeros, over the whole as a list, and where another size is
// asked for a Pad behind it.
#include <vector>

#include "converter/operators/unpool.h"
#include "converter/passes/editor.h"

namespace octet::passes {

bool UnpoolToScatter(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Shape& in = editor.ShapeOf(node.inputs[0]);
  const Shape& out = editor.ShapeOf(node.outputs[0]);
  const Shape result = out, pooled = operators::UnpooledShape(node, in);
  const int64_t count = graph::ElementCount(in), places = graph::ElementCount(pooled);
  constexpr graph::DataType kFloat = graph::DataType::kFloat;
  const std::string name = node.name;
  const ValueId x = node.inputs[0], indices = node.inputs[1];
  const auto shape_constant = [&](const Shape& shape) {
    return editor.NewConstant(name + "_shape",
                              Tensor::Integers({static_cast<int64_t>(shape.size())}, shape));
  };
  const auto as_list = [&](ValueId id, graph::DataType type) {
    const ValueId list = editor.NewValue(name + "_list", type, {count});
    editor.AddNode(n, "Reshape", name + "_reshape", {id, shape_constant({count})}, {list});
    return list;
  };
  const ValueId zeros = editor.NewConstant(
      name + "_zeros",
      Tensor::Floats({places}, std::vector<float>(static_cast<size_t>(places), 0.0f)));
  const ValueId list = editor.NewValue(name + "_scattered", kFloat, {places});
  const ValueId index_list = as_list(indices, editor.Value(indices).type);
  const ValueId values = as_list(x, kFloat);
  const int scatter =
      editor.AddNode(n, "ScatterElements", name + "_scatter", {zeros, index_list, values}, {list});
  editor.At(scatter).attributes["axis"] = int64_t{0};
  if (pooled == result) {
    editor.Become(n, "Reshape", {list, shape_constant(result)});
    return true;
  }
  const ValueId picture = editor.NewValue(name + "_pooled", kFloat, pooled);
  editor.AddNode(n, "Reshape", name + "_unlist", {list, shape_constant(pooled)}, {picture});
  std::vector<int64_t> pads(2 * result.size(), 0);
  for (size_t d = 0; d < result.size(); ++d) pads[d + result.size()] = result[d] - pooled[d];
  const ValueId margins = editor.NewConstant(
      name + "_pads", Tensor::Integers({static_cast<int64_t>(pads.size())}, pads));
  editor.Become(n, "Pad", {picture, margins});
  return true;
}

}  // namespace octet::passes
