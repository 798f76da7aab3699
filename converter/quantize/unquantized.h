// What a model that brings quantization for some of its tensors leaves unsaid.
#ifndef OCTET_CONVERTER_QUANTIZE_UNQUANTIZED_H_
#define OCTET_CONVERTER_QUANTIZE_UNQUANTIZED_H_

#include <optional>
#include <string>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/quantize/ranges.h"

namespace octet::quantize {

// Warnings: tensors that it says nothing of, and those that it joins itself at a scale that leaves
// of them next to nothing. needed: by node, whether it is computed.
std::vector<std::string> WarnUnquantized(const graph::Graph& graph, const std::vector<bool>& needed,
                                         const std::vector<std::optional<ValueRange>>& ranges);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_UNQUANTIZED_H_
