// A Clip that is no function of one variable becomes Min(Max(x, low), high): its bounds are
// computed, or it works on integers. So does Relu on integers. Bounds that cross give the upper
// one.
#include "converter/passes/editor.h"
#include "converter/passes/read.h"

namespace octet::passes {

bool ClipToMinMax(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const ValueId data = node.inputs[0];
  const Shape& shape = editor.ShapeOf(data);
  if (!node.activation.empty()) return false;
  const bool is_float = editor.IsFloat(data);
  if (node.op == "Relu") {
    if (is_float) return false;
    const graph::DataType type = editor.Value(data).type;
    editor.Become(n, "Max",
                  {data, editor.NewConstant(node.name + "_zero", Tensor::Integers({}, {0}, type))});
    return true;
  }
  if (is_float && ReadClipBounds(editor.graph(), node)) return false;
  const auto bound = [&node](size_t input) {
    return input < node.inputs.size() ? node.inputs[input] : graph::kNoValue;
  };
  const ValueId low = bound(1), high = bound(2);
  const std::string name = node.name;
  if (low == graph::kNoValue || high == graph::kNoValue) {
    const bool none = low == high;
    editor.Become(n,
                  none                     ? "Identity"
                  : low == graph::kNoValue ? "Min"
                                           : "Max",
                  none ? std::vector<ValueId>{data}
                       : std::vector<ValueId>{data, low == graph::kNoValue ? high : low});
    return true;
  }
  const ValueId raised = editor.NewValue(name + "_raised", editor.Value(data).type, Shape(shape));
  editor.AddNode(n, "Max", name + "_raised", {data, low}, {raised});
  editor.Become(n, "Min", {raised, high});
  return true;
}

}  // namespace octet::passes
