// Values that a model with codes leaves real, and that 8 bits are too coarse for.
#ifndef OCTET_CONVERTER_QUANTIZE_COARSE_INPUTS_H_
#define OCTET_CONVERTER_QUANTIZE_COARSE_INPUTS_H_

#include <optional>
#include <vector>

#include "converter/quantize/scheme.h"

namespace octet::quantize {

// A node whose result the model rounds to codes, and what 8 bits add to that result.
struct CoarseNode {
  size_t node = 0;
  double steps = 0;                    // standard deviation, in steps of the result
  std::vector<graph::ValueId> inputs;  // those that are rounded though the model does not say so
  bool in_view = false;  // a function that is no layer: it is computed where an output is read
};

// The int8 nodes of `scheme` with a given result of which the rounding of real inputs and of
// weights moves the result by more than `most_steps` of its steps (standard deviation), and
// functions in front of an output with such an input. A value that the model rounds itself adds
// nothing, nor does one that only holds such codes, nor do weights whose codes int8 keeps. Empty
// for a model without codes. The rounding of a value with scale s has the variance s^2 / 12 and is
// taken as independent of the value; a function multiplies its deviation by its steepest slope, a
// layer by the norm of a channel's weights, any other operator by what it does to the values' own
// deviation.
std::vector<CoarseNode> FindCoarseNodes(
    const graph::Graph& graph, const std::vector<std::optional<calibrate::Statistics>>& statistics,
    const Scheme& scheme, double most_steps);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_COARSE_INPUTS_H_
