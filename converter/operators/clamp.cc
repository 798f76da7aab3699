#include "converter/operators/clamp.h"

#include <limits>

namespace octet::operators {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Bound of a Clip node; false when it is not known now.
bool Bound(const graph::Graph& graph, const graph::Node& node, size_t input, float* value) {
  if (input >= node.inputs.size() || node.inputs[input] == graph::kNoValue) return true;
  const graph::Tensor* tensor = graph.Constant(node.inputs[input]);
  if (tensor == nullptr || !tensor->IsFloat() || tensor->Count() != 1) return false;
  *value = tensor->floats[0];
  return true;
}

}  // namespace

std::optional<ClampBounds> ClampOf(const graph::Graph& graph, const graph::Node& node) {
  if (node.activation == "Relu") return ClampBounds{0, kInfinity};
  if (node.activation == "Clip") return ClampBounds{node.alpha, node.beta};
  if (!node.activation.empty()) return std::nullopt;
  if (node.op == "Relu") return ClampBounds{0, kInfinity};
  if (node.op != "Clip") return std::nullopt;
  ClampBounds bounds{-kInfinity, kInfinity};
  if (!Bound(graph, node, 1, &bounds.low) || !Bound(graph, node, 2, &bounds.high)) {
    return std::nullopt;
  }
  return bounds;
}

}  // namespace octet::operators
