#include "converter/operators/unary.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "converter/operators/context.h"
#include "converter/operators/registry.h"

namespace octet::operators {
namespace {

// Each function once, for float (speed) and double (tables).
struct Identity {
  template <typename T>
  static T Of(T x, T, T) {
    return x;
  }
};
struct Relu {
  // NaN stays NaN: the comparison is false.
  template <typename T>
  static T Of(T x, T, T) {
    return x < 0 ? T(0) : x;
  }
};
struct Clip {
  template <typename T>
  static T Of(T x, T low, T high) {
    const T raised = x < low ? low : x;
    return raised > high ? high : raised;  // min > max gives max, as ONNX says
  }
};
struct LeakyRelu {
  template <typename T>
  static T Of(T x, T alpha, T) {
    return x < 0 ? alpha * x : x;
  }
};
struct Sigmoid {
  template <typename T>
  static T Of(T x, T, T) {
    return T(1) / (T(1) + std::exp(-x));
  }
};
struct Silu {
  template <typename T>
  static T Of(T x, T, T) {
    return x / (T(1) + std::exp(-x));
  }
};
struct HardSigmoid {
  template <typename T>
  static T Of(T x, T alpha, T beta) {
    return Clip::Of<T>(alpha * x + beta, T(0), T(1));
  }
};
struct HardSwish {
  template <typename T>
  static T Of(T x, T, T) {
    return x * Clip::Of<T>(x + T(3), T(0), T(6)) / T(6);
  }
};
struct Tanh {
  template <typename T>
  static T Of(T x, T, T) {
    return std::tanh(x);
  }
};
struct Elu {
  template <typename T>
  static T Of(T x, T alpha, T) {
    return x < 0 ? alpha * std::expm1(x) : x;
  }
};
struct Softplus {
  // log(1 + e^x) without overflow for large x.
  template <typename T>
  static T Of(T x, T, T) {
    return (x > 0 ? x : T(0)) + std::log1p(std::exp(-std::abs(x)));
  }
};
struct Mish {
  template <typename T>
  static T Of(T x, T, T) {
    return x * std::tanh(Softplus::Of<T>(x, 0, 0));
  }
};
struct Gelu {
  // alpha != 0: the tanh approximation.
  template <typename T>
  static T Of(T x, T alpha, T) {
    if (alpha != 0) {
      const T inner = T(0.7978845608028654) * (x + T(0.044715) * x * x * x);  // sqrt(2 / pi)
      return T(0.5) * x * (T(1) + std::tanh(inner));
    }
    return T(0.5) * x * (T(1) + std::erf(x * T(0.7071067811865476)));  // 1 / sqrt(2)
  }
};
struct Erf {
  template <typename T>
  static T Of(T x, T, T) {
    return std::erf(x);
  }
};
struct Exp {
  template <typename T>
  static T Of(T x, T, T) {
    return std::exp(x);
  }
};
struct Log {
  template <typename T>
  static T Of(T x, T, T) {
    return std::log(x);
  }
};
struct Sqrt {
  template <typename T>
  static T Of(T x, T, T) {
    return std::sqrt(x);
  }
};
struct Reciprocal {
  template <typename T>
  static T Of(T x, T, T) {
    return T(1) / x;
  }
};
struct Abs {
  template <typename T>
  static T Of(T x, T, T) {
    return std::abs(x);
  }
};
struct Neg {
  template <typename T>
  static T Of(T x, T, T) {
    return -x;
  }
};
struct Floor {
  template <typename T>
  static T Of(T x, T, T) {
    return std::floor(x);
  }
};
struct Ceil {
  template <typename T>
  static T Of(T x, T, T) {
    return std::ceil(x);
  }
};

using ScalarFunction = double (*)(double, double, double);
using BufferFunction = void (*)(float*, size_t, float, float);

template <typename F>
double Scalar(double x, double alpha, double beta) {
  return F::template Of<double>(x, alpha, beta);
}

template <typename F>
void Buffer(float* values, size_t count, float alpha, float beta) {
  for (size_t i = 0; i < count; ++i) values[i] = F::template Of<float>(values[i], alpha, beta);
}

struct Function {
  std::string_view name;
  ScalarFunction scalar;
  BufferFunction buffer;
};

#define OCTET_UNARY(name) \
  { #name, Scalar < name>, Buffer < name> }
constexpr Function kFunctions[] = {
    OCTET_UNARY(Identity), OCTET_UNARY(Relu),        OCTET_UNARY(Clip),
    OCTET_UNARY(Sigmoid),  OCTET_UNARY(LeakyRelu),   OCTET_UNARY(Silu),
    OCTET_UNARY(Tanh),     OCTET_UNARY(HardSigmoid), OCTET_UNARY(HardSwish),
    OCTET_UNARY(Elu),      OCTET_UNARY(Softplus),    OCTET_UNARY(Mish),
    OCTET_UNARY(Gelu),     OCTET_UNARY(Erf),         OCTET_UNARY(Exp),
    OCTET_UNARY(Log),      OCTET_UNARY(Sqrt),        OCTET_UNARY(Reciprocal),
    OCTET_UNARY(Abs),      OCTET_UNARY(Neg),         OCTET_UNARY(Floor),
    OCTET_UNARY(Ceil),
};
#undef OCTET_UNARY

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
  return op == "Abs" || op == "Neg" || op == "Relu";
}

void ExecuteIntegers(std::string_view op, const Tensor& in, Tensor& out) {
  for (size_t i = 0; i < in.integers.size(); ++i) {
    const int64_t x = in.integers[i];
    const bool negate = op == "Neg" || (op == "Abs" && x < 0);
    out.integers[i] = negate ? WrappingSub(0, x) : op == "Abs" ? x : std::max<int64_t>(x, 0);
  }
}

}  // namespace

UnaryParameters ParametersOf(const Node& node) {
  if (node.op == "LeakyRelu") return {node.Float("alpha", 0.01f), 0};
  if (node.op == "Elu") return {node.Float("alpha", 1.0f), 0};
  if (node.op == "HardSigmoid") return {node.Float("alpha", 0.2f), node.Float("beta", 0.5f)};
  if (node.op == "Gelu") return {node.String("approximate", "none") == "tanh" ? 1.0f : 0.0f, 0};
  return {};
}

bool IsUnaryFunction(std::string_view function) {
  return FindFunction(function) != nullptr;
}

double ApplyUnary(std::string_view function, double x, float alpha, float beta) {
  return RequireFunction(function).scalar(x, alpha, beta);
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

// x * sigmoid(x) with the sigmoid rounded to codes, as the model says (passes/recognise_silu.cc).
void RoundedGates(const Node& node, float scale, std::vector<float>& values) {
  const auto zero_point = static_cast<float>(node.Int("gate_zero_point", 0));
  for (float& x : values) {
    const float gate = 1 / (1 + std::exp(-x));
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
