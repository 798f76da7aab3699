#include "converter/operators/unary.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <type_traits>

#include "converter/operators/context.h"
#include "converter/operators/registry.h"
#include "converter/support/functions.h"

namespace octet::operators {
namespace {

// min(max(x, low), high); NaN stays NaN, and bounds that cross give the upper one, as ONNX says.
template <typename T>
T Clamp(T x, T low, T high) {
  const T raised = x < low ? low : x;
  return raised > high ? high : raised;
}

// log(1 + e^x) without overflow for large x.
template <typename T>
T SoftPlus(T x) {
  return (x > 0 ? x : T(0)) + math::Log1p(math::Exp(-std::abs(x)));
}

template <typename T>
T TanhGelu(T x) {
  const T inner = T(0.7978845608028654) * (x + T(0.044715) * x * x * x);  // sqrt(2 / pi)
  return T(0.5) * x * (T(1) + math::Tanh(inner));
}

using BufferFunction = void (*)(float*, size_t, float, float);

template <typename F>
double Scalar(double x, double alpha, double beta) {
  return F::template Of<double>(x, alpha, beta);
}

// Each function once, for float (speed) and double (tables).
#define OCTET_UNARY(name, runtime, alpha, alpha_default, beta, beta_default, low, high, behind, f) \
  struct name##Function {                                                                          \
    template <typename T>                                                                          \
    static T Of(T x, [[maybe_unused]] T a, [[maybe_unused]] T b) {                                 \
      return f;                                                                                    \
    }                                                                                              \
    OCTET_VECTOR_CLONES static void Buffer(float* x, size_t count, float a, float b) {             \
      for (size_t i = 0; i < count; ++i) x[i] = Of<float>(x[i], a, b);                             \
    }                                                                                              \
  };
#include "converter/operators/unary.inc"
#undef OCTET_UNARY

struct Function {
  std::string_view name;
  ScalarFunction scalar;
  BufferFunction buffer;
  const char *alpha, *beta;  // attributes
  UnaryParameters defaults;
  UnaryTraits traits;
};

constexpr Function kFunctions[] = {
#define OCTET_UNARY(name, runtime, alpha, alpha_default, beta, beta_default, low, high, behind, f) \
  {#name, Scalar<name##Function>,        name##Function::Buffer, alpha,                            \
   beta,  {alpha_default, beta_default}, {low, high, behind}},
#include "converter/operators/unary.inc"
#undef OCTET_UNARY
};

const Function* FindFunction(std::string_view name) {
  for (const Function& function : kFunctions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

const Function& RequireFunction(std::string_view name) {
  const Function* function = FindFunction(name);
  if (function == nullptr) Fail("'{}' is not a unary function", name);
  return *function;
}

bool WorksOnIntegers(std::string_view op) {
  return op == "Abs" || op == "Neg" || op == "Relu" || op == "Sign";
}

void ExecuteIntegers(std::string_view op, const Tensor& in, Tensor& out) {
  for (size_t i = 0; i < in.integers.size(); ++i) {
    const int64_t x = in.integers[i];
    if (op == "Sign") {
      out.integers[i] = (x > 0) - (x < 0);
      continue;
    }
    const bool negate = op == "Neg" || (op == "Abs" && x < 0);
    out.integers[i] = negate ? WrappingSub(0, x) : op == "Abs" ? x : std::max<int64_t>(x, 0);
  }
  NarrowToType(out);
}

}  // namespace

UnaryParameters ParametersOf(const Node& node) {
  const Function* function = FindFunction(node.op);
  if (function == nullptr) return {};
  UnaryParameters parameters = function->defaults;
  if (*function->alpha != 0) parameters.alpha = node.Float(function->alpha, parameters.alpha);
  if (*function->beta != 0) parameters.beta = node.Float(function->beta, parameters.beta);
  return parameters;
}

void SetParameters(const UnaryParameters& parameters, Node* node) {
  const Function& function = RequireFunction(node->op);
  if (*function.alpha != 0) node->attributes[function.alpha] = parameters.alpha;
  if (*function.beta != 0) node->attributes[function.beta] = parameters.beta;
}

UnaryTraits UnaryTraitsOf(const Node& node) {
  const Function* function = FindFunction(node.op);
  return function == nullptr ? UnaryTraits{} : function->traits;
}

bool IsUnaryFunction(std::string_view function) {
  return FindFunction(function) != nullptr;
}

ScalarFunction ScalarOf(std::string_view function) {
  return RequireFunction(function).scalar;
}

void ApplyActivation(std::string_view function, std::span<float> values, float alpha, float beta) {
  if (function.empty()) return;
  RequireFunction(function).buffer(values.data(), values.size(), alpha, beta);
}

std::vector<OutputType> InferUnary(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  if (!WorksOnIntegers(context.node->op)) RequireFloat(context, 0);
  if (InputType(context, 0) == DataType::kBool)
    ShapeFail(context, "input 0 must be a number, is bool");
  return {{InputType(context, 0), InputShape(context, 0)}};
}

namespace {

// x * sigmoid(x) with the sigmoid rounded to codes, as the model says
// (passes/recognise/recognise_silu.cc).
void RoundedGates(const Node& node, float scale, std::vector<float>& values) {
  const auto zero_point = static_cast<float>(node.Int("gate_zero_point", 0));
  for (float& x : values) {
    const float gate = 1 / (1 + math::Exp(-x));
    x *= std::clamp(std::nearbyint(gate / scale), -128 - zero_point, 127 - zero_point) * scale;
  }
}

}  // namespace

void ExecuteUnary(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  if (!inputs[0]->IsFloat()) return ExecuteIntegers(node.op, *inputs[0], outputs[0]);
  const UnaryParameters parameters = ParametersOf(node);
  std::copy(inputs[0]->floats.begin(), inputs[0]->floats.end(), outputs[0].floats.begin());
  const float gate_scale = node.Float("gate_scale", 0);
  if (gate_scale > 0) return RoundedGates(node, gate_scale, outputs[0].floats);
  ApplyActivation(node.op, outputs[0].floats, parameters.alpha, parameters.beta);
}

}  // namespace octet::operators
