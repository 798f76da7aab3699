#include "converter/import/cut.h"

#include <algorithm>
#include <map>

#include <fmt/ranges.h>

#include "converter/import/near_names.h"
#include "converter/support/error.h"

namespace octet::import {
using graph::Graph;
using graph::kNoValue;
using graph::ValueId;

void CutAt(Graph& graph, const std::vector<std::string>& names, bool if_known) {
  std::map<std::string, ValueId> known;
  for (const graph::Node& node : graph.nodes) {
    for (const ValueId id : graph::Present(node.outputs)) {
      if (!graph.At(id).name.empty()) known[graph.At(id).name] = id;
    }
  }
  std::vector<ValueId> outputs;
  for (const std::string& name : names) {
    const auto found = known.find(name);
    if (found != known.end()) {
      if (std::find(outputs.begin(), outputs.end(), found->second) != outputs.end()) {
        Fail("--cut-at names '{}' twice; name each tensor once", name);
      }
      outputs.push_back(found->second);
      continue;
    }
    if (if_known) return;
    std::vector<std::string> computed;
    for (const auto& [other, id] : known) computed.push_back(other);
    Fail("--cut-at names '{}', which is not the output of a node; similar names: {}", name,
         fmt::join(NearNames(computed, name), ", "));
  }
  if (outputs == graph.outputs) return;
  graph.outputs = std::move(outputs);

  const std::vector<bool> needed = graph.RemoveUnread();
  const auto unused = [&](ValueId id) { return !needed[static_cast<size_t>(id)]; };
  graph.inputs.erase(std::remove_if(graph.inputs.begin(), graph.inputs.end(), unused),
                     graph.inputs.end());
  if (graph.inputs.empty()) {
    Fail("--cut-at removes all inputs of the model; name tensors that depend on an input");
  }
}

}  // namespace octet::import
