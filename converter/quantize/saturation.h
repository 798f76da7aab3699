// Where an operator's function still changes.
#ifndef OCTET_CONVERTER_QUANTIZE_SATURATION_H_
#define OCTET_CONVERTER_QUANTIZE_SATURATION_H_

#include <optional>

#include "converter/calibrate/calibrate.h"
#include "converter/graph/graph.h"

namespace octet::quantize {

// The part of [observed.min, observed.max] outside which the unary `node` returns one value to
// within a quarter of `output_scale`: nothing is lost by not telling inputs there apart. nullopt
// when the node is no function known to level off.
std::optional<calibrate::Range> ChangingPart(const graph::Graph& graph, const graph::Node& node,
                                             const calibrate::Range& observed, double output_scale);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_SATURATION_H_
