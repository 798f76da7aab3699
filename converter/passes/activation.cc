#include "converter/passes/activation.h"

#include "converter/operators/unary.h"
#include "converter/passes/read.h"

namespace octet::passes {

std::optional<Activation> ReadActivation(const graph::Graph& graph, const graph::Node& node) {
  if (!node.activation.empty() || node.inputs.empty()) return std::nullopt;
  if (graph.At(node.inputs[0]).type != graph::DataType::kFloat) return std::nullopt;
  if (node.op == "Relu") return Activation{"Relu"};
  if (operators::UnaryTraitsOf(node).activation) {
    const operators::UnaryParameters parameters = operators::ParametersOf(node);
    return Activation{node.op, parameters.alpha, parameters.beta};
  }
  if (node.op == "Clip") {
    const auto bounds = ReadClipBounds(graph, node);
    if (bounds) return Activation{"Clip", bounds->min, bounds->max};
  }
  return std::nullopt;
}

}  // namespace octet::passes
