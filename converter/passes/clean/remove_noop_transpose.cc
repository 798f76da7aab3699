// A Transpose that moves nothing goes; one that moves only dimensions of one element is a Reshape.
#include <vector>

#include "converter/passes/editor.h"

namespace octet::passes {

bool RemoveNoopTranspose(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Shape& in = editor.ShapeOf(node.inputs[0]);
  const Shape target = editor.ShapeOf(node.outputs[0]);
  if (!node.activation.empty()) return false;
  std::vector<int64_t> perm = node.Ints("perm");
  if (perm.empty()) {
    for (size_t i = in.size(); i-- > 0;) perm.push_back(static_cast<int64_t>(i));
  }
  bool identity = true, keeps_order = true;
  int64_t last = -1;
  for (size_t i = 0; i < perm.size(); ++i) {
    identity = identity && perm[i] == static_cast<int64_t>(i);
    if (in[static_cast<size_t>(perm[i])] == 1) continue;
    keeps_order = keeps_order && perm[i] > last;
    last = perm[i];
  }
  if (identity) return editor.Bypass(n);
  if (!keeps_order) return false;
  const ValueId data = node.inputs[0];
  const ValueId shape = editor.NewConstant(
      node.name + "_shape", Tensor::Integers({static_cast<int64_t>(target.size())}, target));
  editor.Become(n, "Reshape", {data, shape});
  return true;
}

}  // namespace octet::passes
