// Picture inputs of integers with more than 8 bits.
#ifndef OCTET_CONVERTER_IMPORT_INTEGER_PICTURES_H_
#define OCTET_CONVERTER_IMPORT_INTEGER_PICTURES_H_

#include "converter/graph/graph.h"

namespace octet::import {

// An input [1, C, H, W] or [1, H, W, C] of such integers (C is 1 or 3) becomes float where all that
// reads it, perhaps moved before, is a Cast to float: of whole numbers up to 2^24 that is the same.
// Inputs of 8 bits are codes (codes_to_real.h).
void ReadPicturesAsFloats(graph::Graph& graph);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_INTEGER_PICTURES_H_
