// y = f(x + from) - by: a function of one variable whose argument or result lies far from zero, so
// that x and y hold what varies alone (passes/constant_part.h). f is a chain of functions, each of
// the result of the one before it (passes/fuse/merge_functions.cc). An operator of graphs, not of
// ONNX.
#ifndef OCTET_CONVERTER_OPERATORS_OFFSET_FUNCTION_H_
#define OCTET_CONVERTER_OPERATORS_OFFSET_FUNCTION_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "converter/graph/graph.h"

namespace octet::operators {

inline constexpr char kOffsetFunction[] = "OffsetFunction";

// Names of steps that unary.inc does not have: x to the power of alpha, alpha / x,
// alpha * x + beta.
inline constexpr std::string_view kPowerStep = "Pow", kQuotientStep = "Div", kScaleStep = "Scale";

struct FunctionStep {
  std::string_view name;  // of unary.inc, or one of those above
  float alpha = 0, beta = 0;

  double Of(double x) const;
};

struct OffsetFunction {
  std::vector<FunctionStep> steps;
  float from = 0, by = 0;

  double Of(double x) const;
};

// One of ONNX's operators that a function is put together from: of x, with numbers in front of it
// or behind it among the inputs.
struct FunctionPart {
  std::string op;
  std::vector<float> front, behind;
  std::map<std::string, graph::Attribute> attributes;
};
// In the order of their computation; never empty.
std::vector<FunctionPart> PartsOf(const OffsetFunction& function);

// Of a node of that operator. The names are the node's.
OffsetFunction OffsetFunctionOf(const graph::Node& node);
// Makes the node, which has one computed input, that function of it.
void SetOffsetFunction(const OffsetFunction& function, graph::Node* node);

// Whether the node is a function f of its only computed input that such a node can stand for: not
// linear, no clamp (whose bounds move instead), with constant parameters.
bool MayBeOffset(const graph::Graph& graph, const graph::Node& node);
// What such a node computes, without offsets where it is none of kOffsetFunction.
OffsetFunction FunctionOfNode(const graph::Graph& graph, const graph::Node& node);
// Makes it one, with offsets of 0; nothing where it is one.
void BecomeOffset(const graph::Graph& graph, graph::Node* node);
// Adds to the two numbers.
void MoveOffset(float from, float by, graph::Node* node);

// f(x + k) = f(x) for any number k: softmax, and normalizations by a mean.
bool IgnoresConstant(std::string_view op);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_OFFSET_FUNCTION_H_
