// Operators on 8-bit and 16-bit codes become operators on real values.
#ifndef OCTET_CONVERTER_IMPORT_CODES_TO_REAL_H_
#define OCTET_CONVERTER_IMPORT_CODES_TO_REAL_H_

#include "converter/graph/graph.h"

namespace octet::import {

// Every operator that reads or makes codes, but QuantizeLinear and DequantizeLinear, becomes the
// same operator on real values: its inputs come through a DequantizeLinear each, its results go
// through a QuantizeLinear where codes are still wanted. Behind it only QuantizeLinear makes codes
// and only DequantizeLinear, graph outputs and other integer operators (below) touch them.
//
//   real = scale * (code - zero_point), in the scheme of the operator's first codes; it is
//   increasing, so that what moves, joins, selects or compares codes does the same to real values,
//   with its constants (bounds, fill) in the same scheme. A Cast counts codes: scale 1, zero
//   point 0.
//
// Only codes that a QuantizeLinear, a DequantizeLinear or an input of the graph touches, through
// whatever operators, are meant: other small integers stay integers. Scales and zero points that
// nodes compute of constants become constants before.
// The graph is normalised and sorted, and stays sorted; shapes are not known yet. Throws UserError
// naming the node that computes on codes in another way, or whose codes have no single scale.
void CodesToReal(graph::Graph& graph);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_CODES_TO_REAL_H_
