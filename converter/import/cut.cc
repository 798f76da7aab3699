#include "converter/import/cut.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/ranges.h>

#include "converter/support/error.h"

namespace octet::import {
namespace {

using graph::Graph;
using graph::kNoValue;
using graph::ValueId;

// Insertions, deletions and changes that make one of the other.
size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

// Names that hold the one asked for come first, then those written most alike.
std::vector<std::string> NearNames(const std::map<std::string, ValueId>& known,
                                   const std::string& name) {
  constexpr size_t kMostShown = 4, kLongest = 256;
  std::vector<std::pair<size_t, std::string>> ranked;
  for (const auto& [other, id] : known) {
    if (other.size() > kLongest || name.size() > kLongest) continue;
    const bool holds = !name.empty() && other.find(name) != std::string::npos;
    ranked.emplace_back(holds ? other.size() - name.size() : kLongest + EditDistance(name, other),
                        other);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> near;
  for (size_t i = 0; i < ranked.size() && i < kMostShown; ++i) near.push_back(ranked[i].second);
  return near;
}

}  // namespace

void CutAt(Graph& graph, const std::vector<std::string>& names, bool if_known) {
  std::map<std::string, ValueId> known;
  for (const graph::Node& node : graph.nodes) {
    for (const ValueId id : node.outputs) {
      if (id != kNoValue && !graph.At(id).name.empty()) known[graph.At(id).name] = id;
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
    Fail("--cut-at names '{}', which is not the output of a node; similar names: {}", name,
         fmt::join(NearNames(known, name), ", "));
  }
  if (outputs == graph.outputs) return;
  graph.outputs = std::move(outputs);

  std::vector<bool> needed(graph.values.size()), remove(graph.nodes.size());
  for (const ValueId id : graph.outputs) needed[static_cast<size_t>(id)] = true;
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const graph::Node& node = graph.nodes[n];
    remove[n] = std::none_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
      return id != kNoValue && needed[static_cast<size_t>(id)];
    });
    if (remove[n]) continue;
    for (const ValueId id : node.inputs) {
      if (id != kNoValue) needed[static_cast<size_t>(id)] = true;
    }
  }
  graph.RemoveNodes(remove);
  const auto unused = [&](ValueId id) { return !needed[static_cast<size_t>(id)]; };
  graph.inputs.erase(std::remove_if(graph.inputs.begin(), graph.inputs.end(), unused),
                     graph.inputs.end());
  if (graph.inputs.empty()) {
    Fail("--cut-at removes all inputs of the model; name tensors that depend on an input");
  }
}

}  // namespace octet::import
