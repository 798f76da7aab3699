// BatchNormalization that found no layer to fold into: on [N, C, H, W] a depthwise 1x1 Conv (one
// requantization, and an activation can be fused behind it), on other ranks Mul and Add per
// channel. With computed parameters it is the steps of its formula.
#include "converter/passes/chain.h"
#include "converter/passes/editor.h"
#include "converter/passes/read.h"

namespace octet::passes {

namespace {

void MakeDepthwise(Editor& editor, int n, const ScaleShift& norm) {
  const int64_t channels = static_cast<int64_t>(norm.scale.size());
  const std::string name = editor.At(n).name;
  const ValueId data = editor.At(n).inputs[0];
  const ValueId weights =
      editor.NewConstant(name + "_weight", Tensor::Floats({channels, 1, 1, 1}, norm.scale));
  const ValueId bias = editor.NewConstant(name + "_bias", Tensor::Floats({channels}, norm.shift));
  editor.Become(n, "Conv", {data, weights, bias});
  editor.At(n).attributes = {{"group", channels},
                             {"kernel_shape", std::vector<int64_t>{1, 1}},
                             {"strides", std::vector<int64_t>{1, 1}},
                             {"dilations", std::vector<int64_t>{1, 1}},
                             {"pads", std::vector<int64_t>{0, 0, 0, 0}}};
}

void MakeMulAdd(Editor& editor, int n, const ScaleShift& norm, const Shape& shape) {
  Shape broadcast(shape.size(), 1);
  broadcast[1] = shape[1];
  const std::string name = editor.At(n).name;
  const ValueId data = editor.At(n).inputs[0];
  const ValueId scale = editor.NewConstant(name + "_scale", Tensor::Floats(broadcast, norm.scale));
  const ValueId shift = editor.NewConstant(name + "_shift", Tensor::Floats(broadcast, norm.shift));
  const ValueId scaled = editor.NewValue(name + "_scaled", graph::DataType::kFloat, shape);
  editor.AddNode(n, "Mul", name + "_mul", {data, scale}, {scaled});
  editor.Become(n, "Add", {scaled, shift});
}

// Parameters that are computed: (x - mean) * (scale / sqrt(variance + epsilon)) + bias.
bool MakeSteps(Editor& editor, int n, const Shape& shape) {
  const Node& node = editor.At(n);
  const Shape own{shape[1]};
  if (node.inputs.size() != 5 || !node.activation.empty()) return false;
  for (size_t i = 1; i < 5; ++i) {
    const Shape& known = editor.ShapeOf(node.inputs[i]);
    if (known != own || !editor.IsFloat(node.inputs[i])) return false;
  }
  Shape broadcast(shape.size() - 1, 1);
  broadcast[0] = shape[1];
  const std::vector<ValueId> inputs = node.inputs;
  const ValueId result = node.outputs[0];
  const ValueId epsilon = editor.NewConstant(node.name + "_epsilon",
                                             Tensor::Floats({1}, {node.Float("epsilon", 1e-5f)}));
  Chain deviation(editor, n, inputs[4]);
  deviation.Op("Add", own, {epsilon});
  deviation.Op("Sqrt", own);
  Chain factor(editor, n, inputs[1]), bias(editor, n, inputs[2]), mean(editor, n, inputs[3]);
  factor.Op("Div", own, {deviation.value()});
  for (Chain* chain : {&factor, &bias, &mean}) chain->Reshape(broadcast);
  Chain data(editor, n, inputs[0]);
  data.Op("Sub", shape, {mean.value()});
  data.Op("Mul", shape, {factor.value()});
  data.Op("Add", shape, {bias.value()});
  editor.Remove(n);
  data.EndIn(result);
  return true;
}

}  // namespace

bool LowerBatchNorm(Editor& editor, int n) {
  const auto norm = ReadBatchNorm(editor.graph(), editor.At(n));
  const Shape shape = editor.ShapeOf(editor.At(n).inputs[0]);
  if (shape.size() < 2) return false;
  if (!norm) return MakeSteps(editor, n, shape);
  if (shape[1] != static_cast<int64_t>(norm->scale.size())) return false;
  if (shape.size() == 4) {
    MakeDepthwise(editor, n, *norm);
  } else {
    MakeMulAdd(editor, n, *norm, shape);
  }
  return true;
}

}  // namespace octet::passes
