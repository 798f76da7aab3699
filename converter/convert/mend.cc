#include "converter/convert/mend.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "converter/analyze/analyze.h"
#include "converter/operators/operator.h"
#include "converter/quantize/reasons.h"
#include "converter/support/not_possible.h"

namespace octet::convert {
namespace {

// Every one of them is looked at value by value, which takes several times as long as simulating
// it.
constexpr size_t kTellNoise = 16;

// By node, the noisiest first.
std::vector<size_t> NoisiestNodes(const analyze::Analysis& analysis) {
  std::vector<size_t> nodes;
  for (const size_t i : analyze::WorstFirst(analysis)) {
    const analyze::LayerFigures& layer = analysis.layers[i];
    if (!(layer.added > 0)) break;
    if (layer.int8 && layer.node >= 0) nodes.push_back(static_cast<size_t>(layer.node));
  }
  return nodes;
}

// The nodes and those that write what they read, behind what only moves it: the rounding of a
// tensor goes away only where its writer runs in FP16 too.
std::set<size_t> WithWriters(const graph::Graph& graph, const graph::Links& links,
                             const std::vector<size_t>& nodes) {
  std::set<size_t> all(nodes.begin(), nodes.end());
  std::vector<size_t> open = nodes;
  while (!open.empty()) {
    const graph::Node& node = graph.nodes[open.back()];
    open.pop_back();
    for (const graph::ValueId id : node.inputs) {
      const int writer = id == graph::kNoValue ? -1 : links.producer[static_cast<size_t>(id)];
      if (writer < 0 || !all.insert(static_cast<size_t>(writer)).second) continue;
      const bool moves = operators::Int8Of(graph.nodes[static_cast<size_t>(writer)]) ==
                         operators::Int8::kKeepsScale;
      if (moves) open.push_back(static_cast<size_t>(writer));
    }
  }
  return all;
}

bool Holds(const quantize::Config& config, const quantize::Entry& entry) {
  return std::any_of(config.measured.begin(), config.measured.end(),
                     [&entry](const quantize::Entry& measured) {
                       return measured.node == entry.node && measured.reason == entry.reason;
                     });
}

// Each round of proposals has names of its own.
std::string NameOf(size_t count, const quantize::Config& config) {
  std::set<std::string> before;
  for (const quantize::Entry& entry : config.measured) {
    if (entry.reason == quantize::Reason::kNoisy) before.insert(entry.proposal);
  }
  std::string name =
      count == 1 ? "the noisiest layer" : fmt::format("the {} noisiest layers", count);
  if (!before.empty()) name += fmt::format(" of round {}", before.size() + 1);
  return name;
}

}  // namespace

std::vector<Mending> ProposeMendings(
    const simulate::Simulator& simulator,
    const std::vector<std::optional<calibrate::Statistics>>& statistics,
    const quantize::Config& config, const quantize::Scheme& scheme,
    const std::vector<int64_t>& samples) {
  const graph::Graph& graph = simulator.topology().graph;
  const std::vector<int64_t> told(
      samples.begin(),
      samples.begin() + static_cast<int64_t>(std::min(kTellNoise, samples.size())));
  const std::vector<size_t> nodes =
      NoisiestNodes(analyze::Analyze(simulator, statistics, scheme, told, {}));
  const graph::Links links(graph);
  std::vector<Mending> mendings;
  size_t before = 0;
  for (const size_t most : kNoisiest) {
    const size_t count = std::min(most, nodes.size());
    if (count == before) break;
    before = count;
    Mending mending{{NameOf(count, config), {}}, config};
    // What measuring has moved already stays.
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      for (const quantize::Entry* entry : scheme.ledger.Of(n)) {
        if (entry->reason == quantize::Reason::kFloatOutput && !Holds(config, *entry)) {
          mending.config.measured.push_back(*entry);
        }
      }
    }
    const std::set<size_t> moved = WithWriters(
        graph, links, {nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(count)});
    for (const size_t node : moved) {
      mending.config.measured.push_back(
          {.node = node, .reason = quantize::Reason::kNoisy, .measured_with = moved.size()});
    }
    auto mended =
        TryTo([&] { return quantize::AssignScheme(graph, statistics, mending.config); }).value;
    if (!mended) continue;  // the configuration binds a layer to int8
    // Rounded weights and chosen ranges hang on scales by channel, and these on precisions.
    mended->bias_correction = scheme.bias_correction;
    mended->bias_shift = scheme.bias_shift;
    mended->half_exponents = scheme.half_exponents;
    mending.candidate.scheme = std::move(*mended);
    mendings.push_back(std::move(mending));
  }
  return mendings;
}

}  // namespace octet::convert
