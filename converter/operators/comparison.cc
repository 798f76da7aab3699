// Equal, Greater, Less and their kin, And, Or, Not, Where: mostly met while shapes are folded.
#include "converter/operators/broadcast.h"
#include "converter/operators/registry.h"

namespace octet::operators {
namespace {

template <typename T, typename F>
void Compare(const Tensor& a, const std::vector<T>& x, const Tensor& b, const std::vector<T>& y,
             Tensor& out, F f) {
  BroadcastBinary(a.shape, x.data(), b.shape, y.data(), out.shape, out.integers.data(),
                  [f](T p, T q) -> int64_t { return f(p, q) ? 1 : 0; });
}

template <typename F>
void CompareByType(const Tensor& a, const Tensor& b, Tensor& out, F f) {
  if (a.IsFloat()) {
    Compare(a, a.floats, b, b.floats, out, f);
  } else {
    Compare(a, a.integers, b, b.integers, out, f);
  }
}

void RequireBool(const ShapeContext& context, size_t index) {
  if (InputType(context, index) != DataType::kBool) {
    ShapeFail(context, "input {} (counted from 0) must be bool, is {}", index,
              graph::Name(InputType(context, index)));
  }
}

}  // namespace

std::vector<OutputType> InferComparison(const ShapeContext& context) {
  CheckInputCount(context, 2, 2);
  if (InputType(context, 0) != InputType(context, 1)) {
    ShapeFail(context, "inputs have different types: {} and {}", graph::Name(InputType(context, 0)),
              graph::Name(InputType(context, 1)));
  }
  return {
      {DataType::kBool, Broadcast(*context.node, InputShape(context, 0), InputShape(context, 1))}};
}

void ExecuteComparison(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& a = *inputs[0];
  const Tensor& b = *inputs[1];
  Tensor& out = outputs[0];
  if (node.op == "Equal") return CompareByType(a, b, out, [](auto x, auto y) { return x == y; });
  if (node.op == "Greater") return CompareByType(a, b, out, [](auto x, auto y) { return x > y; });
  if (node.op == "Less") return CompareByType(a, b, out, [](auto x, auto y) { return x < y; });
  if (node.op == "GreaterOrEqual") {
    return CompareByType(a, b, out, [](auto x, auto y) { return x >= y; });
  }
  CompareByType(a, b, out, [](auto x, auto y) { return x <= y; });
}

std::vector<OutputType> InferLogical(const ShapeContext& context) {
  CheckInputCount(context, 2, 2);
  RequireBool(context, 0);
  RequireBool(context, 1);
  return InferComparison(context);
}

void ExecuteLogical(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  if (node.op == "And") {
    return CompareByType(*inputs[0], *inputs[1], outputs[0],
                         [](auto x, auto y) { return x != 0 && y != 0; });
  }
  if (node.op == "Or") {
    return CompareByType(*inputs[0], *inputs[1], outputs[0],
                         [](auto x, auto y) { return x != 0 || y != 0; });
  }
  CompareByType(*inputs[0], *inputs[1], outputs[0],
                [](auto x, auto y) { return (x != 0) != (y != 0); });
}

std::vector<OutputType> InferNot(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  RequireBool(context, 0);
  return {{DataType::kBool, InputShape(context, 0)}};
}

void ExecuteNot(const Node&, Inputs inputs, Outputs outputs, Workspace&) {
  for (size_t i = 0; i < inputs[0]->integers.size(); ++i) {
    outputs[0].integers[i] = inputs[0]->integers[i] == 0 ? 1 : 0;
  }
}

std::vector<OutputType> InferWhere(const ShapeContext& context) {
  CheckInputCount(context, 3, 3);
  RequireBool(context, 0);
  if (InputType(context, 1) != InputType(context, 2)) {
    ShapeFail(context, "the branches have different types: {} and {}",
              graph::Name(InputType(context, 1)), graph::Name(InputType(context, 2)));
  }
  // Else an If would have the shape of one branch while the other runs.
  if (context.node->Has("octet_branches") && InputShape(context, 1) != InputShape(context, 2)) {
    ShapeFail(context,
              "the branches of an If have different shapes, and its condition depends on the "
              "input's numbers; export the model with the condition fixed, or with branches of one "
              "shape");
  }
  const Shape branches = Broadcast(*context.node, InputShape(context, 1), InputShape(context, 2));
  return {{InputType(context, 1), Broadcast(*context.node, InputShape(context, 0), branches)}};
}

void ExecuteWhere(const Node&, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& condition = *inputs[0];
  const auto plan =
      PlanBroadcast<3>({&condition.shape, &inputs[1]->shape, &inputs[2]->shape}, outputs[0].shape);
  const auto select = [&](const auto* x, const auto* y, auto* out) {
    ForEachRow<3>(plan, [&](const std::array<int64_t, 3>& offsets, int64_t at, int64_t count,
                            const std::array<int64_t, 3>& strides) {
      const int64_t* c = condition.integers.data() + offsets[0];
      for (int64_t i = 0; i < count; ++i) {
        out[at + i] = c[i * strides[0]] != 0 ? x[offsets[1] + i * strides[1]]
                                             : y[offsets[2] + i * strides[2]];
      }
    });
  };
  if (outputs[0].IsFloat()) {
    select(inputs[1]->floats.data(), inputs[2]->floats.data(), outputs[0].floats.data());
  } else {
    select(inputs[1]->integers.data(), inputs[2]->integers.data(), outputs[0].integers.data());
  }
}

}  // namespace octet::operators
