// Parameters of unary functions, as ScalarOf() takes them.
#ifndef OCTET_CONVERTER_OPERATORS_UNARY_H_
#define OCTET_CONVERTER_OPERATORS_UNARY_H_

#include "converter/graph/graph.h"

namespace octet::operators {

struct UnaryParameters {
  float alpha = 0;
  float beta = 0;
};

// From the attributes of a unary node with ONNX's defaults (unary.inc). Clip's bounds are inputs:
// its parameters here are those of a Clip without any.
UnaryParameters ParametersOf(const graph::Node& node);

// The attributes that they are read from, where the function has them.
void SetParameters(const UnaryParameters& parameters, graph::Node* node);

struct UnaryTraits {
  bool levels_low = false, levels_high = false;  // a horizontal asymptote towards -, +infinity
  bool activation = false;                       // may stand behind a layer's result
};
// All false for what is no unary function.
UnaryTraits UnaryTraitsOf(const graph::Node& node);

// True for every function that ScalarOf() knows.
bool IsUnaryFunction(std::string_view function);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_UNARY_H_
