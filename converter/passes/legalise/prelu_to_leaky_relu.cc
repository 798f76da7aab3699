// PRelu with one slope everywhere is LeakyRelu.
#include <algorithm>

#include "converter/passes/editor.h"

namespace octet::passes {

bool PReluToLeakyRelu(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Tensor* slope = editor.Constant(node.inputs[1]);
  if (slope == nullptr || !slope->IsFloat() || slope->floats.empty()) return false;
  const float first = slope->floats[0];
  const bool same = std::all_of(slope->floats.begin(), slope->floats.end(),
                                [first](float value) { return value == first; });
  if (!same) return false;
  editor.Become(n, "LeakyRelu", {node.inputs[0]});
  editor.At(n).attributes["alpha"] = first;
  return true;
}

}  // namespace octet::passes
