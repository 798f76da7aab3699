#include "converter/import/codes.h"

#include <algorithm>

#include "converter/operators/context.h"

namespace octet::import {
namespace {

using graph::DataType;
using graph::kNoValue;
using graph::Node;
using graph::ValueId;

// Results behind the first are indices or masks.
bool HasOneResultOfCodes(std::string_view op) {
  return op == "MaxPool" || op == "TopK" || op == "Dropout";
}

// Without a zero point `output_dtype` may tell the type, as ONNX numbers it.
std::optional<DataType> TypeOfQuantized(const graph::Graph& graph, const Node& node,
                                        const std::vector<std::optional<DataType>>& types) {
  if (node.inputs.size() > 2 && node.inputs[2] != kNoValue) {
    const graph::Tensor* zero_point = graph.Constant(node.inputs[2]);
    if (zero_point != nullptr) return zero_point->type;
    return types[static_cast<size_t>(node.inputs[2])];
  }
  const int64_t asked = node.Int("output_dtype", 0);
  return asked == 0 ? DataType::kUInt8 : operators::TypeOfCode(asked);
}

}  // namespace

OnCodes RuleOf(const Node& node) {
  const std::string_view op = node.op;
  if (op == "ScatterElements" || op == "ScatterND") {
    const std::string reduction = node.String("reduction", "none");
    if (reduction == "add" || reduction == "mul") return OnCodes::kOther;
  }
  if (op == "Resize" && node.String("mode", "nearest") == "nearest") return OnCodes::kMoves;
  return operators::OnCodesOf(op);
}

bool GivesCodes(OnCodes rule) {
  return operators::MovesCodes(rule) || rule == OnCodes::kSelects || rule == OnCodes::kMixes;
}

bool IsCodeType(DataType type) {
  return type == DataType::kInt8 || type == DataType::kUInt8 || type == DataType::kInt16 ||
         type == DataType::kUInt16;
}

CodeTypes::CodeTypes(const graph::Graph& graph)
    : types_(graph.values.size()),
      parents_(graph.values.size()),
      quantized_(graph.values.size(), false) {
  for (size_t i = 0; i < parents_.size(); ++i) {
    parents_[i] = i;
    if (graph.values[i].constant != nullptr && IsCodeType(graph.values[i].constant->type)) {
      types_[i] = graph.values[i].constant->type;
    }
  }
  for (const ValueId id : graph.inputs) {
    const DataType type = graph.At(id).type;
    if (!IsCodeType(type)) continue;
    types_[static_cast<size_t>(id)] = type;
    quantized_[static_cast<size_t>(id)] = true;
  }
  for (const Node& node : graph.nodes) ReadNode(graph, node);
  for (size_t i = 0; i < parents_.size(); ++i) quantized_[i] = quantized_[Root(i)];
}

bool CodeTypes::IsQuantized(ValueId id) const {
  const auto value = static_cast<size_t>(id);
  return types_[value].has_value() && quantized_[value];
}

size_t CodeTypes::Root(size_t value) {
  while (parents_[value] != value) value = parents_[value] = parents_[parents_[value]];
  return value;
}

void CodeTypes::ReadNode(const graph::Graph& graph, const Node& node) {
  const auto mark = [this](ValueId id) { quantized_[Root(static_cast<size_t>(id))] = true; };
  if (node.outputs.empty()) return;
  if (node.op == "QuantizeLinear") {
    const auto type = TypeOfQuantized(graph, node, types_);
    if (!type || !IsCodeType(*type)) return;
    types_[static_cast<size_t>(node.outputs[0])] = type;
    return mark(node.outputs[0]);
  }
  std::vector<ValueId> codes;
  std::optional<DataType> type;
  for (const ValueId id : graph::Present(node.inputs)) {
    if (!Of(id)) continue;
    if (!type) type = Of(id);
    if (graph.Constant(id) == nullptr) codes.push_back(id);
  }
  if (node.op == "DequantizeLinear") {
    if (!codes.empty() && codes[0] == node.inputs[0]) mark(codes[0]);
    return;
  }
  const OnCodes rule = RuleOf(node);
  if (rule == OnCodes::kCasts) {
    type = node.op == "Cast"        ? operators::TypeOfCode(node.Int("to", 0))
           : node.inputs.size() > 1 ? Of(node.inputs[1])
                                    : std::nullopt;
    if (type && !IsCodeType(*type)) type.reset();
    if (node.op == "CastLike" && !codes.empty() && codes[0] != node.inputs[0]) codes.clear();
  } else if (!GivesCodes(rule)) {
    type.reset();
  }
  if (type) {
    const size_t count = HasOneResultOfCodes(node.op) ? 1 : node.outputs.size();
    for (size_t i = 0; i < count; ++i) {
      types_[static_cast<size_t>(node.outputs[i])] = type;
      codes.push_back(node.outputs[i]);
    }
  }
  for (size_t i = 1; i < codes.size(); ++i) {
    const size_t first = Root(static_cast<size_t>(codes[0]));
    const size_t other = Root(static_cast<size_t>(codes[i]));
    quantized_[first] = quantized_[first] || quantized_[other];
    parents_[other] = first;
  }
}

}  // namespace octet::import
