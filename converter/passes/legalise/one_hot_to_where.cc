// OneHot becomes Where: the place along the new axis equals the index, or the index counted from
// the end.
#include <vector>

#include "converter/operators/operator.h"
#include "converter/passes/editor.h"

namespace octet::passes {

bool OneHotToWhere(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Shape result = editor.ShapeOf(node.outputs[0]);
  int64_t axis = node.Int("axis", -1);
  if (axis < 0) axis += static_cast<int64_t>(result.size());
  const int64_t depth = result[static_cast<size_t>(axis)];
  Shape places_shape(result.size(), 1), column = result;
  places_shape[static_cast<size_t>(axis)] = depth;
  column[static_cast<size_t>(axis)] = 1;

  const std::string name = node.name;
  constexpr graph::DataType kInt = graph::DataType::kInt64;
  constexpr graph::DataType kBool = graph::DataType::kBool;
  ValueId indices = node.inputs[0];
  if (editor.IsFloat(indices)) {
    const ValueId whole = editor.NewValue(name + "_whole", kInt, editor.ShapeOf(indices));
    constexpr int64_t kInt64Code = 7;  // onnx.TensorProto.DataType
    const int cast = editor.AddNode(n, "Cast", name + "_cast", {indices}, {whole});
    editor.At(cast).attributes["to"] = kInt64Code;
    indices = whole;
  }
  const graph::DataType type = editor.Value(indices).type;
  const ValueId shape = editor.NewConstant(
      name + "_shape", Tensor::Integers({static_cast<int64_t>(column.size())}, column));
  const ValueId unfolded = editor.NewValue(name + "_indices", type, column);
  editor.AddNode(n, "Reshape", name + "_reshape", {indices, shape}, {unfolded});
  ValueId hits[2];
  for (int i = 0; i < 2; ++i) {
    std::vector<int64_t> places;
    for (int64_t p = 0; p < depth; ++p) places.push_back(i == 0 ? p : p - depth);
    const ValueId constant =
        editor.NewConstant(name + "_places", Tensor::Integers(places_shape, places, type));
    hits[i] = editor.NewValue(name + "_equal", kBool, result);
    editor.AddNode(n, "Equal", name + "_equal", {unfolded, constant}, {hits[i]});
  }
  const ValueId hit = editor.NewValue(name + "_on", kBool, result);
  editor.AddNode(n, "Or", name + "_or", {hits[0], hits[1]}, {hit});
  const ValueId values = node.inputs[2];
  const auto value = [&](int64_t i) {
    const auto constant = [&](const char* what, int64_t number) {
      return editor.NewConstant(name + what, Tensor::Integers({1}, {number}));
    };
    const ValueId one = editor.NewValue(name + "_value", editor.Value(values).type, {1});
    editor.AddNode(n, "Slice", name + "_value",
                   {values, constant("_start", i), constant("_end", i + 1)}, {one});
    return one;
  };
  const ValueId on = value(1), off = value(0);
  editor.Become(n, "Where", {hit, on, off});
  return true;
}

}  // namespace octet::passes
