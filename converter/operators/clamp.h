// Clamps: Relu and Clip, fused behind a layer or nodes of their own.
#ifndef OCTET_CONVERTER_OPERATORS_CLAMP_H_
#define OCTET_CONVERTER_OPERATORS_CLAMP_H_

#include <optional>

#include "converter/graph/graph.h"

namespace octet::operators {

struct ClampBounds {
  float low, high;
};
// Clamp of a node's result by its fused activation, or by the node itself; an absent bound is
// infinite. nullopt: no clamp, or a bound that is not known now.
std::optional<ClampBounds> ClampOf(const graph::Graph& graph, const graph::Node& node);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_CLAMP_H_
