#include "converter/operators/offset_function.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "converter/operators/context.h"
#include "converter/operators/registry.h"
#include "converter/operators/unary.h"
#include "converter/support/functions.h"

namespace octet::operators {
namespace {

using graph::kNoValue;

// The input of a power or a quotient that alpha is; -1 of other functions.
int ConstantOperand(std::string_view function) {
  return function == kPowerStep ? 1 : function == kQuotientStep ? 0 : -1;
}

// In float.
void Apply(const FunctionStep& step, std::vector<float>& values) {
  const float a = step.alpha, b = step.beta;
  if (step.name == kPowerStep) {
    for (float& value : values) value = math::Pow(value, a);
  } else if (step.name == kQuotientStep) {
    for (float& value : values) value = a / value;
  } else if (step.name == kScaleStep) {
    for (float& value : values) value = a * value + b;
  } else {
    ApplyActivation(step.name, values, a, b);
  }
}

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

double FunctionStep::Of(double x) const {
  const auto a = static_cast<double>(alpha), b = static_cast<double>(beta);
  if (name == kPowerStep) return math::Pow(x, a);
  if (name == kQuotientStep) return a / x;
  if (name == kScaleStep) return a * x + b;
  return ScalarOf(name)(x, alpha, beta);
}

double OffsetFunction::Of(double x) const {
  double y = x + static_cast<double>(from);
  for (const FunctionStep& step : steps) y = step.Of(y);
  return y - static_cast<double>(by);
}

std::vector<FunctionPart> PartsOf(const OffsetFunction& function) {
  std::vector<FunctionPart> parts;
  if (function.from != 0) parts.push_back({"Add", {}, {function.from}, {}});
  for (const FunctionStep& step : function.steps) {
    const std::string name(step.name);
    if (step.name == kScaleStep) {
      if (step.alpha != 1) parts.push_back({"Mul", {}, {step.alpha}, {}});
      if (step.beta != 0) parts.push_back({"Add", {}, {step.beta}, {}});
    } else if (step.name == kPowerStep) {
      parts.push_back({name, {}, {step.alpha}, {}});
    } else if (step.name == kQuotientStep) {
      parts.push_back({name, {step.alpha}, {}, {}});
    } else if (step.name == "Clip") {
      parts.push_back({name, {}, {step.alpha, step.beta}, {}});
    } else {
      Node node;
      node.op = name;
      SetParameters({step.alpha, step.beta}, &node);
      parts.push_back({name, {}, {}, std::move(node.attributes)});
    }
  }
  if (function.by != 0 || parts.empty()) parts.push_back({"Sub", {}, {function.by}, {}});
  return parts;
}

OffsetFunction OffsetFunctionOf(const Node& node) {
  OffsetFunction result{{}, node.Float("from", 0), node.Float("by", 0)};
  std::string_view names;
  if (const auto found = node.attributes.find("functions"); found != node.attributes.end()) {
    if (const auto* text = std::get_if<std::string>(&found->second)) names = *text;
  }
  const std::vector<float> alphas = node.FloatList("alphas"), betas = node.FloatList("betas");
  do {
    const size_t end = std::min(names.find(' '), names.size()), k = result.steps.size();
    // Without numbers, or "": a file names this operator, which is refused when it is computed.
    const bool is_whole = k < alphas.size() && k < betas.size();
    result.steps.push_back(is_whole ? FunctionStep{names.substr(0, end), alphas[k], betas[k]}
                                    : FunctionStep{});
    names.remove_prefix(std::min(end + 1, names.size()));
  } while (!names.empty());
  return result;
}

void SetOffsetFunction(const OffsetFunction& function, Node* node) {
  std::string names;
  std::vector<float> alphas, betas;
  for (const FunctionStep& step : function.steps) {
    if (!names.empty()) names += ' ';
    names += step.name;
    alphas.push_back(step.alpha);
    betas.push_back(step.beta);
  }
  const bool in_fp16 = node->Has("octet_fp16");
  node->op = kOffsetFunction;
  node->attributes = {{"functions", std::move(names)},
                      {"alphas", std::move(alphas)},
                      {"betas", std::move(betas)},
                      {"from", function.from},
                      {"by", function.by}};
  if (in_fp16) node->attributes["octet_fp16"] = int64_t{1};
}

bool MayBeOffset(const graph::Graph& graph, const Node& node) {
  if (!node.activation.empty() || node.outputs.size() != 1 || node.Has("gate_scale")) return false;
  if (!node.domain.empty() && node.domain != "ai.onnx") return false;
  if (node.op == kOffsetFunction) return true;
  if (const int constant = ConstantOperand(node.op); constant >= 0) {
    return HasOwnRange(graph, node, constant);
  }
  // What is linear, or clamps, lets constants pass as it is.
  return LinearityOf(node.op) == Linearity::kNone && IsUnaryFunction(node.op) &&
         node.inputs.size() == 1 && node.inputs[0] != kNoValue &&
         graph.Constant(node.inputs[0]) == nullptr;
}

OffsetFunction FunctionOfNode(const graph::Graph& graph, const Node& node) {
  if (node.op == kOffsetFunction) return OffsetFunctionOf(node);
  if (const int constant = ConstantOperand(node.op); constant >= 0) {
    const graph::ValueId operand = node.inputs[static_cast<size_t>(constant)];
    return {{{node.op, graph.Constant(operand)->floats[0], 0}}};
  }
  const UnaryParameters parameters = ParametersOf(node);
  return {{{node.op, parameters.alpha, parameters.beta}}};
}

void BecomeOffset(const graph::Graph& graph, Node* node) {
  if (node->op == kOffsetFunction) return;
  SetOffsetFunction(FunctionOfNode(graph, *node), node);
}

void MoveOffset(float from, float by, Node* node) {
  node->attributes["from"] = node->Float("from", 0) + from;
  node->attributes["by"] = node->Float("by", 0) + by;
}

bool IgnoresConstant(std::string_view op) {
  return LinearityOf(op) == Linearity::kIgnores;
}

void ExecuteOffsetFunction(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const OffsetFunction function = OffsetFunctionOf(node);
  const std::vector<float>& x = inputs[0]->floats;
  std::vector<float>& y = outputs[0].floats;
  if (function.from != 0 || function.by != 0) {
    std::transform(x.begin(), x.end(), y.begin(), [&](float value) {
      return static_cast<float>(function.Of(static_cast<double>(value)));
    });
    return;
  }
  // Without offsets each step is rounded, as by the nodes that it was.
  std::copy(x.begin(), x.end(), y.begin());
  for (const FunctionStep& step : function.steps) Apply(step, y);
}

}  // namespace octet::operators
