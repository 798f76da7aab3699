// Which function of the runtime's elementwise family a node is.
#ifndef OCTET_CONVERTER_OPERATORS_ELEMENTWISE_H_
#define OCTET_CONVERTER_OPERATORS_ELEMENTWISE_H_

#include <string>

#include "converter/graph/graph.h"

namespace octet::operators {

// Its name in runtime/format/elementwise.inc: the operator's own but where attributes choose
// between several ("Fmod" for Mod with fmod = 1, "ShiftLeft", "IsPositiveInf", ...).
std::string ElementwiseFunctionOf(const graph::Node& node);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_ELEMENTWISE_H_
