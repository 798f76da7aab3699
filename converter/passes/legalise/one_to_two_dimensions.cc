// Conv, ConvTranspose and pools over [N, C, L] run over [N, C, 1, L], with a Reshape on either
// side.
#include "converter/passes/editor.h"

namespace octet::passes {

namespace {

// {k} -> {1, k}: a new leading dimension of one element.
void Widen(Node& node, const char* key, int64_t neutral) {
  const std::vector<int64_t> old = node.Ints(key);
  if (old.size() == 1) node.attributes[key] = std::vector<int64_t>{neutral, old[0]};
  if (old.size() == 2) node.attributes[key] = std::vector<int64_t>{0, old[0], 0, old[1]};  // pads
}

bool HasWeights(const Node& node) {
  return node.op == "Conv" || node.op == "ConvTranspose";
}

}  // namespace

bool OneToTwoDimensions(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Shape& in = editor.ShapeOf(node.inputs[0]);
  const Shape& out = editor.ShapeOf(node.outputs[0]);
  if (in.size() != 3 || node.outputs.size() != 1) return false;
  // ExplicitPadding has filled in what may be written out.
  if (node.Has("auto_pad") || node.Has("output_shape")) return false;
  const Tensor* weights = HasWeights(node) ? editor.Constant(node.inputs[1]) : nullptr;
  if (HasWeights(node) && weights == nullptr) return false;

  const Shape in_shape = in, out_shape = out;
  const Shape wide_in = {in_shape[0], in_shape[1], 1, in_shape[2]};
  const Shape wide_out = {out_shape[0], out_shape[1], 1, out_shape[2]};
  const std::string name = node.name;
  const ValueId data = node.inputs[0], result = node.outputs[0];
  const auto shape_constant = [&](const Shape& shape) {
    return editor.NewConstant(name + "_shape",
                              Tensor::Integers({static_cast<int64_t>(shape.size())}, shape));
  };
  if (weights != nullptr) {
    const Shape& flat = weights->shape;
    const graph::Constant& old = editor.Value(node.inputs[1]).constant;
    editor.SetConstantInput(n, 1, old.Reshaped({flat[0], flat[1], 1, flat[2]}), name + "_weight");
  }
  const ValueId image = editor.NewValue(name + "_image", graph::DataType::kFloat, wide_in);
  const ValueId wide = editor.NewValue(name + "_wide", graph::DataType::kFloat, wide_out);
  editor.AddNode(n, "Reshape", name + "_widen", {data, shape_constant(wide_in)}, {image});
  editor.SetInput(n, 0, image);
  editor.SetOutput(n, 0, wide);
  editor.AddNode(n, "Reshape", name + "_narrow", {wide, shape_constant(out_shape)}, {result});
  Node& changed = editor.At(n);
  for (const char* key : {"kernel_shape", "strides", "dilations"}) Widen(changed, key, 1);
  Widen(changed, "pads", 0);
  Widen(changed, "output_padding", 0);
  return true;
}

}  // namespace octet::passes
