// Shape rule and evaluation of every operator in operators.inc; see the file named after the
// operator or its family.
#ifndef OCTET_CONVERTER_OPERATORS_REGISTRY_H_
#define OCTET_CONVERTER_OPERATORS_REGISTRY_H_

#include "converter/operators/context.h"

namespace octet::operators {

#define OCTET_OPERATOR(name, rule, function, lowering, ...)  \
  std::vector<OutputType> rule(const ShapeContext& context); \
  void function(const Node& node, Inputs inputs, Outputs outputs, Workspace& workspace);
#include "converter/operators/operators.inc"
#undef OCTET_OPERATOR

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_REGISTRY_H_
