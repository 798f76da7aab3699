// Where an axis goes in an operator that only moves values.
#ifndef OCTET_CONVERTER_OPERATORS_AXIS_THROUGH_H_
#define OCTET_CONVERTER_OPERATORS_AXIS_THROUGH_H_

#include <cstddef>
#include <optional>

#include "converter/graph/graph.h"

namespace octet::operators {

// The axis of output 0 of a Reshape or Transpose that axis `axis` of input 0 becomes. nullopt where
// it is split, joined with others, or where shapes are not known, and for all other operators.
std::optional<size_t> AxisThrough(const graph::Graph& graph, const graph::Node& node, size_t axis);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_AXIS_THROUGH_H_
