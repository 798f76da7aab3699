// The constant that an operator writes beside values of its first input.
#ifndef OCTET_CONVERTER_OPERATORS_FILL_H_
#define OCTET_CONVERTER_OPERATORS_FILL_H_

#include <optional>

#include "converter/graph/graph.h"

namespace octet::operators {

// nullopt where there is none, or it is not known now.
std::optional<float> FillOf(const graph::Graph& graph, const graph::Node& node);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_FILL_H_
