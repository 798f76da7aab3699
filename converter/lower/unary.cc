#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <map>
#include <stdexcept>

#include "converter/lower/builder.h"
#include "converter/lower/node_fail.h"
#include "converter/operators/offset_function.h"
#include "converter/operators/operator.h"
#include "converter/operators/unary.h"
#include "converter/support/functions.h"
#include "runtime/core/half.h"
#include "runtime/quant/parameters.h"

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

// A parameter without an attribute is always its default.
struct UnaryParameter {
  const char* attribute;
  float fallback;
  float Of(float value) const { return *attribute == 0 ? fallback : value; }
};
struct UnaryEntry {
  std::string_view op;
  Function function;
  UnaryParameter alpha, beta;
};
constexpr UnaryEntry kUnaryEntries[] = {
#define OCTET_UNARY(name, runtime, alpha, alpha_default, beta, beta_default, low, high, behind, f) \
  {#name, Function::runtime, {alpha, alpha_default}, {beta, beta_default}},
#include "converter/operators/unary.inc"
#undef OCTET_UNARY
};

bool Named(std::string_view op, float alpha, float beta, FunctionOf* out) {
  for (const UnaryEntry& entry : kUnaryEntries) {
    if (op != entry.op) continue;
    *out = {entry.function, std::max(entry.alpha.Of(alpha), -FLT_MAX),
            std::min(entry.beta.Of(beta), FLT_MAX), entry.op};
    return true;
  }
  return false;
}

}  // namespace

bool UnaryFunction(const graph::Graph& graph, const graph::Node& node, FunctionOf* out) {
  if (!node.activation.empty()) return false;
  if (node.op == operators::kOffsetFunction) {
    *out = {Function::kTable16};
    out->offset = operators::OffsetFunctionOf(node);
    return true;
  }
  if (ScalarBinary(graph, node, out)) return true;
  auto [alpha, beta] = operators::ParametersOf(node);
  // Further inputs are those parameters, if they are constants: the bounds of Clip.
  float* const parameters[] = {&alpha, &beta};
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    if (i > 2) return false;
    if (node.inputs[i] == graph::kNoValue) continue;
    if (!ScalarConstant(graph, node.inputs[i], parameters[i - 1])) return false;
  }
  if (!Named(node.op, alpha, beta, out)) return false;
  out->gate_scale = node.Float("gate_scale", 0);
  out->gate_zero_point = static_cast<int>(node.Int("gate_zero_point", 0));
  return true;
}

FunctionOf ActivationFunction(const graph::Node& node) {
  FunctionOf function;
  if (!node.activation.empty() && !Named(node.activation, node.alpha, node.beta, &function)) {
    NodeFail(node, "fused activation {} has no kernel", node.activation);
  }
  return function;
}

Activation ActivationOf(const FunctionOf& function, float table_scale) {
  return {function.function, function.alpha, function.beta, table_scale,
          function.function != Function::kTable16 && function.gate_scale == 0};
}

FunctionOf FunctionNamed(const std::string& op) {
  FunctionOf function;
  if (!Named(op, 0, 0, &function)) throw std::logic_error("no function " + op);
  return function;
}

double Evaluate(const FunctionOf& f, double x) {
  const double alpha = f.alpha, beta = f.beta;
  if (!f.offset.steps.empty()) return f.offset.Of(x);
  switch (f.function) {
    case Function::kIdentity:
      return x;
    case Function::kClamp:
      return std::min(std::max(x, alpha), beta);
    case Function::kSilu: {
      if (f.gate_scale <= 0) break;
      const double gate = 1 / (1 + math::Exp(-x));
      const double code = std::nearbyint(gate / f.gate_scale) + f.gate_zero_point;
      return x * (std::clamp(code, -128.0, 127.0) - f.gate_zero_point) * f.gate_scale;
    }
    case Function::kScale:
      return alpha * x + beta;
    case Function::kPower:
      return math::Pow(x, alpha);
    case Function::kSqrt:
      return std::sqrt(std::max(x, 0.0));
    case Function::kLog:
      return math::Log(std::max(x, 1e-30));
    default:
      break;
  }
  // Those that are made up here (a slope of PRelu, 1 / x) have no operator to be named after.
  std::string_view name = f.name;
  for (const UnaryEntry& entry : kUnaryEntries) {
    if (name.empty() && entry.function == f.function) name = entry.op;
  }
  return operators::ScalarOf(name)(x, f.alpha, f.beta);
}

Bytes HalfTable(const FunctionOf& function) {
  std::vector<uint16_t> table(blob::kHalfTableEntries);
  for (uint32_t half = 0; half < table.size(); ++half) {
    const double y = Evaluate(function, HalfToFloat(static_cast<uint16_t>(half)));
    table[half] = std::isnan(y) ? uint16_t{0x7E00} : FloatToHalf(static_cast<float>(y));
  }
  return ToBytes(table);
}

Bytes UnaryTable(const FunctionOf& function, const Tensor& from, const Tensor& to) {
  std::array<int8_t, 256> table;
  CodesOfFunction<double>([&](double x) { return Evaluate(function, x); }, from.scale,
                          from.zero_point, to.scale, to.zero_point, table.data());
  return Bytes(table.begin(), table.end());
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
  CodesOfClamp<double>(function.alpha, function.beta, to.scale, to.zero_point, lo, hi);
  return *lo <= *hi;
}

namespace {

// Whether a clamp changes none of the codes of its input.
bool IsTheRange(const Builder& builder, const FunctionOf& function, graph::ValueId from,
                graph::ValueId to) {
  const quantize::TensorScheme &in = builder.SchemeOf(from), &out = builder.SchemeOf(to);
  if (builder.graph().At(to).given == nullptr || in.scale != out.scale ||
      in.zero_point != out.zero_point || !in.channels.empty() || !out.channels.empty()) {
    return false;
  }
  Tensor result;
  result.scale = out.scale;
  result.zero_point = out.zero_point;
  int8_t lo = 0, hi = 0;
  return ClampOf(function, result, &lo, &hi) && lo == -128 && hi == 127;
}

}  // namespace

void LowerUnary(Builder& builder, const graph::Node& node) {
  if (builder.IsInteger(node.outputs[0])) return LowerElementwise(builder, node);
  FunctionOf function;
  if (!UnaryFunction(builder.graph(), node, &function)) {
    NodeFail(node, "its parameters must be constant; make them constants in the export");
  }
  // The operand that is no constant (x + 2 and 2 + x alike).
  graph::ValueId x = node.inputs[0];
  if (builder.Constant(x) != nullptr && node.inputs.size() > 1) x = node.inputs[1];
  const blob::Precision precision = builder.PrecisionOf(node);
  const blob::ElementType type = Builder::TypeOf(precision);
  const Layout layout = builder.Existing(x);
  const int input = builder.Use(x, layout, type);
  // The clamp that the codes of its input are anyway (passes/quantization/settle_given.cc).
  if (precision == blob::Precision::kInt8 && IsTheRange(builder, function, x, node.outputs[0])) {
    return builder.Alias(node.outputs[0], layout, input);
  }
  const int output = builder.Define(node.outputs[0], layout, type);
  Layer& layer = builder.Emit(node, blob::Op::kUnary, precision, {input}, output);
  layer.Set(blob::UnaryParams{function.function, {}, function.alpha, function.beta});
  if (precision == blob::Precision::kFp16 && function.function == Function::kTable16) {
    layer.table = HalfTable(function);
  }
  layer.activation = ActivationOf(function, 0);
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
