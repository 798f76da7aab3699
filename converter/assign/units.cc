#include "converter/assign/units.h"

#include <algorithm>
#include <set>
#include <utility>

#include "converter/operators/operator.h"
#include "converter/operators/output_view.h"
#include "converter/operators/weights.h"
#include "converter/quantize/activation.h"
#include "converter/quantize/precision.h"

namespace octet::assign {
namespace {

using operators::Int8;

constexpr size_t kNone = static_cast<size_t>(-1);

bool IsMoved(const graph::Node& node) {
  const Int8 form = operators::Int8Of(node);
  return form == Int8::kKeepsScale || form == Int8::kJoins;
}

bool IsFixedHigh(const graph::Graph& graph, const graph::Node& node) {
  return operators::Int8Of(node) == Int8::kFp16 || quantize::RunsOnIntegers(graph, node);
}

bool IsKnown(const graph::Graph& graph, const graph::Node& node) {
  return std::all_of(node.outputs.begin(), node.outputs.end(), [&graph](graph::ValueId id) {
    return id == graph::kNoValue || graph.Constant(id) != nullptr;
  });
}

bool IsGiven(const graph::Graph& graph, const graph::Node& node) {
  return std::any_of(node.outputs.begin(), node.outputs.end(), [&graph](graph::ValueId id) {
    return id != graph::kNoValue && graph.At(id).given != nullptr;
  });
}

class Finder {
 public:
  Finder(const graph::Graph& graph, const quantize::Scheme& scheme, const quantize::Config& config)
      : graph_(graph),
        scheme_(scheme),
        config_(config),
        links_(graph),
        view_(operators::ViewOutputs(graph)),
        unit_of_(graph.nodes.size(), kNone) {}

  Table Run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const graph::Node& node = graph_.nodes[n];
      if (!view_.needed[n] || IsKnown(graph_, node) || IsFixedHigh(graph_, node)) continue;
      if (IsMoved(node)) continue;
      if (const size_t layer = LayerBefore(node); layer != kNone) {
        table_.units[layer].nodes.push_back(n);
        unit_of_[n] = layer;
        continue;
      }
      Unit unit;
      unit.name = node.name;
      unit.nodes = {n};
      unit.macs = static_cast<uint64_t>(quantize::AccumulatedProducts(graph_, node) *
                                        graph::ElementCount(*graph_.At(node.outputs[0]).shape));
      unit_of_[n] = table_.units.size();
      table_.units.push_back(std::move(unit));
    }
    for (Unit& unit : table_.units) Fix(&unit);
    for (size_t n = 0; n < graph_.nodes.size(); ++n) FindBorders(n);
    return std::move(table_);
  }

 private:
  // The unit of the layer whose activation this node is, or kNone.
  size_t LayerBefore(const graph::Node& node) const {
    if (!quantize::IsActivation(node)) return kNone;
    const auto input = static_cast<size_t>(node.inputs[0]);
    const int producer = links_.producer[input];
    if (producer < 0 || links_.consumers[input].size() != 1 || links_.is_output[input]) {
      return kNone;
    }
    const auto p = static_cast<size_t>(producer);
    return operators::WeightsOf(graph_, graph_.nodes[p]) ? unit_of_[p] : kNone;
  }

  void Fix(Unit* unit) const {
    for (size_t n : unit->nodes) {
      if (scheme_.precision[n] == blob::Precision::kFp16) unit->fixed = blob::Precision::kFp16;
    }
    const bool settled = std::any_of(unit->nodes.begin(), unit->nodes.end(), [this](size_t n) {
      return IsGiven(graph_, graph_.nodes[n]) || quantize::RequestOf(config_, graph_.nodes[n]);
    });
    if (settled && !unit->fixed) unit->fixed = blob::Precision::kInt8;
  }

  // The units whose results the node's inputs hold, each once, in the order of the inputs.
  std::vector<size_t> SourcesOf(const graph::Node& node) const {
    std::vector<size_t> sources;
    std::set<size_t> seen;  // nodes
    std::vector<graph::ValueId> open(node.inputs.rbegin(), node.inputs.rend());
    while (!open.empty()) {
      const graph::ValueId id = open.back();
      open.pop_back();
      if (id == graph::kNoValue || graph_.Constant(id) != nullptr) continue;
      const int producer = links_.producer[static_cast<size_t>(id)];
      if (producer < 0 || !seen.insert(static_cast<size_t>(producer)).second) continue;
      const auto p = static_cast<size_t>(producer);
      if (unit_of_[p] != kNone) {
        sources.push_back(unit_of_[p]);
      } else if (IsMoved(graph_.nodes[p])) {
        const auto& inputs = graph_.nodes[p].inputs;
        open.insert(open.end(), inputs.rbegin(), inputs.rend());
      }
    }
    return sources;
  }

  void FindBorders(size_t n) {
    const size_t to = unit_of_[n];
    if (to == kNone) return;
    for (const size_t from : SourcesOf(graph_.nodes[n])) {
      if (from != to && known_.emplace(from, to).second) table_.borders.push_back({from, to, 0});
    }
  }

  const graph::Graph& graph_;
  const quantize::Scheme& scheme_;
  const quantize::Config& config_;
  graph::Links links_;
  operators::OutputView view_;
  std::vector<size_t> unit_of_;                // by node
  std::set<std::pair<size_t, size_t>> known_;  // borders, from and to
  Table table_;
};

}  // namespace

Table FindUnits(const graph::Graph& graph, const quantize::Scheme& scheme,
                const quantize::Config& config) {
  return Finder(graph, scheme, config).Run();
}

std::vector<blob::Precision> PrecisionsOf(const graph::Graph& graph, const quantize::Scheme& scheme,
                                          const Table& table, const Assignment& assignment) {
  std::vector<blob::Precision> precision = scheme.precision;
  for (size_t u = 0; u < table.units.size(); ++u) {
    if (table.units[u].fixed) continue;
    for (size_t n : table.units[u].nodes) {
      precision[n] = assignment[u] ? blob::Precision::kFp16 : blob::Precision::kInt8;
    }
  }
  const graph::Links links(graph);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const graph::Node& node = graph.nodes[n];
    if (!IsMoved(node) || precision[n] == blob::Precision::kFp16 || IsGiven(graph, node)) continue;
    bool all = true, any = false;
    for (graph::ValueId id : graph::Present(node.inputs)) {
      if (graph.Constant(id) != nullptr) continue;
      const int producer = links.producer[static_cast<size_t>(id)];
      any = true;
      all = all && producer >= 0 &&
            precision[static_cast<size_t>(producer)] == blob::Precision::kFp16;
    }
    if (any && all) precision[n] = blob::Precision::kFp16;
  }
  return precision;
}

}  // namespace octet::assign
