#include "converter/operators/empty_values.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "converter/operators/context.h"

namespace octet::operators {
namespace {

using graph::Graph;
using graph::kNoValue;
using graph::Node;
using graph::ValueId;

bool IsEmpty(const Graph& graph, ValueId id) {
  if (id == kNoValue) return false;
  const auto& shape = graph.At(id).shape;
  return shape && graph::ElementCount(*shape) == 0;
}

bool IsComputedEmpty(const Graph& graph, ValueId id) {
  return IsEmpty(graph, id) && graph.At(id).constant == nullptr;
}

class Remover {
 public:
  explicit Remover(Graph& graph) : graph_(graph), links_(graph), dead_(graph.nodes.size(), false) {}

  void Run() {
    for (size_t n = graph_.nodes.size(); n-- > 0;) dead_[n] = IsDead(graph_.nodes[n]);
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (!dead_[n]) KeepParts(&graph_.nodes[n]);
    }
    graph_.RemoveNodes(dead_);
  }

 private:
  bool IsRead(ValueId id) const {
    const auto v = static_cast<size_t>(id);
    const auto& readers = links_.consumers[v];
    return links_.is_output[v] || std::any_of(readers.begin(), readers.end(), [&](int n) {
             return !dead_[static_cast<size_t>(n)];
           });
  }

  // Its results are empty and unread, or were known from the shape of an empty value.
  bool IsDead(const Node& node) const {
    const bool reads_empty = std::any_of(node.inputs.begin(), node.inputs.end(),
                                         [&](ValueId id) { return IsComputedEmpty(graph_, id); });
    bool is_empty = false;
    for (const ValueId id : graph::Present(node.outputs)) {
      if (IsComputedEmpty(graph_, id) && !IsRead(id)) {
        is_empty = true;
      } else if (!reads_empty || graph_.At(id).constant == nullptr ||
                 links_.is_output[static_cast<size_t>(id)]) {
        return false;
      }
    }
    return is_empty || reads_empty;
  }

  // Of a Split: the parts with elements, and those that somebody reads.
  void KeepParts(Node* node) {
    const auto empty = std::find_if(node->outputs.begin(), node->outputs.end(),
                                    [&](ValueId id) { return IsComputedEmpty(graph_, id); });
    if (empty == node->outputs.end()) return;
    if (node->op != "Split" || IsRead(*empty)) {
      NodeFail(*node, "the result {} is empty", graph::ToString(*graph_.At(*empty).shape));
    }
    const graph::Shape& whole = *graph_.At(node->inputs[0]).shape;
    const auto axis = static_cast<size_t>(NormalizeAxis(*node, node->Int("axis", 0), whole.size()));
    std::vector<ValueId> parts;
    std::vector<int64_t> lengths;
    for (const ValueId id : node->outputs) {
      if (IsComputedEmpty(graph_, id) && !IsRead(id)) continue;
      parts.push_back(id);
      lengths.push_back((*graph_.At(id).shape)[axis]);
    }
    node->outputs = std::move(parts);
    const graph::Shape shape{static_cast<int64_t>(lengths.size())};
    node->attributes.erase("num_outputs");
    node->inputs = {node->inputs[0], graph_.AddConstant(node->name + ".split",
                                                        graph::Tensor::Integers(shape, lengths))};
    graph_.At(node->inputs[1]).shape = shape;
    graph_.At(node->inputs[1]).type = graph::DataType::kInt64;
  }

  Graph& graph_;
  graph::Links links_;
  std::vector<bool> dead_;
};

}  // namespace

void DropEmptyOperands(const Graph& graph, Node* node) {
  if (node->op != "Concat") return;
  const auto is_empty = [&](ValueId id) { return IsEmpty(graph, id); };
  if (std::all_of(node->inputs.begin(), node->inputs.end(), is_empty)) return;
  node->inputs.erase(std::remove_if(node->inputs.begin(), node->inputs.end(), is_empty),
                     node->inputs.end());
}

void RemoveEmptyValues(Graph& graph) {
  for (size_t v = 0; v < graph.values.size(); ++v) {
    if (!IsComputedEmpty(graph, static_cast<ValueId>(v))) continue;
    return Remover(graph).Run();
  }
}

}  // namespace octet::operators
