// Constants that a file computes of others before it quantizes or dequantizes with them.
#ifndef OCTET_CONVERTER_IMPORT_FOLD_CODES_H_
#define OCTET_CONVERTER_IMPORT_FOLD_CODES_H_

#include "converter/graph/graph.h"

namespace octet::import {

// Constants that are quantized, clipped or moved in front of a DequantizeLinear, and scales and
// zero points computed of constants, become constants. The graph is normalised and sorted. Throws
// UserError where the operator refuses its inputs.
void FoldCodes(graph::Graph& graph);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_FOLD_CODES_H_
