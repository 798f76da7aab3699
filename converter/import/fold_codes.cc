#include "converter/import/fold_codes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "converter/import/codes.h"
#include "converter/operators/operator.h"

namespace octet::import {
namespace {

using graph::Graph;
using graph::kNoValue;
using graph::Node;
using graph::ValueId;

// Values of which what is quantized, scales and zero points are computed.
std::vector<bool> Wanted(const Graph& graph) {
  std::vector<bool> wanted(graph.values.size());
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const Node& node = graph.nodes[n];
    const bool is_quantizing = node.op == "QuantizeLinear" || node.op == "DequantizeLinear";
    const bool all = graph::AnyOf(node.outputs, wanted);
    for (const ValueId id : graph::Present(node.inputs)) {
      if (all || is_quantizing) wanted[static_cast<size_t>(id)] = true;
    }
  }
  return wanted;
}

}  // namespace

void FoldCodes(Graph& graph) {
  const std::vector<bool> wanted = Wanted(graph);
  std::vector<bool> dead(graph.nodes.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    // Whoever dequantizes constants remembers their scheme.
    if (node.op == "DequantizeLinear") continue;
    const bool known = !node.inputs.empty() &&
                       std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) {
                         return id == kNoValue || graph.Constant(id) != nullptr;
                       });
    const bool used = graph::AnyOf(node.outputs, wanted);
    const bool shown = std::any_of(node.outputs.begin(), node.outputs.end(),
                                   [&](ValueId id) { return graph.IsOutput(id); });
    if (!known || !used || shown || operators::Find(node.op) == nullptr) continue;
    std::vector<graph::Tensor> results = operators::Evaluate(graph, node);
    for (size_t i = 0; i < results.size(); ++i) {
      graph::Value& value = graph.At(node.outputs[i]);
      value.type = results[i].type;
      value.shape = results[i].shape;
      value.constant = graph::Constant::Real(std::move(results[i]));
    }
    dead[n] = true;
  }
  if (std::find(dead.begin(), dead.end(), true) != dead.end()) graph.RemoveNodes(dead);
}

}  // namespace octet::import
