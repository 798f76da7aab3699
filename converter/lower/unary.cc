#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <map>
#include <stdexcept>

#include "converter/lower/builder.h"
#include "converter/support/error.h"

namespace octet::lower {
namespace {

using blob::Function;

// Value of a one-element float constant.
bool ScalarConstant(const graph::Graph& graph, graph::ValueId id, float* value) {
  const graph::Tensor* tensor = id == graph::kNoValue ? nullptr : graph.Constant(id);
  if (tensor == nullptr || !tensor->IsFloat() || tensor->Count() != 1) return false;
  *value = tensor->floats[0];
  return true;
}

// A broadcast scalar must not raise the rank of the result above the other operand's.
bool KeepsShape(const graph::Graph& graph, const graph::Node& node, size_t operand) {
  return graph.At(node.inputs[operand]).shape == graph.At(node.outputs[0]).shape;
}

bool ScalarBinary(const graph::Graph& graph, const graph::Node& node, FunctionOf* out) {
  if (node.inputs.size() != 2) return false;
  float value = 0;
  const bool second = ScalarConstant(graph, node.inputs[1], &value) && KeepsShape(graph, node, 0);
  const bool first =
      !second && ScalarConstant(graph, node.inputs[0], &value) && KeepsShape(graph, node, 1);
  if (!first && !second) return false;
  if (node.op == "Add")
    *out = {Function::kScale, 1.0f, value};
  else if (node.op == "Mul")
    *out = {Function::kScale, value, 0.0f};
  else if (node.op == "Sub")
    *out = second ? FunctionOf{Function::kScale, 1.0f, -value}
                  : FunctionOf{Function::kScale, -1.0f, value};
  else if (node.op == "Div" && second && value != 0)
    *out = {Function::kScale, 1.0f / value, 0.0f};
  else if (node.op == "Div" && first && value == 1.0f)
    *out = {Function::kReciprocal, 0, 0};
  else if (node.op == "Pow" && second)
    *out = {Function::kPower, value, 0.0f};
  else if (node.op == "Max")
    *out = {Function::kClamp, value, FLT_MAX};
  else if (node.op == "Min")
    *out = {Function::kClamp, -FLT_MAX, value};
  else
    return false;
  return true;
}

bool Named(const std::string& op, float alpha, float beta, FunctionOf* out) {
  static const struct {
    const char* op;
    Function function;
  } kPlain[] = {
      {"Sigmoid", Function::kSigmoid},
      {"Silu", Function::kSilu},
      {"HardSwish", Function::kHardSwish},
      {"Tanh", Function::kTanh},
      {"Exp", Function::kExp},
      {"Reciprocal", Function::kReciprocal},
      {"Sqrt", Function::kSqrt},
      {"Log", Function::kLog},
      {"Softplus", Function::kSoftplus},
      {"Mish", Function::kMish},
      {"Gelu", Function::kGelu},
      {"Abs", Function::kAbs},
      {"Neg", Function::kNeg},
      {"Erf", Function::kErf},
      {"Floor", Function::kFloor},
      {"Ceil", Function::kCeil},
  };
  for (const auto& entry : kPlain) {
    if (op == entry.op) {
      *out = {entry.function, 0, 0};
      return true;
    }
  }
  if (op == "Relu")
    *out = {Function::kClamp, 0, FLT_MAX};
  else if (op == "Clip")
    *out = {Function::kClamp, std::max(alpha, -FLT_MAX), std::min(beta, FLT_MAX)};
  else if (op == "LeakyRelu")
    *out = {Function::kLeakyRelu, alpha, 0};
  else if (op == "HardSigmoid")
    *out = {Function::kHardSigmoid, alpha, beta};
  else if (op == "Elu")
    *out = {Function::kElu, alpha, 0};
  else
    return false;
  return true;
}

}  // namespace

bool UnaryFunction(const graph::Graph& graph, const graph::Node& node, FunctionOf* out) {
  if (!node.activation.empty()) return false;
  if (ScalarBinary(graph, node, out)) return true;
  float alpha = 0, beta = 0;
  if (node.op == "Clip") {
    alpha = -FLT_MAX;
    beta = FLT_MAX;
    if (node.inputs.size() > 1 && node.inputs[1] != graph::kNoValue &&
        !ScalarConstant(graph, node.inputs[1], &alpha))
      return false;
    if (node.inputs.size() > 2 && node.inputs[2] != graph::kNoValue &&
        !ScalarConstant(graph, node.inputs[2], &beta))
      return false;
  } else if (node.op == "LeakyRelu") {
    alpha = node.Float("alpha", 0.01f);
  } else if (node.op == "Elu") {
    alpha = node.Float("alpha", 1.0f);
  } else if (node.op == "HardSigmoid") {
    alpha = node.Float("alpha", 0.2f);
    beta = node.Float("beta", 0.5f);
  } else if (node.op == "Gelu" && node.String("approximate", "none") != "none") {
    return false;
  }
  if (!Named(node.op, alpha, beta, out)) return false;
  out->gate_scale = node.Float("gate_scale", 0);
  out->gate_zero_point = static_cast<int>(node.Int("gate_zero_point", 0));
  return true;
}

FunctionOf ActivationFunction(const graph::Node& node) {
  FunctionOf function;
  if (!node.activation.empty() && !Named(node.activation, node.alpha, node.beta, &function)) {
    Fail("node '{}': fused activation {} has no kernel", node.name, node.activation);
  }
  return function;
}

FunctionOf FunctionNamed(const std::string& op) {
  FunctionOf function;
  if (!Named(op, 0, 0, &function)) throw std::logic_error("no function " + op);
  return function;
}

double Evaluate(const FunctionOf& f, double x) {
  const double alpha = f.alpha, beta = f.beta;
  switch (f.function) {
    case Function::kIdentity:
      return x;
    case Function::kClamp:
      return std::min(std::max(x, alpha), beta);
    case Function::kLeakyRelu:
      return x < 0 ? alpha * x : x;
    case Function::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case Function::kSilu: {
      if (f.gate_scale <= 0) return x / (1 + std::exp(-x));
      const double gate = 1 / (1 + std::exp(-x));
      const double code = std::nearbyint(gate / f.gate_scale) + f.gate_zero_point;
      return x * (std::clamp(code, -128.0, 127.0) - f.gate_zero_point) * f.gate_scale;
    }
    case Function::kHardSigmoid:
      return std::clamp(alpha * x + beta, 0.0, 1.0);
    case Function::kHardSwish:
      return x * std::clamp(x / 6 + 0.5, 0.0, 1.0);
    case Function::kTanh:
      return std::tanh(x);
    case Function::kExp:
      return std::exp(x);
    case Function::kScale:
      return alpha * x + beta;
    case Function::kReciprocal:
      return 1 / x;
    case Function::kSqrt:
      return std::sqrt(std::max(x, 0.0));
    case Function::kLog:
      return std::log(std::max(x, 1e-30));
    case Function::kElu:
      return x < 0 ? alpha * std::expm1(x) : x;
    case Function::kSoftplus:
      return x > 30 ? x : std::log1p(std::exp(x));
    case Function::kMish:
      return x * std::tanh(x > 30 ? x : std::log1p(std::exp(x)));
    case Function::kGelu:
      return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    case Function::kAbs:
      return std::fabs(x);
    case Function::kNeg:
      return -x;
    case Function::kPower:
      return std::pow(x, alpha);
    case Function::kErf:
      return std::erf(x);
    case Function::kFloor:
      return std::floor(x);
    case Function::kCeil:
      return std::ceil(x);
  }
  return x;
}

Bytes UnaryTable(const FunctionOf& function, const Tensor& from, const Tensor& to) {
  Bytes table(256);
  for (int q = -128; q < 128; ++q) {
    const double x = static_cast<double>(from.scale) * (q - from.zero_point);
    double y = std::floor(Evaluate(function, x) / to.scale + 0.5) + to.zero_point;
    if (std::isnan(y)) y = to.zero_point;
    table[static_cast<size_t>(q + 128)] =
        static_cast<uint8_t>(static_cast<int8_t>(std::clamp(y, -128.0, 127.0)));
  }
  return table;
}

ChannelTables UnaryTables(const FunctionOf& function, const Tensor& from, const Tensor& to) {
  ChannelTables result;
  std::map<std::array<float, 4>, uint8_t> known;  // by both schemes
  for (size_t c = 0; c < from.channels.size(); ++c) {
    Tensor x = from, y = to;
    x.scale = from.channels[c].scale;
    x.zero_point = from.channels[c].zero_point;
    if (!to.channels.empty()) {
      y.scale = to.channels[c].scale;
      y.zero_point = to.channels[c].zero_point;
    }
    const std::array<float, 4> key{x.scale, static_cast<float>(x.zero_point), y.scale,
                                   static_cast<float>(y.zero_point)};
    const auto [at, is_new] = known.try_emplace(key, static_cast<uint8_t>(known.size()));
    if (is_new) {
      const Bytes table = UnaryTable(function, x, y);
      result.tables.insert(result.tables.end(), table.begin(), table.end());
    }
    result.index.push_back(at->second);
  }
  return result;
}

bool ClampOf(const FunctionOf& function, const Tensor& to, int8_t* lo, int8_t* hi) {
  *lo = -128;
  *hi = 127;
  if (function.function == Function::kIdentity) return true;
  if (function.function != Function::kClamp) return false;
  if (!to.channels.empty()) {
    // The upper bound is the largest code: no channel's range reaches past it.
    *lo = static_cast<int8_t>(to.zero_point);
    return true;
  }
  const auto quantized = [&to](double x) {
    return static_cast<int8_t>(
        std::clamp(std::floor(x / to.scale + 0.5) + to.zero_point, -128.0, 127.0));
  };
  *lo = quantized(function.alpha);
  *hi = quantized(function.beta);
  return *lo <= *hi;
}

void LowerUnary(Builder& builder, const graph::Node& node) {
  if (builder.IsInteger(node.outputs[0])) return LowerElementwise(builder, node);
  FunctionOf function;
  if (!UnaryFunction(builder.graph(), node, &function)) {
    Fail(
        "node '{}' ({}): only the form with constant parameters can run; make them constants in "
        "the export",
        node.name, node.op);
  }
  // The operand that is no constant (x + 2 and 2 + x alike).
  graph::ValueId x = node.inputs[0];
  if (builder.Constant(x) != nullptr && node.inputs.size() > 1) x = node.inputs[1];
  const blob::Precision precision = builder.PrecisionOf(node);
  const blob::ElementType type = Builder::TypeOf(precision);
  const Layout layout = builder.Existing(x);
  const int input = builder.Use(x, layout, type);
  const int output = builder.Define(node.outputs[0], layout, type);
  Layer& layer = builder.Emit(node, blob::Op::kUnary, precision, {input}, output);
  layer.Set(blob::UnaryParams{function.function, {}, function.alpha, function.beta});
  if (precision == blob::Precision::kInt8) {
    const Tensor &from = builder.At(input), &to = builder.At(output);
    if (from.channels.empty()) {
      layer.table = UnaryTable(function, from, to);
    } else {
      ChannelTables tables = UnaryTables(function, from, to);
      layer.table = std::move(tables.tables);
      layer.extra = std::move(tables.index);
    }
  }
}

}  // namespace octet::lower
