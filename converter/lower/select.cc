// Min, Max, Pow and PRelu: functions of one variable where the other operand is a constant, layers
// of the elementwise family else.
#include <map>

#include "converter/lower/elementwise.h"

namespace octet::lower {
namespace {

// The tensor in FP16, whatever it holds.
int AsHalf(Builder& builder, const graph::Node& node, int tensor) {
  const Tensor from = builder.At(tensor);
  if (from.type == blob::ElementType::kFp16) return tensor;
  const int half =
      builder.Temporary(from.name + "/float", blob::ElementType::kFp16, from.dims, nullptr);
  builder.Emit(node, blob::Op::kCast, blob::Precision::kFp16, {tensor}, half)
      .Set(blob::CastParams{INT32_MIN, INT32_MAX, 0});
  return half;
}

// One slope for each element of the arena's innermost dimension; empty where they vary along
// another one, or are computed.
std::vector<float> SlopesByChannel(const Builder& builder, const graph::Node& node, Layout layout) {
  const graph::Tensor* slope = builder.Constant(node.inputs[1]);
  const graph::Shape& shape = builder.ShapeOf(node.outputs[0]);
  const size_t rank = shape.size();
  if (slope == nullptr || rank == 0 || rank > 4 || slope->shape.size() > rank) return {};
  const size_t channel = rank == 4 && layout == Layout::kImage ? 1 : rank - 1;
  const size_t lead = rank - slope->shape.size();
  if (slope->Count() != shape[channel]) return {};
  for (size_t d = 0; d < slope->shape.size(); ++d) {
    if (slope->shape[d] != (d + lead == channel ? shape[channel] : 1)) return {};
  }
  return slope->floats;
}

// Tables of the distinct slopes, and each channel's; false where there are more than an index
// holds.
bool SlopeTables(const std::vector<float>& slopes, const Tensor& from, const Tensor& to,
                 ChannelTables* out) {
  std::map<float, size_t> known;
  for (const float slope : slopes) {
    const auto [at, is_new] = known.try_emplace(slope, known.size());
    if (known.size() > 256) return false;
    if (is_new) {
      const Bytes table = UnaryTable({blob::Function::kLeakyRelu, slope, 0}, from, to);
      out->tables.insert(out->tables.end(), table.begin(), table.end());
    }
    out->index.push_back(static_cast<uint8_t>(at->second));
  }
  return true;
}

}  // namespace

void LowerMinMax(Builder& builder, const graph::Node& node) {
  FunctionOf unary;
  if (UnaryFunction(builder.graph(), node, &unary)) return LowerUnary(builder, node);
  LowerElementwise(builder, node);
}

// Base and exponent may differ in type: then it is computed in FP16, and truncated where the base
// is an integer.
void LowerPow(Builder& builder, const graph::Node& node) {
  FunctionOf unary;
  if (UnaryFunction(builder.graph(), node, &unary)) return LowerUnary(builder, node);
  const bool integer = builder.IsInteger(node.outputs[0]);
  if (builder.IsInteger(node.inputs[1]) == integer) return LowerElementwise(builder, node);
  const graph::Shape& shape = builder.ShapeOf(node.outputs[0]);
  std::vector<Operand> operands;
  for (graph::ValueId input : node.inputs) {
    graph::Shape own = builder.ShapeOf(input);
    const int tensor = builder.Use(input, Layout::kRowMajor, blob::ElementType::kFp16);
    operands.push_back({AsHalf(builder, node, tensor), std::move(own)});
  }
  const int output = builder.Define(node.outputs[0], Layout::kRowMajor, blob::ElementType::kFp16);
  if (!integer) {
    return EmitElementwise(builder, node, blob::Elementwise::kPow, operands, shape,
                           Layout::kRowMajor, output);
  }
  const Tensor like = builder.At(output);
  const int power =
      builder.Temporary(like.name + "/float", blob::ElementType::kFp16, like.dims, nullptr);
  EmitElementwise(builder, node, blob::Elementwise::kPow, operands, shape, Layout::kRowMajor,
                  power);
  builder.Emit(node, blob::Op::kCast, blob::Precision::kFp16, {power}, output)
      .Set(blob::CastParams{INT32_MIN, INT32_MAX, 0});
}

// In int8 a table for each channel, which has fast kernels.
void LowerPRelu(Builder& builder, const graph::Node& node) {
  const graph::ValueId data = node.inputs[0], result = node.outputs[0];
  const Layout layout = builder.Existing(data);
  const std::vector<float> slopes = SlopesByChannel(builder, node, layout);
  if (slopes.empty() || builder.PrecisionOf(node) != blob::Precision::kInt8) {
    return LowerElementwise(builder, node);
  }
  const int input = builder.Use(data, layout, blob::ElementType::kInt8);
  const int output = builder.Define(result, layout, blob::ElementType::kInt8);
  ChannelTables tables;
  if (SlopeTables(slopes, builder.At(input), builder.At(output), &tables)) {
    Layer& layer = builder.Emit(node, blob::Op::kUnary, blob::Precision::kInt8, {input}, output);
    layer.Set(blob::UnaryParams{blob::Function::kLeakyRelu, {}, 0, 0});
    layer.table = std::move(tables.tables);
    layer.extra = std::move(tables.index);
    return;
  }
  const int slope = builder.UseBroadcast(node.inputs[1], builder.ShapeOf(result).size(), layout,
                                         blob::ElementType::kInt8);
  EmitElementwise(builder, node, blob::Elementwise::kPRelu,
                  {{input, builder.ShapeOf(data)}, {slope, builder.ShapeOf(node.inputs[1])}},
                  builder.ShapeOf(result), layout, output);
}

}  // namespace octet::lower
