// DepthToSpace and SpaceToDepth become Reshape, Transpose, Reshape. With block b, input [N, C, H,
// W]:
//   DepthToSpace DCR: [N, b, b, C/b^2, H, W] -> (0, 3, 4, 1, 5, 2) -> [N, C/b^2, H*b, W*b]
//   DepthToSpace CRD: [N, C/b^2, b, b, H, W] -> (0, 1, 4, 2, 5, 3) -> [N, C/b^2, H*b, W*b]
//   SpaceToDepth:     [N, C, H/b, b, W/b, b] -> (0, 3, 5, 1, 2, 4) -> [N, C*b^2, H/b, W/b]
#include <vector>

#include "converter/passes/editor.h"

namespace octet::passes {

bool DepthSpaceToTranspose(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Shape& in = editor.ShapeOf(node.inputs[0]);
  const Shape target = editor.ShapeOf(node.outputs[0]);
  const int64_t b = node.Int("blocksize", 0);
  if (in.size() != 4 || b < 1) return false;
  const int64_t batch = in[0], c = in[1], h = in[2], w = in[3];
  Shape split;
  std::vector<int64_t> perm;
  if (node.op == "SpaceToDepth") {
    split = {batch, c, h / b, b, w / b, b};
    perm = {0, 3, 5, 1, 2, 4};
  } else if (node.String("mode", "DCR") == "DCR") {
    split = {batch, b, b, c / (b * b), h, w};
    perm = {0, 3, 4, 1, 5, 2};
  } else {
    split = {batch, c / (b * b), b, b, h, w};
    perm = {0, 1, 4, 2, 5, 3};
  }
  Shape moved;
  for (const int64_t axis : perm) moved.push_back(split[static_cast<size_t>(axis)]);

  const ValueId data = node.inputs[0];
  const std::string& name = node.name;
  const graph::DataType type = editor.Value(data).type;
  const auto shape_constant = [&](const Shape& shape) {
    return editor.NewConstant(name + "_shape",
                              Tensor::Integers({static_cast<int64_t>(shape.size())}, shape));
  };
  const ValueId blocks = editor.NewValue(name + "_blocks", type, split);
  const ValueId transposed = editor.NewValue(name + "_transposed", type, moved);
  editor.AddNode(n, "Reshape", name + "_split", {data, shape_constant(split)}, {blocks});
  const int transpose = editor.AddNode(n, "Transpose", name + "_transpose", {blocks}, {transposed});
  editor.At(transpose).attributes["perm"] = perm;
  editor.Become(n, "Reshape", {transposed, shape_constant(target)});
  return true;
}

}  // namespace octet::passes
