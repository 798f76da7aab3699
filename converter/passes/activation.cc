#include "converter/passes/activation.h"

#include <string_view>

#include "converter/passes/read.h"

namespace octet::passes {

std::optional<Activation> ReadActivation(const graph::Graph& graph, const graph::Node& node) {
  if (!node.activation.empty() || node.inputs.empty()) return std::nullopt;
  if (graph.At(node.inputs[0]).type != graph::DataType::kFloat) return std::nullopt;
  for (const std::string_view op : {"Relu", "Sigmoid", "Silu", "HardSwish", "Tanh", "Mish"}) {
    if (node.op == op) return Activation{node.op};
  }
  if (node.op == "Gelu" && node.String("approximate", "none") == "none") return Activation{"Gelu"};
  if (node.op == "LeakyRelu") return Activation{"LeakyRelu", node.Float("alpha", 0.01f), 0};
  if (node.op == "HardSigmoid") {
    return Activation{"HardSigmoid", node.Float("alpha", 0.2f), node.Float("beta", 0.5f)};
  }
  if (node.op == "Clip") {
    const auto bounds = ReadClipBounds(graph, node);
    if (bounds) return Activation{"Clip", bounds->min, bounds->max};
  }
  return std::nullopt;
}

}  // namespace octet::passes
