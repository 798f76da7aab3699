#include "converter/operators/axis_through.h"

#include <algorithm>
#include <vector>

#include "converter/operators/context.h"

namespace octet::operators {
namespace {

std::optional<size_t> ThroughReshape(const graph::Shape& from, size_t axis,
                                     const graph::Shape& to) {
  for (size_t d = 0; d < to.size(); ++d) {
    if (to[d] == from[axis] && Product(to, 0, d) == Product(from, 0, axis) &&
        Product(to, d + 1, to.size()) == Product(from, axis + 1, from.size())) {
      return d;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<size_t> AxisThrough(const graph::Graph& graph, const graph::Node& node, size_t axis) {
  if (node.op == "Transpose") {
    const std::vector<int64_t> order = node.Ints("perm");
    const auto at = std::find(order.begin(), order.end(), static_cast<int64_t>(axis));
    if (at == order.end()) return std::nullopt;
    return static_cast<size_t>(at - order.begin());
  }
  if (node.op != "Reshape") return std::nullopt;
  const auto &from = graph.At(node.inputs[0]).shape, &to = graph.At(node.outputs[0]).shape;
  if (!from || !to || axis >= from->size()) return std::nullopt;
  return ThroughReshape(*from, axis, *to);
}

}  // namespace octet::operators
