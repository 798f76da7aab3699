// What puts the next state together: the state, gates and candidates are multiplied, added and
// moved there, once a frame, and an error stays in the state for all frames after it. Eight bits
// would round it again in each of them. It costs no products, so it runs in FP16 in every plan.
#ifndef OCTET_CONVERTER_QUANTIZE_CARRIED_H_
#define OCTET_CONVERTER_QUANTIZE_CARRIED_H_

#include <vector>

#include "converter/graph/graph.h"

namespace octet::quantize {

// By node: floats that it makes reach a state, and no product of matrices or convolution stands
// between.
std::vector<bool> CarriedByStates(const graph::Graph& graph);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_CARRIED_H_
