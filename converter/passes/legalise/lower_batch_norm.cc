// BatchNormalization that found no layer to fold into: on [N, C, H, W] a depthwise 1x1 Conv (one
// requantization, and an activation can be fused behind it), on other ranks Mul and Add per
// channel.
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

}  // namespace

int LowerBatchNorm(graph::Graph& graph) {
  Editor editor(graph);
  editor.ForEach({"BatchNormalization"}, [&](int n) {
    const auto norm = ReadBatchNorm(graph, editor.At(n));
    const Shape* known = editor.KnownShape(editor.At(n).inputs[0]);
    if (!norm || known == nullptr || known->size() < 2) return false;
    const Shape shape = *known;
    if (shape[1] != static_cast<int64_t>(norm->scale.size())) return false;
    if (shape.size() == 4) {
      MakeDepthwise(editor, n, *norm);
    } else {
      MakeMulAdd(editor, n, *norm, shape);
    }
    return true;
  });
  return editor.Finish();
}

}  // namespace octet::passes
