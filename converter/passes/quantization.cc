#include "converter/passes/quantization.h"

#include <algorithm>

namespace octet::passes {

std::optional<Quantization> ReadQuantization(const Editor& editor, const Node& node) {
  const Tensor* scale = editor.Constant(node.inputs[1]);
  const bool has_zero_point = node.inputs.size() > 2 && node.inputs[2] != graph::kNoValue;
  const Tensor* zero_point = has_zero_point ? editor.Constant(node.inputs[2]) : nullptr;
  if (scale == nullptr || !scale->IsFloat() || scale->floats.empty() ||
      (has_zero_point && zero_point == nullptr)) {
    return std::nullopt;
  }
  const bool is_constant = editor.IsConstant(node.inputs[0]);
  Quantization result;
  result.scales = scale->floats;
  // Constants of scale 0 are 0, and are so in any scale.
  const float largest = *std::max_element(result.scales.begin(), result.scales.end());
  for (float& s : result.scales) {
    if (s == 0 && is_constant) s = largest > 0 ? largest : 1;
    if (!(s > 0)) return std::nullopt;
  }
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
  if (is_byte && result.scales.size() == 1) {
    const int64_t shift = result.type == DataType::kUInt8 ? 128 : 0;
    result.given = graph::Given{result.scales[0], static_cast<int>(result.zero_points[0] - shift)};
  }
  return result;
}

namespace {

// The scheme of what has the codes of `to` as long as they still count from `zero_points`.
std::optional<graph::Given> Shifted(const Quantization& to,
                                    const std::vector<int64_t>& zero_points) {
  if (!to.given || zero_points.size() != 1) return std::nullopt;
  graph::Given given = *to.given;
  given.zero_point += static_cast<int>(zero_points[0] - to.zero_points[0]);
  return given;
}

// One value, or one an index of `axis` in a tensor of `rank` dimensions.
Tensor AlongAxis(const std::vector<float>& values, int64_t axis, int64_t rank) {
  if (values.size() == 1) return Tensor::Floats({}, values);
  Shape shape(static_cast<size_t>(rank - axis), 1);
  shape[0] = static_cast<int64_t>(values.size());
  return Tensor::Floats(shape, values);
}

}  // namespace

void Requantize(Editor& editor, int dequantize, ValueId real, const Quantization& from,
                const Quantization& to) {
  const ValueId out = editor.At(dequantize).outputs[0];
  const std::string name = editor.Value(out).name;
  const int64_t rank = editor.Rank(real);
  const size_t count = std::max(from.scales.size(), to.scales.size());
  const int64_t axis = to.scales.size() > 1 ? to.axis : from.axis;
  std::vector<float> factors, offsets;
  for (size_t c = 0; c < count; ++c) {
    const size_t f = from.scales.size() > 1 ? c : 0, t = to.scales.size() > 1 ? c : 0;
    factors.push_back(to.scales[t] / from.scales[f]);
    offsets.push_back(to.scales[t] * static_cast<float>(from.zero_points[f] - to.zero_points[t]));
  }
  const auto all = [](const std::vector<float>& values, float value) {
    return std::all_of(values.begin(), values.end(), [&](float v) { return v == value; });
  };
  const bool scales = !all(factors, 1), moves = !all(offsets, 0);
  editor.Value(out).type = graph::DataType::kFloat;
  if (!scales && !moves) {
    editor.Become(dequantize, "Identity", {real});
    return;
  }
  ValueId scaled = real;
  if (scales) {
    const ValueId factor = editor.NewConstant(name + "_factor", AlongAxis(factors, axis, rank));
    if (!moves) {
      editor.Become(dequantize, "Mul", {real, factor});
      if (to.given) editor.Give(out, *to.given);
      return;
    }
    scaled = editor.NewValue(name + "_scaled", graph::DataType::kFloat, editor.ShapeOf(real));
    if (const auto given = Shifted(to, from.zero_points)) editor.Give(scaled, *given);
    editor.AddNode(dequantize, "Mul", name + "_scale", {real, factor}, {scaled});
  }
  const ValueId offset = editor.NewConstant(name + "_offset", AlongAxis(offsets, axis, rank));
  editor.Become(dequantize, "Add", {scaled, offset});
  if (to.given) editor.Give(out, *to.given);
}

int AddClamp(Editor& editor, int before, ValueId in, ValueId out, const graph::Given& given) {
  const std::string name = editor.Value(out).name;
  const ValueId low = editor.NewConstant(name + "_low", Tensor::Floats({}, {given.Low()}));
  const ValueId high = editor.NewConstant(name + "_high", Tensor::Floats({}, {given.High()}));
  editor.Value(out).type = graph::DataType::kFloat;
  editor.Give(out, given);
  return editor.AddNode(before, "Clip", name + "_range", {in, low, high}, {out});
}

}  // namespace octet::passes
