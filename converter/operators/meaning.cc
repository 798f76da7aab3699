#include "converter/operators/meaning.h"

#include <algorithm>
#include <array>

namespace octet::operators {
namespace {

template <size_t Count>
bool IsOneOf(const std::array<std::string_view, Count>& names, std::string_view op) {
  return std::find(names.begin(), names.end(), op) != names.end();
}

}  // namespace

bool MovesElements(std::string_view op) {
  static constexpr std::array<std::string_view, 14> kNames = {
      "Cast",    "CastLike", "Concat",       "DepthToSpace", "Dropout", "Flatten",   "Identity",
      "Reshape", "Slice",    "SpaceToDepth", "Split",        "Squeeze", "Transpose", "Unsqueeze"};
  return IsOneOf(kNames, op);
}

bool MapsElements(std::string_view op) {
  static constexpr std::array<std::string_view, 9> kNames = {
      "Clip", "DequantizeLinear", "Exp",     "HardSigmoid", "QuantizeLinear",
      "Relu", "Sigmoid",          "Softmax", "Tanh"};
  return IsOneOf(kNames, op);
}

bool JoinsInputs(std::string_view op) {
  return op == "Concat";
}

bool MovesByInputs(std::string_view op) {
  return op == "Slice";
}

bool SumsElements(std::string_view op) {
  static constexpr std::array<std::string_view, 4> kNames = {"AveragePool", "GlobalAveragePool",
                                                             "ReduceMean", "ReduceSum"};
  return IsOneOf(kNames, op);
}

bool ConvertsType(std::string_view op) {
  return op == "Cast" || op == "CastLike";
}

double NaturalRange(std::string_view op) {
  if (op == "Sigmoid" || op == "HardSigmoid" || op == "Softmax") return 1;
  return op == "Tanh" ? 2 : 0;
}

bool GivesClasses(std::string_view op) {
  return op == "ArgMax" || op == "ArgMin";
}

int64_t ListLength(const graph::Node& node, const graph::Shape& shape) {
  if (node.op == "TopK") {
    const auto rank = static_cast<int64_t>(shape.size());
    const int64_t axis = node.Int("axis", -1);
    return shape[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
  }
  if (node.op == "NonMaxSuppression") return shape[0];
  return node.op == "NonZero" ? shape[1] : 0;
}

bool OrdersRows(const graph::Node& node, size_t output) {
  return node.op == "TopK" && output == 0 && node.Int("largest", 1) != 0;
}

int PositionsInput(std::string_view op) {
  if (op == "NonMaxSuppression") return 0;
  return op == "GridSample" || op == "RoiAlign" ? 1 : -1;
}

bool IsBound(std::string_view op, int input) {
  if (op == "NonMaxSuppression") return input == 2;
  return op == "Slice" && (input == 1 || input == 2);
}

bool ReadsCodes(std::string_view op) {
  return op == "DequantizeLinear";
}

bool RoundsToCodes(std::string_view op) {
  return op == "QuantizeLinear" || op == "DynamicQuantizeLinear";
}

}  // namespace octet::operators
