// Operators whose results hold elements of their inputs and nothing else.
#ifndef OCTET_CONVERTER_OPERATORS_COPIES_H_
#define OCTET_CONVERTER_OPERATORS_COPIES_H_

#include "converter/graph/graph.h"

namespace octet::operators {

// Every element of the result is one of input 0 (of any input, where Int8Of is kJoins), or a
// constant written beside them. False for interpolation, which computes.
bool CopiesElements(const graph::Node& node);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_COPIES_H_
