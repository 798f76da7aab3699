#include "converter/operators/offset_function.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "converter/operators/context.h"
#include "converter/operators/registry.h"
#include "converter/operators/unary.h"

namespace octet::operators {
namespace {

using graph::kNoValue;

// Linear, or clamps.
constexpr std::string_view kMoveOtherwise[] = {"Clip", "Identity", "Neg", "Relu"};
constexpr std::string_view kIgnore[] = {"InstanceNormalization", "LayerNormalization", "LogSoftmax",
                                        "Softmax"};

bool HasOwnRange(const graph::Graph& graph, const Node& node, int constant) {
  if (node.inputs.size() != 2) return false;
  const graph::ValueId number = node.inputs[static_cast<size_t>(constant)];
  const graph::ValueId x = node.inputs[static_cast<size_t>(1 - constant)];
  const Tensor* tensor = number == kNoValue ? nullptr : graph.Constant(number);
  if (tensor == nullptr || !tensor->IsFloat() || tensor->Count() != 1) return false;
  return x != kNoValue && graph.Constant(x) == nullptr &&
         graph.At(x).shape == graph.At(node.outputs[0]).shape;
}

}  // namespace

int ConstantOperand(std::string_view function) {
  return function == "Pow" ? 1 : function == "Div" ? 0 : -1;
}

double OffsetFunction::Of(double x) const {
  const double at = x + static_cast<double>(from);
  double y = 0;
  if (function == "Pow") {
    y = std::pow(at, static_cast<double>(alpha));
  } else if (function == "Div") {
    y = static_cast<double>(alpha) / at;
  } else {
    y = ApplyUnary(function, at, alpha, beta);
  }
  return y - static_cast<double>(by);
}

OffsetFunction OffsetFunctionOf(const Node& node) {
  std::string_view name;  // "": a file names this operator, which is refused when it is computed
  if (const auto found = node.attributes.find("function"); found != node.attributes.end()) {
    if (const auto* text = std::get_if<std::string>(&found->second)) name = *text;
  }
  OffsetFunction result{name, 0, 0, node.Float("from", 0), node.Float("by", 0)};
  if (ConstantOperand(name) >= 0) {
    result.alpha = node.Float("operand", 0);
    return result;
  }
  Node inner;
  inner.op = name;
  inner.attributes = node.attributes;
  const UnaryParameters parameters = ParametersOf(inner);
  result.alpha = parameters.alpha;
  result.beta = parameters.beta;
  return result;
}

bool MayBeOffset(const graph::Graph& graph, const Node& node) {
  if (!node.activation.empty() || node.outputs.size() != 1 || node.Has("gate_scale")) return false;
  if (!node.domain.empty() && node.domain != "ai.onnx") return false;
  if (node.op == kOffsetFunction) return true;
  if (const int constant = ConstantOperand(node.op); constant >= 0) {
    return HasOwnRange(graph, node, constant);
  }
  const bool other = std::find(std::begin(kMoveOtherwise), std::end(kMoveOtherwise), node.op) !=
                     std::end(kMoveOtherwise);
  return !other && IsUnaryFunction(node.op) && node.inputs.size() == 1 &&
         node.inputs[0] != kNoValue && graph.Constant(node.inputs[0]) == nullptr;
}

void BecomeOffset(const graph::Graph& graph, Node* node) {
  if (node->op == kOffsetFunction) return;
  if (const int constant = ConstantOperand(node->op); constant >= 0) {
    const auto at = static_cast<size_t>(constant);
    node->attributes["operand"] = graph.Constant(node->inputs[at])->floats[0];
  }
  node->attributes["function"] = node->op;
  node->op = kOffsetFunction;
}

void MoveOffset(float from, float by, Node* node) {
  node->attributes["from"] = node->Float("from", 0) + from;
  node->attributes["by"] = node->Float("by", 0) + by;
}

bool IgnoresConstant(std::string_view op) {
  return std::find(std::begin(kIgnore), std::end(kIgnore), op) != std::end(kIgnore);
}

void ExecuteOffsetFunction(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const OffsetFunction function = OffsetFunctionOf(node);
  const std::vector<float>& x = inputs[0]->floats;
  for (size_t i = 0; i < x.size(); ++i) {
    outputs[0].floats[i] = static_cast<float>(function.Of(static_cast<double>(x[i])));
  }
}

}  // namespace octet::operators
