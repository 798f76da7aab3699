#include "converter/convert/mend.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "converter/analyze/analyze.h"
#include "converter/quantize/reasons.h"
#include "converter/support/error.h"

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
  std::vector<Mending> mendings;
  size_t before = 0;
  for (const size_t most : kNoisiest) {
    const size_t count = std::min(most, nodes.size());
    if (count == before) break;
    before = count;
    Mending mending{{fmt::format("the {} noisiest layers", count), {}}, config};
    // What measuring has moved already stays.
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      for (const quantize::Entry* entry : scheme.ledger.Of(n)) {
        if (entry->reason == quantize::Reason::kFloatOutput) {
          mending.config.measured.push_back(*entry);
        }
      }
    }
    for (size_t i = 0; i < count; ++i) {
      mending.config.measured.push_back(
          {.node = nodes[i], .reason = quantize::Reason::kNoisy, .measured_with = count});
    }
    try {
      quantize::Scheme& mended = mending.candidate.scheme;
      mended = quantize::AssignScheme(graph, statistics, mending.config);
      // Rounded weights and chosen ranges hang on scales by channel, and these on precisions.
      mended.bias_correction = scheme.bias_correction;
      mended.half_exponents = scheme.half_exponents;
    } catch (const UserError&) {  // the configuration binds a layer to int8
      continue;
    }
    mendings.push_back(std::move(mending));
  }
  return mendings;
}

}  // namespace octet::convert
