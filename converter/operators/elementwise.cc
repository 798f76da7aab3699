// Mod, BitShift, the bitwise operators, Sum, Mean, IsNaN, IsInf: operators that work element by
// element beside those of arithmetic.cc and comparison.cc.
#include "converter/operators/elementwise.h"

#include <cmath>

#include "converter/operators/broadcast.h"
#include "converter/operators/registry.h"

namespace octet::operators {
namespace {

void RequireNumber(const ShapeContext& context, size_t index) {
  if (InputType(context, index) == DataType::kBool) {
    ShapeFail(context, "input {} must be a number, is bool", index);
  }
}

bool IsFmod(const Node& node) {
  return node.Int("fmod", 0) != 0;
}

bool ShiftsLeft(const Node& node) {
  return node.String("direction", "") == "LEFT";
}

float FloatRemainder(float x, float y) {
  return std::fmod(x, y);
}

// With the sign of y, or of x; by 0 it is 0, as on the board.
int64_t FloorRemainder(int64_t x, int64_t y) {
  if (y == 0 || y == -1) return 0;
  const int64_t r = x % y;
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
int64_t Remainder(int64_t x, int64_t y) {
  return y == 0 || y == -1 ? 0 : x % y;
}

template <typename F>
void ForIntegers(Inputs inputs, Outputs outputs, F f) {
  Tensor& out = outputs[0];
  BroadcastBinary(inputs[0]->shape, inputs[0]->integers.data(), inputs[1]->shape,
                  inputs[1]->integers.data(), out.shape, out.integers.data(), f);
  NarrowToType(out);
}

}  // namespace

std::string ElementwiseFunctionOf(const Node& node) {
  if (node.op == "Mod") return IsFmod(node) ? "Fmod" : "Mod";
  if (node.op == "BitShift") return ShiftsLeft(node) ? "ShiftLeft" : "ShiftRight";
  if (node.op == "IsNaN") return "IsNan";
  if (node.op == "IsInf") {
    const bool negative = node.Int("detect_negative", 1) != 0;
    const bool positive = node.Int("detect_positive", 1) != 0;
    return negative && positive ? "IsInf" : positive ? "IsPositiveInf" : "IsNegativeInf";
  }
  return node.op;
}

std::vector<OutputType> InferMod(const ShapeContext& context) {
  const std::vector<OutputType> types = InferArithmetic(context);
  RequireNumber(context, 0);
  if (types[0].type == DataType::kFloat && !IsFmod(*context.node)) {
    ShapeFail(context, "floating point inputs need fmod = 1");
  }
  return types;
}

void ExecuteMod(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  Tensor& out = outputs[0];
  if (out.IsFloat()) {
    return BroadcastBinary(inputs[0]->shape, inputs[0]->floats.data(), inputs[1]->shape,
                           inputs[1]->floats.data(), out.shape, out.floats.data(), FloatRemainder);
  }
  if (IsFmod(node)) return ForIntegers(inputs, outputs, Remainder);
  ForIntegers(inputs, outputs, FloorRemainder);
}

std::vector<OutputType> InferBits(const ShapeContext& context) {
  const std::vector<OutputType> types = InferArithmetic(context);
  RequireInteger(context, 0);
  RequireNumber(context, 0);
  if (context.node->op == "BitShift" && !ShiftsLeft(*context.node) &&
      context.node->String("direction", "") != "RIGHT") {
    ShapeFail(context, "its direction must be LEFT or RIGHT");
  }
  return types;
}

void ExecuteBits(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const auto shifted = [&node](int64_t x, int64_t y) -> int64_t {
    if (y < 0 || y > 63) return 0;
    const auto bits = static_cast<uint64_t>(x);
    return static_cast<int64_t>(ShiftsLeft(node) ? bits << y : bits >> y);
  };
  if (node.op == "BitwiseAnd") {
    return ForIntegers(inputs, outputs, [](int64_t x, int64_t y) { return x & y; });
  }
  if (node.op == "BitwiseOr") {
    return ForIntegers(inputs, outputs, [](int64_t x, int64_t y) { return x | y; });
  }
  if (node.op == "BitwiseXor") {
    return ForIntegers(inputs, outputs, [](int64_t x, int64_t y) { return x ^ y; });
  }
  ForIntegers(inputs, outputs, shifted);
}

std::vector<OutputType> InferBitwiseNot(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  RequireInteger(context, 0);
  RequireNumber(context, 0);
  return {{InputType(context, 0), InputShape(context, 0)}};
}

void ExecuteBitwiseNot(const Node&, Inputs inputs, Outputs outputs, Workspace&) {
  for (size_t i = 0; i < inputs[0]->integers.size(); ++i) {
    outputs[0].integers[i] = ~inputs[0]->integers[i];
  }
  NarrowToType(outputs[0]);
}

std::vector<OutputType> InferSum(const ShapeContext& context) {
  const std::vector<OutputType> types = InferMinMax(context);
  RequireFloat(context, 0);
  return types;
}

void ExecuteSum(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  std::vector<float> sum(outputs[0].floats.size(), 0.0f);
  const Shape& shape = outputs[0].shape;
  for (const Tensor* input : inputs) {
    BroadcastBinary(shape, sum.data(), input->shape, input->floats.data(), shape, sum.data(),
                    [](float x, float y) { return x + y; });
  }
  if (node.op == "Mean") {
    for (float& value : sum) value /= static_cast<float>(inputs.size());
  }
  outputs[0].floats.swap(sum);
}

std::vector<OutputType> InferFloatTest(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  RequireFloat(context, 0);
  return {{DataType::kBool, InputShape(context, 0)}};
}

void ExecuteFloatTest(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const bool nan = node.op == "IsNaN";
  const bool negative = node.Int("detect_negative", 1) != 0;
  const bool positive = node.Int("detect_positive", 1) != 0;
  for (size_t i = 0; i < inputs[0]->floats.size(); ++i) {
    const float x = inputs[0]->floats[i];
    const bool infinite = std::isinf(x) && (x < 0 ? negative : positive);
    outputs[0].integers[i] = nan ? std::isnan(x) : infinite;
  }
}

}  // namespace octet::operators
