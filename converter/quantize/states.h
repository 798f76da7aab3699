// States of recurrent layers on their way into the model and out of it. A layer keeps them in FP16
// in every plan. What takes its part out of a model's input, or joins the new ones for an output,
// costs no products and runs in FP16 as well: a state of 8 bits is rounded again in every step.
#ifndef OCTET_CONVERTER_QUANTIZE_STATES_H_
#define OCTET_CONVERTER_QUANTIZE_STATES_H_

#include <vector>

#include "converter/graph/graph.h"

namespace octet::quantize {

// By node: it only moves elements, to an initial state or from a last one.
std::vector<bool> MovesStates(const graph::Graph& graph);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_STATES_H_
