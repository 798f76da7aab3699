#include "converter/recover/bias_correction.h"

#include <algorithm>
#include <utility>

#include "converter/operators/weights.h"
#include "converter/recover/certain.h"
#include "converter/recover/fitting.h"
#include "converter/simulate/side_by_side.h"

namespace octet::recover {
namespace {

using Corrections = std::vector<std::vector<float>>;
using Shifts = std::vector<simulate::Moments>;  // by picture

std::vector<float> CertainMeans(const Shifts& shifts, size_t pictures) {
  std::vector<float> means(shifts[0].shift.size());
  for (size_t c = 0; c < means.size(); ++c) {
    means[c] = CertainMean(pictures, [&](size_t i) { return shifts[i].shift[c]; });
  }
  return means;
}

// Whether the shifts of the pictures from `first` on are smaller with the correction, all in all.
bool Helps(const Shifts& shifts, size_t first, const std::vector<float>& correction) {
  double before = 0, after = 0;
  for (size_t i = first; i < shifts.size(); ++i) {
    for (size_t c = 0; c < correction.size(); ++c) {
      const double shift = shifts[i].shift[c], left = shift - static_cast<double>(correction[c]);
      before += shift * shift;
      after += left * left;
    }
  }
  return after < before;
}

// By node and piece: whether the piece depends on the node.
std::vector<std::vector<bool>> Reach(const simulate::Topology& topology) {
  const graph::Graph& graph = topology.graph;
  const operators::OutputView& view = topology.view;
  size_t count = 0;
  for (const auto& pieces : view.outputs) count += pieces.size();
  std::vector<std::vector<bool>> of_value(graph.values.size(), std::vector<bool>(count));
  size_t piece = 0;
  for (const auto& pieces : view.outputs) {
    for (const auto& one : pieces) of_value[static_cast<size_t>(one.value)][piece++] = true;
  }
  std::vector<std::vector<bool>> of_node(graph.nodes.size(), std::vector<bool>(count));
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const auto unite = [count](const std::vector<bool>& from, std::vector<bool>* to) {
      for (size_t p = 0; p < count; ++p) (*to)[p] = (*to)[p] || from[p];
    };
    for (graph::ValueId id : graph::Present(graph.nodes[n].outputs)) {
      unite(of_value[static_cast<size_t>(id)], &of_node[n]);
    }
    for (graph::ValueId id : graph::Present(graph.nodes[n].inputs)) {
      unite(of_node[n], &of_value[static_cast<size_t>(id)]);
    }
  }
  return of_node;
}

// `corrections` less those that only pieces feel which they made worse. Empty where that changes
// nothing, or leaves nothing.
Corrections WithoutFallen(const simulate::Topology& topology,
                          const std::vector<simulate::Figure>& before,
                          const std::vector<simulate::Figure>& after,
                          const Corrections& corrections) {
  Corrections rest = corrections;
  const auto reach = Reach(topology);
  bool dropped = false, any = false;
  for (size_t n = 0; n < rest.size(); ++n) {
    if (rest[n].empty()) continue;
    bool gains = false;
    for (size_t p = 0; p < before.size(); ++p) {
      gains |= reach[n][p] && !(simulate::Decibels(after[p]) < simulate::Decibels(before[p]));
    }
    if (!gains) std::fill(rest[n].begin(), rest[n].end(), 0.0f);
    dropped |= !gains;
    any |= gains;
  }
  return dropped && any ? rest : Corrections{};
}

// Corrections layer by layer, kept where those that agree do.
class Finder : public simulate::Visitor {
 public:
  Finder(const graph::Graph& graph, size_t finding)
      : corrections(graph.nodes.size()), graph_(graph), finding_(finding) {}

  simulate::Correction Correct(size_t n, const Shifts& shifts) override {
    const graph::Node& node = graph_.nodes[n];
    // Where the model brings its own quantization, it was trained with it.
    if (graph_.At(node.inputs[0]).given != nullptr || graph_.At(node.outputs[0]).given != nullptr) {
      return {};
    }
    std::vector<float> means = CertainMeans(shifts, finding_);
    if (!Helps(shifts, finding_, means)) return {};
    corrections[n] = means;
    return {{}, std::move(means)};
  }

  Corrections corrections;

 private:
  const graph::Graph& graph_;
  size_t finding_;
};

Corrections Find(const simulate::Simulator& simulator, const Fitting& fitting,
                 const quantize::Scheme& scheme, const std::function<void()>& progress) {
  Finder finder(simulator.topology().graph, fitting.finding.size());
  const simulate::SideBySide how{simulator.options().threads, simulator.options().memory_bytes,
                                 false};
  simulate::RunSideBySide(simulator.topology(), scheme, simulator.inputs(), fitting.All(), how,
                          finder, progress);
  return finder.corrections;
}

}  // namespace

bool IsWorthCorrecting(const graph::Graph& graph) {
  int64_t layers = 0, depthwise = 0;
  for (const graph::Node& node : graph.nodes) {
    const auto weights = operators::WeightsOf(graph, node);
    if (!weights) continue;
    ++layers;
    if (weights->outputs > 1 && node.Int("group", 1) == weights->outputs) ++depthwise;
  }
  return depthwise > 0 && 8 * depthwise >= layers;
}

Step CorrectBiases(const simulate::Simulator& simulator, const simulate::Samples& samples,
                   const std::function<void(int64_t done, int64_t total)>& progress,
                   quantize::Scheme* scheme) {
  Step step("bias correction");
  const graph::Graph& graph = simulator.topology().graph;
  scheme->bias_correction.assign(graph.nodes.size(), {});
  if (!samples.CanCorrect()) return step;
  const Fitting fitting(samples.fit);
  int64_t done = 0;
  const auto& needed = simulator.topology().view.needed;
  const int64_t total = std::count(needed.begin(), needed.end(), true) +
                        static_cast<int64_t>(2 * fitting.agreeing.size() +
                                             3 * samples.accept.size() + 2 * samples.report.size());
  const auto tell = [&] {
    if (progress) progress(++done, total);
  };
  const auto told = [&tell](int64_t, int64_t) { tell(); };
  const quantize::Scheme before = *scheme;
  std::vector<quantize::Scheme> corrected(1, before);
  corrected[0].bias_correction = Find(simulator, fitting, before, tell);
  const auto agreed = simulator.Compare(before, corrected, fitting.agreeing, told);
  const Corrections part = WithoutFallen(simulator.topology(), agreed.base.Pieces(),
                                         agreed.variants[0].Pieces(), corrected[0].bias_correction);
  if (!part.empty()) {
    corrected.push_back(before);
    corrected[1].bias_correction = part;
  }
  const auto judged = simulator.Compare(before, corrected, samples.accept, told);
  step.Decide(simulator, samples, judged.base, judged.variants, corrected, told, scheme);
  return step;
}

}  // namespace octet::recover
