// Names are what overrides and reports speak of: every node and every value has one of its own. A
// node without a name, or with that of an earlier one, is named after its first output; a value
// after its producer. Names of graph inputs and outputs never change.
#include <string>
#include <unordered_set>

#include "converter/graph/graph.h"

namespace octet::passes {

namespace {

std::string Free(const std::unordered_set<std::string>& taken, const std::string& base) {
  std::string name = base;
  for (int i = 1; taken.count(name) != 0; ++i) name = base + "_" + std::to_string(i);
  return name;
}

}  // namespace

int UniqueNames(graph::Graph& graph) {
  int count = 0;
  std::unordered_set<std::string> values;
  std::vector<bool> done(graph.values.size(), false);
  for (const auto* ids : {&graph.inputs, &graph.outputs}) {
    for (const graph::ValueId id : *ids) {
      values.insert(graph.At(id).name);
      done[static_cast<size_t>(id)] = true;
    }
  }
  std::unordered_set<std::string> nodes;
  for (graph::Node& node : graph.nodes) {
    for (const auto* ids : {&node.inputs, &node.outputs}) {
      for (const graph::ValueId id : graph::Present(*ids)) {
        if (done[static_cast<size_t>(id)]) continue;
        done[static_cast<size_t>(id)] = true;
        std::string& name = graph.At(id).name;
        if (!name.empty() && values.insert(name).second) continue;
        name = Free(values, name.empty() ? node.name + "_value" : name);
        values.insert(name);
        ++count;
      }
    }
    if (!node.name.empty() && nodes.insert(node.name).second) continue;
    const graph::ValueId out = node.outputs.empty() ? graph::kNoValue : node.outputs[0];
    node.name = Free(nodes, out == graph::kNoValue ? node.op : node.op + "_" + graph.At(out).name);
    nodes.insert(node.name);
    ++count;
  }
  return count;
}

}  // namespace octet::passes
