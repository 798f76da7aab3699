// GatherElements whose indices are a list repeated over all other dimensions (as exporters write
// the choice of whole rows) becomes Gather.

#include "converter/passes/editor.h"

namespace octet::passes {

bool GatherElementsToGather(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Shape& data = editor.ShapeOf(node.inputs[0]);
  const Shape& indices = editor.ShapeOf(node.inputs[1]);
  int repeat = editor.ProducerIf(node.inputs[1], "Tile");
  if (repeat < 0) repeat = editor.ProducerIf(node.inputs[1], "Expand");
  if (repeat < 0) return false;
  const ValueId list = editor.At(repeat).inputs[0];
  const Shape& shape = editor.ShapeOf(list);
  int64_t axis = node.Int("axis", 0);
  if (axis < 0) axis += static_cast<int64_t>(data.size());
  if (shape.size() != data.size()) return false;
  for (size_t d = 0; d < data.size(); ++d) {
    const bool along = static_cast<int64_t>(d) == axis;
    if (along ? shape[d] != indices[d] : shape[d] != 1 || indices[d] != data[d]) {
      return false;
    }
  }
  const int64_t count = shape[static_cast<size_t>(axis)];
  const std::string name = node.name;
  const ValueId flat = editor.NewValue(name + "_list", editor.Value(list).type, {count});
  const ValueId target = editor.NewConstant(name + "_shape", Tensor::Integers({1}, {count}));
  editor.AddNode(n, "Reshape", name + "_reshape", {list, target}, {flat});
  editor.Become(n, "Gather", {editor.At(n).inputs[0], flat});
  editor.At(n).attributes["axis"] = axis;
  return true;
}

}  // namespace octet::passes
