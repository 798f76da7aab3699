// Parameters of unary functions, as ApplyUnary takes them.
#ifndef OCTET_CONVERTER_OPERATORS_UNARY_H_
#define OCTET_CONVERTER_OPERATORS_UNARY_H_

#include "converter/graph/graph.h"

namespace octet::operators {

struct UnaryParameters {
  float alpha = 0;
  float beta = 0;
};

// From the attributes of a unary node with ONNX's defaults: LeakyRelu and Elu alpha, HardSigmoid
// alpha and beta, Gelu alpha 1 for the tanh approximation. Clip is not among them: its bounds are
// inputs.
UnaryParameters ParametersOf(const graph::Node& node);

// True for every function ApplyUnary knows.
bool IsUnaryFunction(std::string_view function);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_UNARY_H_
