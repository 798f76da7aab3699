// Sum, Mean, Min and Max of any number of values become chains of two: calibration then sees what
// lies between. Of one value they are nothing; a mean is a sum times 1 / n.
#include "converter/operators/context.h"
#include "converter/passes/editor.h"

namespace octet::passes {

bool VariadicToBinary(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const bool mean = node.op == "Mean";
  const bool sum = mean || node.op == "Sum";
  if (!sum && node.inputs.size() == 2) return false;
  const std::string op = sum ? "Add" : node.op, name = node.name;
  const std::vector<ValueId> inputs = node.inputs;
  const graph::DataType type = editor.Value(node.outputs[0]).type;
  const auto count = static_cast<float>(inputs.size());
  const size_t last = inputs.size() - (mean ? 0 : 1);  // behind it stands the node itself
  ValueId so_far = inputs[0];
  for (size_t i = 1; i < last; ++i) {
    const Shape shape =
        operators::Broadcast(editor.At(n), editor.ShapeOf(so_far), editor.ShapeOf(inputs[i]));
    const ValueId next = editor.NewValue(name + "_" + std::to_string(i), type, shape);
    editor.AddNode(n, op, name + "_" + std::to_string(i), {so_far, inputs[i]}, {next});
    so_far = next;
  }
  if (inputs.size() == 1) {
    editor.Become(n, "Identity", {so_far});
  } else if (mean) {
    const ValueId factor = editor.NewConstant(name + "_factor", Tensor::Floats({}, {1.0f / count}));
    editor.Become(n, "Mul", {so_far, factor});
  } else {
    editor.Become(n, op, {so_far, inputs.back()});
  }
  return true;
}

}  // namespace octet::passes
