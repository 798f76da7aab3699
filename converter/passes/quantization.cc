#include "converter/passes/quantization.h"

#include <algorithm>

namespace octet::passes {

namespace {

bool IsOneOf(std::string_view op, std::initializer_list<std::string_view> operators) {
  return std::find(operators.begin(), operators.end(), op) != operators.end();
}

}  // namespace

std::optional<Quantization> ReadQuantization(const Editor& editor, const Node& node) {
  const Tensor* scale = editor.Constant(node.inputs[1]);
  const bool has_zero_point = node.inputs.size() > 2 && node.inputs[2] != graph::kNoValue;
  const Tensor* zero_point = has_zero_point ? editor.Constant(node.inputs[2]) : nullptr;
  if (scale == nullptr || !scale->IsFloat() || (has_zero_point && zero_point == nullptr)) {
    return std::nullopt;
  }
  for (const float s : scale->floats) {
    if (!(s > 0)) return std::nullopt;
  }
  Quantization result;
  result.scales = scale->floats;
  result.zero_points.assign(result.scales.size(), 0);
  if (zero_point != nullptr) result.zero_points = zero_point->integers;
  if (result.scales.empty() || result.zero_points.size() != result.scales.size()) {
    return std::nullopt;
  }
  const ValueId codes = node.op == "QuantizeLinear" ? node.outputs[0] : node.inputs[0];
  result.type = editor.graph().At(codes).type;
  result.axis = node.Int("axis", 1);
  const int64_t rank = editor.Rank(node.inputs[0]);
  if (result.axis < 0) result.axis += rank;

  using graph::DataType;
  const bool is_byte = result.type == DataType::kInt8 || result.type == DataType::kUInt8;
  const bool is_constant = editor.IsConstant(node.inputs[0]);
  if (!is_byte && !(is_constant && result.type == DataType::kInt32)) return result;
  if (result.scales.size() > 1 && !is_constant) return result;
  graph::Given given;
  given.scales = result.scales;
  given.axis = result.axis;
  given.type = is_byte ? DataType::kInt8 : DataType::kInt32;
  for (const int64_t z : result.zero_points) {
    given.zero_points.push_back(static_cast<int>(result.type == DataType::kUInt8 ? z - 128 : z));
  }
  result.given = std::make_shared<const graph::Given>(std::move(given));
  return result;
}

bool MovesCodes(std::string_view op) {
  return IsOneOf(
      op, {"Transpose", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Slice", "Identity",
           "MaxPool", "Gather", "DepthToSpace", "SpaceToDepth", "Expand", "Tile", "GlobalMaxPool"});
}

bool KeepsScale(std::string_view op) {
  return IsOneOf(op, {"MaxPool", "GlobalMaxPool", "Slice", "Reshape", "Transpose", "Resize", "Pad",
                      "Squeeze", "Unsqueeze", "Flatten", "Identity", "Split", "DepthToSpace",
                      "SpaceToDepth", "Expand", "Tile", "Gather", "Dropout"});
}

bool TakesClamp(std::string_view op) {
  return IsOneOf(op, {"Conv", "ConvTranspose", "Gemm", "MatMul", "Add", "Sub", "Mul"});
}

int AddClamp(Editor& editor, int before, ValueId in, ValueId out,
             std::shared_ptr<const graph::Given> given) {
  const std::string name = editor.Value(out).name;
  const ValueId low = editor.NewConstant(name + "_low", Tensor::Floats({}, {given->Low()}));
  const ValueId high = editor.NewConstant(name + "_high", Tensor::Floats({}, {given->High()}));
  editor.Value(out).type = graph::DataType::kFloat;
  editor.Value(out).given = std::move(given);
  return editor.AddNode(before, "Clip", name + "_range", {in, low, high}, {out});
}

}  // namespace octet::passes
