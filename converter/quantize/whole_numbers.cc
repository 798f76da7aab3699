#include "converter/quantize/whole_numbers.h"

#include <algorithm>

#include "converter/operators/meaning.h"
#include "converter/operators/operator.h"

namespace octet::quantize {
namespace {

using graph::ValueId;
using operators::Int8;

bool IsWholeType(graph::DataType type) {
  return type != graph::DataType::kFloat && type != graph::DataType::kBool;
}

}  // namespace

std::vector<bool> WholeNumbersOfOutputs(const graph::Graph& graph) {
  std::vector<bool> whole(graph.values.size()), goes_out(graph.values.size());
  // What has no int8 kernel leaves numbers as exact as FP16 does: Where, ScatterND.
  const auto moves = [](const graph::Node& node) {
    const Int8 kind = operators::Int8Of(node);
    return kind == Int8::kKeepsScale || kind == Int8::kJoins || kind == Int8::kFp16;
  };
  for (const graph::Node& node : graph.nodes) {
    const bool converts = operators::ConvertsType(node.op);
    const bool any = std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) {
      if (id == graph::kNoValue || graph.Constant(id) != nullptr) return false;
      return whole[static_cast<size_t>(id)] || (converts && IsWholeType(graph.At(id).type));
    });
    if (!any || !(converts || moves(node))) continue;
    for (const ValueId id : node.outputs) {
      if (id != graph::kNoValue) {
        whole[static_cast<size_t>(id)] = graph.At(id).type == graph::DataType::kFloat;
      }
    }
  }
  for (const ValueId id : graph.outputs) goes_out[static_cast<size_t>(id)] = true;
  std::vector<bool> marked(graph.nodes.size());
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const graph::Node& node = graph.nodes[n];
    if (!moves(node) || !graph::AnyOf(node.outputs, goes_out)) continue;
    marked[n] = graph::AnyOf(node.outputs, whole);
    if (!marked[n]) continue;
    for (const ValueId id : graph::Present(node.inputs)) {
      if (whole[static_cast<size_t>(id)]) {
        goes_out[static_cast<size_t>(id)] = true;
      }
    }
  }
  return marked;
}

}  // namespace octet::quantize
