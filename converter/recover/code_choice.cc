#include "converter/recover/code_choice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "converter/operators/copies.h"
#include "converter/operators/operator.h"

namespace octet::recover {
namespace {

constexpr size_t kSamplesOfCodes = 16;                       // samples
constexpr double kMostApart = 0.005;                         // of the elements of an output
constexpr double kOne = 1.01, kThree = 3.01;                 // steps; float32 is not exact
constexpr double kSmaller[] = {1.0 / 4, 1.0 / 8, 1.0 / 32};  // of config.coarse_steps

struct Apart {
  int64_t elements = 0, by_one = 0, by_three = 0;
  double Share() const { return static_cast<double>(by_one) / static_cast<double>(elements); }
  // Where a step more makes no difference the outputs are as the model has them.
  bool IsFine() const { return Share() <= kMostApart && by_three == 0; }
};

// The codes of a value, or of the one that all its elements are copied from; null where the model
// says none.
const graph::Given* CodesOf(const simulate::Topology& topology, graph::ValueId id) {
  for (;;) {
    const graph::Given* given = topology.graph.At(id).given.get();
    const int producer = topology.links.producer[static_cast<size_t>(id)];
    if (given != nullptr || producer < 0) return given;
    const graph::Node& node = topology.graph.nodes[static_cast<size_t>(producer)];
    if (operators::Int8Of(node) != operators::Int8::kKeepsScale ||
        !operators::CopiesElements(node)) {
      return nullptr;
    }
    id = node.inputs[0];
  }
}

// Of the output that is worst; nullopt where the model rounds none.
std::optional<Apart> WorstOutput(const simulate::Simulator& simulator,
                                 const quantize::Scheme& scheme,
                                 const std::vector<int64_t>& samples) {
  const simulate::Topology& topology = simulator.topology();
  std::map<graph::ValueId, Apart> outputs;
  simulator.Watch(scheme, samples, [&](const simulate::Simulator::Shown& shown) {
    if (!topology.view.is_piece[static_cast<size_t>(shown.id)]) return;
    const graph::Given* given = CodesOf(topology, shown.id);
    if (given == nullptr) return;
    Apart& apart = outputs[shown.id];
    apart.elements += static_cast<int64_t>(shown.exact.size());
    for (size_t i = 0; i < shown.exact.size(); ++i) {
      const double steps = std::fabs(static_cast<double>(shown.after[i]) - shown.exact[i]);
      if (!(steps <= kOne * given->scale)) ++apart.by_one;
      if (!(steps <= kThree * given->scale)) ++apart.by_three;
    }
  });
  std::optional<Apart> worst;
  for (const auto& [id, apart] : outputs) {
    if (apart.elements == 0) continue;
    if (!worst || worst->IsFine() || (!apart.IsFine() && apart.Share() > worst->Share())) {
      worst = apart;
    }
  }
  return worst;
}

}  // namespace

double ChooseCoarseSteps(const simulate::Simulator& simulator, const simulate::Samples& samples,
                         const std::vector<std::optional<calibrate::Statistics>>& statistics,
                         const quantize::Config& config) {
  const graph::Graph& graph = simulator.topology().graph;
  // One of four bounds is chosen: samples that ranges were fitted to tell as well.
  std::vector<int64_t> all = samples.accept;
  all.insert(all.end(), samples.fit.begin(), samples.fit.end());
  if (all.empty()) all = samples.report;
  const bool rounds = std::any_of(graph.values.begin(), graph.values.end(),
                                  [](const graph::Value& value) { return bool{value.given}; });
  if (!rounds || config.StaysInt8() || all.empty()) return config.coarse_steps;
  all.resize(std::min(kSamplesOfCodes, all.size()));
  quantize::Scheme scheme = quantize::AssignScheme(graph, statistics, config);
  const std::optional<Apart> before = WorstOutput(simulator, scheme, all);
  if (!before || before->IsFine()) return config.coarse_steps;
  Apart best = *before;
  double chosen = config.coarse_steps;
  for (const double share : kSmaller) {
    quantize::Config other = config;
    other.coarse_steps = share * config.coarse_steps;
    quantize::Scheme finer = quantize::AssignScheme(graph, statistics, other);
    if (finer.precision == scheme.precision) continue;
    scheme = std::move(finer);
    const Apart after = WorstOutput(simulator, scheme, all).value_or(*before);
    if (after.IsFine()) return other.coarse_steps;
    const bool halves = 2 * after.by_one <= before->by_one && after.by_three <= before->by_three;
    if (halves && after.by_one < best.by_one) {
      best = after;
      chosen = other.coarse_steps;
    }
  }
  return chosen;
}

}  // namespace octet::recover
