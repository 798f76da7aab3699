// Where an operator's function still changes.
#ifndef OCTET_CONVERTER_QUANTIZE_SATURATION_H_
#define OCTET_CONVERTER_QUANTIZE_SATURATION_H_

#include <optional>

#include "converter/calibrate/calibrate.h"
#include "converter/graph/graph.h"

namespace octet::quantize {

// The codes of a result: their step, and the ends beyond which the model itself saturates.
struct ResultCodes {
  double scale = 1;
  std::optional<calibrate::Range> ends = {};
};

// The part of [observed.min, observed.max] outside which the unary `node` returns one value to
// within a quarter of the result's scale, or one code where the model gives the result its codes:
// nothing is lost by not telling inputs there apart. nullopt when the node is no function known to
// level off.
std::optional<calibrate::Range> ChangingPart(const graph::Graph& graph, const graph::Node& node,
                                             const calibrate::Range& observed,
                                             const ResultCodes& result);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_SATURATION_H_
