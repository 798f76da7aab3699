// y = f(x + from) - by: a function of one variable whose argument or result lies far from zero, so
// that x and y hold what varies alone (passes/constant_part.h). An operator of graphs, not of ONNX:
// f and its attributes stay those of the node that it was.
#ifndef OCTET_CONVERTER_OPERATORS_OFFSET_FUNCTION_H_
#define OCTET_CONVERTER_OPERATORS_OFFSET_FUNCTION_H_

#include <string_view>

#include "converter/graph/graph.h"

namespace octet::operators {

inline constexpr char kOffsetFunction[] = "OffsetFunction";

struct OffsetFunction {
  std::string_view function;  // of unary.inc, or Pow (x to the power of alpha), Div (alpha / x)
  float alpha = 0, beta = 0;
  float from = 0, by = 0;

  double Of(double x) const;
};

// ONNX's operators that it is put together from, around f: the first adds `from`, the last takes
// `by` away.
inline constexpr char kOffsetFrom[] = "Add", kOffsetBy[] = "Sub";
// The input of a power or a quotient that alpha is; -1 of other functions.
int ConstantOperand(std::string_view function);

// Of a node of that operator. The name is the node's.
OffsetFunction OffsetFunctionOf(const graph::Node& node);

// Whether the node is a function f of its only computed input that such a node can stand for: not
// linear, no clamp (whose bounds move instead), with constant parameters.
bool MayBeOffset(const graph::Graph& graph, const graph::Node& node);
// Makes it one, with x as its input, and offsets of 0; nothing where it is one.
void BecomeOffset(const graph::Graph& graph, graph::Node* node);
// Adds to the two numbers.
void MoveOffset(float from, float by, graph::Node* node);

// f(x + k) = f(x) for any number k: softmax, and normalizations by a mean.
bool IgnoresConstant(std::string_view op);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_OFFSET_FUNCTION_H_
