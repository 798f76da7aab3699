// Shape, Size and EyeLike of a value of known shape are constants, whatever the value's contents.
#include <algorithm>

#include "converter/operators/operator.h"
#include "converter/passes/editor.h"

namespace octet::passes {

bool FoldShape(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Shape& known = editor.ShapeOf(node.inputs[0]);
  if (editor.IsOutput(node.outputs[0])) return false;
  Tensor result;
  if (node.op == "EyeLike") {
    result = operators::Evaluate(editor.graph(), node)[0];
  } else if (node.op == "Size") {
    result = Tensor::Integers({}, {graph::ElementCount(known)});
  } else {
    // Shape of opset 15 takes a slice; bounds count from the end when negative, and saturate.
    const int64_t rank = static_cast<int64_t>(known.size());
    const auto bound = [&](const char* key, int64_t fallback) {
      const int64_t at = node.Int(key, fallback);
      return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
    };
    const int64_t start = bound("start", 0);
    const int64_t end = std::max(start, bound("end", rank));
    const Shape dims(known.begin() + start, known.begin() + end);
    result = Tensor::Integers({static_cast<int64_t>(dims.size())}, dims);
  }
  editor.SetConstant(node.outputs[0], graph::Constant::Real(std::move(result)));
  editor.Forgo(node.inputs[0]);  // its shape alone was read
  editor.Remove(n);
  return true;
}

}  // namespace octet::passes
