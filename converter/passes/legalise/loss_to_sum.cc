// A loss whose classes are known becomes the sum of its scores times constants; that of a softmax
// has a LogSoftmax in front.
#include "converter/operators/loss.h"
#include "converter/passes/editor.h"

namespace octet::passes {

bool LossToSum(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Tensor* target = editor.Constant(node.inputs[1]);
  const ValueId weights = node.inputs.size() > 2 ? node.inputs[2] : graph::kNoValue;
  if (target == nullptr) return false;
  if (weights != graph::kNoValue && !editor.IsConstant(weights)) return false;
  const Shape shape = editor.ShapeOf(node.inputs[0]);
  const std::string name = node.name;
  const bool all = node.String("reduction", "mean") != "none";
  const Tensor factors = operators::LossWeights(
      node, shape, *target, weights == graph::kNoValue ? nullptr : editor.Constant(weights));
  ValueId scores = node.inputs[0];
  const std::vector<ValueId> outputs = node.outputs;
  if (node.op == "SoftmaxCrossEntropyLoss") {
    const ValueId logs = outputs.size() > 1 && outputs[1] != graph::kNoValue
                             ? outputs[1]
                             : editor.NewValue(name + "_log", graph::DataType::kFloat, shape);
    editor.Remove(n);
    const int softmax = editor.AddNode(n, "LogSoftmax", name + "_log", {scores}, {logs});
    editor.At(softmax).attributes["axis"] = int64_t{1};
    scores = logs;
  } else {
    editor.Remove(n);
  }
  const ValueId product = editor.NewValue(name + "_product", graph::DataType::kFloat, shape);
  editor.AddNode(n, "Mul", name + "_product",
                 {scores, editor.NewConstant(name + "_weights", factors)}, {product});
  std::vector<int64_t> axes = {1};
  if (all) {
    axes.clear();
    for (size_t i = 0; i < shape.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  }
  const auto count = static_cast<int64_t>(axes.size());
  const ValueId axes_value = editor.NewConstant(name + "_axes", Tensor::Integers({count}, axes));
  const int sum =
      editor.AddNode(n, "ReduceSum", name + "_sum", {product, axes_value}, {outputs[0]});
  editor.At(sum).attributes["keepdims"] = int64_t{0};
  return true;
}

}  // namespace octet::passes
