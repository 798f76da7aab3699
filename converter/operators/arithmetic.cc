// Add, Sub, Mul, Div, Pow, Min, Max, PRelu: numpy broadcasting, float or integer.
#include <algorithm>
#include <cmath>

#include "converter/operators/broadcast.h"
#include "converter/operators/registry.h"
#include "converter/support/functions.h"

namespace octet::operators {
namespace {

void RequireSameType(const ShapeContext& context) {
  for (size_t i = 1; i < context.inputs.size(); ++i) {
    if (InputType(context, i) != InputType(context, 0)) {
      ShapeFail(context, "inputs have different types: {} and {}",
                graph::Name(InputType(context, 0)), graph::Name(InputType(context, i)));
    }
  }
}

template <typename T, typename F>
void Apply(const Tensor& a, const std::vector<T>& x, const Tensor& b, const std::vector<T>& y,
           const Tensor& out, std::vector<T>& z, F f) {
  BroadcastBinary(a.shape, x.data(), b.shape, y.data(), out.shape, z.data(), f);
}

template <typename F>
void ApplyByType(const Tensor& a, const Tensor& b, Tensor& out, F f) {
  if (a.IsFloat()) {
    Apply(a, a.floats, b, b.floats, out, out.floats, f);
  } else {
    Apply(a, a.integers, b, b.integers, out, out.integers, f);
    NarrowToType(out);
  }
}

struct Sum {
  float operator()(float x, float y) const { return x + y; }
  int64_t operator()(int64_t x, int64_t y) const { return WrappingAdd(x, y); }
};
struct Difference {
  float operator()(float x, float y) const { return x - y; }
  int64_t operator()(int64_t x, int64_t y) const { return WrappingSub(x, y); }
};
struct Multiple {
  float operator()(float x, float y) const { return x * y; }
  int64_t operator()(int64_t x, int64_t y) const { return WrappingMul(x, y); }
};

int64_t IntegerPower(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  uint64_t result = 1;
  uint64_t factor = static_cast<uint64_t>(base);
  for (; exponent > 0; exponent >>= 1, factor *= factor) {
    if (exponent & 1) result *= factor;
  }
  return static_cast<int64_t>(result);
}

}  // namespace

std::vector<OutputType> InferArithmetic(const ShapeContext& context) {
  CheckInputCount(context, 2, 2);
  RequireSameType(context);
  return {{InputType(context, 0),
           Broadcast(*context.node, InputShape(context, 0), InputShape(context, 1))}};
}

void ExecuteArithmetic(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& a = *inputs[0];
  const Tensor& b = *inputs[1];
  Tensor& out = outputs[0];
  if (node.op == "Add") return ApplyByType(a, b, out, Sum());
  if (node.op == "Sub") return ApplyByType(a, b, out, Difference());
  if (node.op == "Mul") return ApplyByType(a, b, out, Multiple());
  if (a.IsFloat()) {
    return Apply(a, a.floats, b, b.floats, out, out.floats, [](float x, float y) { return x / y; });
  }
  // By 0 it is 0, as on the board: a head may divide what nobody reads.
  Apply(a, a.integers, b, b.integers, out, out.integers, [](int64_t x, int64_t y) {
    return y == 0 ? 0 : y == -1 ? WrappingSub(0, x) : x / y;
  });
  NarrowToType(out);
}

std::vector<OutputType> InferPow(const ShapeContext& context) {
  CheckInputCount(context, 2, 2);
  return {{InputType(context, 0),
           Broadcast(*context.node, InputShape(context, 0), InputShape(context, 1))}};
}

void ExecutePow(const Node&, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& a = *inputs[0];
  const Tensor& b = *inputs[1];
  Tensor& out = outputs[0];
  if (!a.IsFloat() && !b.IsFloat()) {
    Apply(a, a.integers, b, b.integers, out, out.integers, IntegerPower);
    return NarrowToType(out);
  }
  std::vector<float> base = a.floats;
  std::vector<float> exponent = b.floats;
  if (!a.IsFloat()) base.assign(a.integers.begin(), a.integers.end());
  if (!b.IsFloat()) exponent.assign(b.integers.begin(), b.integers.end());
  std::vector<float> result(static_cast<size_t>(out.Count()));
  Apply(a, base, b, exponent, out, result, [](float x, float y) {
    // The square is by far the most frequent, and exact this way.
    return y == 2.0f ? x * x : math::Pow(x, y);
  });
  if (out.IsFloat()) {
    out.floats = std::move(result);
  } else {
    for (size_t i = 0; i < result.size(); ++i) {
      out.integers[i] = ToInt64(static_cast<double>(result[i]));
    }
  }
}

std::vector<OutputType> InferMinMax(const ShapeContext& context) {
  CheckInputCount(context, 1, 1024);
  Shape shape = InputShape(context, 0);
  for (size_t i = 1; i < context.inputs.size(); ++i) {
    shape = Broadcast(*context.node, shape, InputShape(context, i));
  }
  RequireSameType(context);
  return {{InputType(context, 0), shape}};
}

void ExecuteMinMax(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  Tensor& out = outputs[0];
  const bool max = node.op == "Max";
  const auto expand = [](auto, auto y) { return y; };
  Tensor result;
  Allocate(result, {out.type, out.shape});
  ApplyByType(result, *inputs[0], result, expand);
  for (size_t i = 1; i < inputs.size(); ++i) {
    if (max) {
      ApplyByType(result, *inputs[i], result, [](auto x, auto y) { return x < y ? y : x; });
    } else {
      ApplyByType(result, *inputs[i], result, [](auto x, auto y) { return y < x ? y : x; });
    }
  }
  out.floats.swap(result.floats);
  out.integers.swap(result.integers);
}

std::vector<OutputType> InferPRelu(const ShapeContext& context) {
  CheckInputCount(context, 2, 2);
  RequireFloat(context, 0);
  RequireFloat(context, 1);
  const Shape& shape = InputShape(context, 0);
  if (Broadcast(*context.node, shape, InputShape(context, 1)) != shape) {
    ShapeFail(context, "the slope cannot be broadcast to the data");
  }
  return {{DataType::kFloat, shape}};
}

void ExecutePRelu(const Node&, Inputs inputs, Outputs outputs, Workspace&) {
  Apply(*inputs[0], inputs[0]->floats, *inputs[1], inputs[1]->floats, outputs[0], outputs[0].floats,
        [](float x, float slope) { return x < 0 ? slope * x : x; });
}

}  // namespace octet::operators
