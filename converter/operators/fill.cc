#include "converter/operators/fill.h"

namespace octet::operators {

std::optional<float> FillOf(const graph::Graph& graph, const graph::Node& node) {
  if (node.op != "Pad" || node.String("mode", "constant") != "constant") return std::nullopt;
  if (node.inputs.size() < 3 || node.inputs[2] == graph::kNoValue) return 0.0f;
  const graph::Tensor* value = graph.Constant(node.inputs[2]);
  if (value == nullptr || !value->IsFloat()) return std::nullopt;
  return value->floats.empty() ? 0.0f : value->floats[0];
}

}  // namespace octet::operators
