// Quantization with scale 0, which exporters write for a tensor that was 0 in all of the data.
#ifndef OCTET_CONVERTER_IMPORT_ZERO_SCALES_H_
#define OCTET_CONVERTER_IMPORT_ZERO_SCALES_H_

#include "converter/graph/graph.h"

namespace octet::import {

// A DequantizeLinear whose one scale is 0 gives 0 whatever it reads: it becomes a product with 0.
// A QuantizeLinear in front of it goes where nobody else reads its codes. Throws UserError naming
// the QuantizeLinear of scale 0 whose codes are wanted otherwise: they depend on signs alone.
void RemoveZeroScales(graph::Graph& graph);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_ZERO_SCALES_H_
