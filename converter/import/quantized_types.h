// The type of codes where no zero point tells it.
#ifndef OCTET_CONVERTER_IMPORT_QUANTIZED_TYPES_H_
#define OCTET_CONVERTER_IMPORT_QUANTIZED_TYPES_H_

#include "converter/graph/graph.h"

namespace octet::import {

// A QuantizeLinear without a zero point may say its type as `output_dtype` (opset 21): it gets a
// zero point of that type, which is 0, if its scale is a constant. Throws UserError, which names
// the type, for codes of a type that is not supported, and for a zero point of another type.
void SettleQuantizedTypes(graph::Graph& graph);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_QUANTIZED_TYPES_H_
