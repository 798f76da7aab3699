// A DequantizeLinear of constant codes becomes the real values, which remember their codes.

#include "converter/operators/operator.h"
#include "converter/passes/editor.h"
#include "converter/passes/quantization.h"

namespace octet::passes {

namespace {

using graph::DataType;

// nullopt for codes that int8 layers have no use for, and scales of blocks.
std::optional<graph::Codes> ReadCodes(const Quantization& quantization, const Tensor& codes,
                                      Tensor data) {
  const bool is_byte =
      quantization.type == DataType::kInt8 || quantization.type == DataType::kUInt8;
  if ((!is_byte && quantization.type != DataType::kInt32) || !data.IsFloat()) return std::nullopt;
  graph::Codes result;
  result.spread.assign(data.shape.size(), 1);
  const size_t count = quantization.scales.size();
  if (count != 1) {
    const int64_t axis = quantization.axis;
    if (axis < 0 || axis >= static_cast<int64_t>(data.shape.size()) ||
        static_cast<int64_t>(count) != data.shape[static_cast<size_t>(axis)]) {
      return std::nullopt;
    }
    result.spread[static_cast<size_t>(axis)] = static_cast<int64_t>(count);
  }
  result.scales = quantization.scales;
  for (const int64_t z : quantization.zero_points) {
    result.zero_points.push_back(
        static_cast<int>(quantization.type == DataType::kUInt8 ? z - 128 : z));
  }
  if (!is_byte) result.integers = codes.integers;
  result.data = std::move(data);
  return result;
}

}  // namespace

bool DequantizeConstants(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Tensor* codes = editor.Constant(node.inputs[0]);
  if (codes == nullptr || editor.IsOutput(node.outputs[0])) return false;
  const auto quantization = ReadQuantization(editor, node);
  if (!quantization) return false;
  Tensor data = operators::Evaluate(editor.graph(), node)[0];
  auto read = ReadCodes(*quantization, *codes, data);
  editor.SetConstant(node.outputs[0], read ? graph::Constant::Coded(std::move(*read))
                                           : graph::Constant::Real(std::move(data)));
  editor.Remove(n);
  return true;
}

}  // namespace octet::passes
