#include "converter/quantize/unquantized.h"

#include <fmt/ranges.h>

#include "converter/operators/operator.h"

namespace octet::quantize {
namespace {

using graph::ValueId;

std::string ComputedInputs(const graph::Graph& graph, const graph::Node& node) {
  std::string names;
  for (const ValueId id : node.inputs) {
    if (graph.Constant(id) == nullptr) names += (names.empty() ? "" : ",") + graph.At(id).name;
  }
  return names;
}

}  // namespace

std::vector<std::string> WarnUnquantized(const graph::Graph& graph, const std::vector<bool>& needed,
                                         const std::vector<std::optional<ValueRange>>& ranges) {
  constexpr float kFewSteps = 8;  // 3 of 8 bits, told apart by nobody
  constexpr size_t kMostNamed = 3;
  const auto range = [&ranges](ValueId id) -> const std::optional<ValueRange>& {
    return ranges[static_cast<size_t>(id)];
  };
  std::vector<std::string> lines, names;
  size_t given = 0;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const graph::Node& node = graph.nodes[n];
    const auto& result = range(node.outputs[0]);
    const bool joins = operators::Int8Of(node) == operators::Int8::kJoins;
    for (const ValueId id : node.inputs) {
      if (!joins || !result || !result->given) break;
      const float scale = result->given->scale;
      if (graph.Constant(id) != nullptr || !range(id)) continue;
      const float width = range(id)->max - range(id)->min;
      if (width >= kFewSteps * scale) continue;
      lines.push_back(
          fmt::format("node '{}' (Concat): its result has steps of {:.3g} in the model; '{}' of "
                      "range {:.3g} is smaller than these steps; try: --cut-at {}",
                      node.name, scale, graph.At(id).name, width, ComputedInputs(graph, node)));
    }
    if (!needed[n]) continue;
    for (const ValueId id : graph::Present(node.outputs)) {
      if (graph.At(id).type != graph::DataType::kFloat) continue;
      if (graph.At(id).given != nullptr) ++given;
      if (range(id) && range(id)->given == nullptr) names.push_back(graph.At(id).name);
    }
  }
  if (given == 0 || names.empty()) return lines;
  const size_t unquantized = names.size();
  if (unquantized > kMostNamed) names.resize(kMostNamed);
  lines.push_back(fmt::format(
      "{} of {} tensors have no quantization in the model and are calibrated: '{}'{}", unquantized,
      given + unquantized, fmt::join(names, "', '"), unquantized > kMostNamed ? ", ..." : ""));
  return lines;
}

}  // namespace octet::quantize
