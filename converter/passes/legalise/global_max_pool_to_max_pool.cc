// GlobalMaxPool is MaxPool with a window of the whole image.
#include "converter/passes/editor.h"

namespace octet::passes {

bool GlobalMaxPoolToMaxPool(Editor& editor, int n) {
  const Shape& in = editor.ShapeOf(editor.At(n).inputs[0]);
  if (in.size() != 4) return false;
  const std::vector<int64_t> kernel = {in[2], in[3]};
  editor.Become(n, "MaxPool", {editor.At(n).inputs[0]});
  Node& node = editor.At(n);
  node.attributes["kernel_shape"] = kernel;
  node.attributes["strides"] = std::vector<int64_t>{1, 1};
  node.attributes["dilations"] = std::vector<int64_t>{1, 1};
  node.attributes["pads"] = std::vector<int64_t>{0, 0, 0, 0};
  return true;
}

}  // namespace octet::passes
