// What 8 bits make of values, computed in float: close enough to judge and correct by, not the
// board's integer rule. Weights are those of the codes (converter/lower/coded_weights.h).
#ifndef OCTET_CONVERTER_SIMULATE_ROUNDING_H_
#define OCTET_CONVERTER_SIMULATE_ROUNDING_H_

#include "converter/graph/graph.h"
#include "converter/quantize/scheme.h"

namespace octet::simulate {

// Rounds every value to a multiple of its scale, by channel (axis 1) where the scheme has channels;
// with `clip` to one of the 256 that int8 holds.
void Round(const quantize::TensorScheme& scheme, bool clip, graph::Tensor* tensor);

// Where the outputs of a node with weights stand in its result, and its weights by output.
struct Outputs {
  size_t count = 0;   // of output channels
  size_t inner = 1;   // elements of the result from one channel to the next
  size_t across = 1;  // elements of the weights from one of a channel's to its next
};
// For Conv, Gemm and MatMul with constant weights; count is 0 for anything else.
Outputs OutputsOf(const graph::Graph& graph, const graph::Node& node);

}  // namespace octet::simulate

#endif  // OCTET_CONVERTER_SIMULATE_ROUNDING_H_
