// Arithmetic behind the last weights of a model: coordinates put together from offsets, priors and
// strides. Eight bits over the whole picture place a box no better than a 256th of it, and every
// step rounds again; the tensors are small, so such a tail costs little in FP16.
#ifndef OCTET_CONVERTER_QUANTIZE_TAIL_H_
#define OCTET_CONVERTER_QUANTIZE_TAIL_H_

#include <vector>

#include "converter/graph/graph.h"

namespace octet::quantize {

// By node: it belongs to a group of connected nodes from which no weights can be reached, that
// adds, multiplies or divides, and whose tensors are small.
std::vector<bool> ArithmeticTail(const graph::Graph& graph);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_TAIL_H_
