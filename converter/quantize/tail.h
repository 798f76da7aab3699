// Arithmetic behind the last weights of a model: coordinates put together from offsets, priors and
// strides. Eight bits over the whole picture place a box no better than a 256th of it, and every
// step rounds again. Such a tail costs next to nothing in FP16, whatever the size of its tensors,
// and so do the layers whose results go into it. This file says what may run there for its cost;
// whether it does is measured (converter/recover/tail_choice.h).
#ifndef OCTET_CONVERTER_QUANTIZE_TAIL_H_
#define OCTET_CONVERTER_QUANTIZE_TAIL_H_

#include <vector>

#include "converter/graph/graph.h"

namespace octet::quantize {

// By node: it belongs to
// - a group of connected nodes that combines numbers, from which no weights can be reached but some
//   that cost nothing and have such arithmetic behind them (the mean of a distribution, as a
//   convolution with 16 weights); or
// - the layers with weights that such a group alone reads, the cheapest first,
// as long as all of them cost no more than a 16th of the graph's products.
std::vector<bool> ArithmeticTail(const graph::Graph& graph);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_TAIL_H_
