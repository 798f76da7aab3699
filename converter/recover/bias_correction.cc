#include "converter/recover/bias_correction.h"

#include <algorithm>
#include <cmath>

#include "converter/operators/weights.h"
#include "converter/simulate/side_by_side.h"

namespace octet::recover {
namespace {

using Corrections = std::vector<std::vector<float>>;
using Shifts = std::vector<std::vector<double>>;  // by picture and channel

// The means over pictures first to first + count - 1, as far as they are certain: of a mean m with
// standard error e, m * max(0, 1 - (kCertain * e / m)^2) is kept. Deep layers see few positions of
// few pictures, and the error of a rare large value that was cut off is no shift.
std::vector<float> CertainMeans(const Shifts& shifts, size_t pictures) {
  constexpr double kCertain = 2;
  const auto count = static_cast<double>(pictures);
  std::vector<float> means(shifts[0].size());
  for (size_t c = 0; c < means.size(); ++c) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < pictures; ++i) {
      sum += shifts[i][c];
      squares += shifts[i][c] * shifts[i][c];
    }
    const double mean = sum / count;
    const double variance = std::max(0.0, squares / count - mean * mean);
    const double error = variance / std::max(1.0, count - 1);  // of the mean, squared
    const double kept = mean * std::max(0.0, 1 - kCertain * kCertain * error / (mean * mean));
    means[c] = std::isfinite(kept) ? static_cast<float>(kept) : 0;
  }
  return means;
}

// Whether the shifts of the pictures from `first` on are smaller with the correction, all in all.
bool Helps(const Shifts& shifts, size_t first, const std::vector<float>& correction) {
  double before = 0, after = 0;
  for (size_t i = first; i < shifts.size(); ++i) {
    for (size_t c = 0; c < correction.size(); ++c) {
      const double shift = shifts[i][c], left = shift - static_cast<double>(correction[c]);
      before += shift * shift;
      after += left * left;
    }
  }
  return after < before;
}

// By node and piece: whether the piece depends on the node.
std::vector<std::vector<bool>> Reach(const simulate::Plan& plan) {
  const graph::Graph& graph = plan.graph;
  const operators::OutputView& view = plan.view;
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
    for (graph::ValueId id : graph.nodes[n].outputs) {
      if (id != graph::kNoValue) unite(of_value[static_cast<size_t>(id)], &of_node[n]);
    }
    for (graph::ValueId id : graph.nodes[n].inputs) {
      if (id != graph::kNoValue) unite(of_node[n], &of_value[static_cast<size_t>(id)]);
    }
  }
  return of_node;
}

// `corrections` less those that only pieces feel which they made worse. Empty where that changes
// nothing, or leaves nothing.
Corrections WithoutFallen(const simulate::Plan& plan, const std::vector<simulate::Figure>& before,
                          const std::vector<simulate::Figure>& after,
                          const Corrections& corrections) {
  Corrections rest = corrections;
  const auto reach = Reach(plan);
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

// One in so many of the fitting pictures finds nothing, but says of each layer whether what the
// others found holds.
constexpr size_t kAgreeing = 4;

// The fitting pictures: those that corrections are found from, and those that agree. The accepting
// ones stay out of both: they would find what they chose better than it is.
struct Fitting {
  explicit Fitting(const std::vector<int64_t>& fit) {
    const size_t each = std::min(kAgreeing, fit.size());
    for (size_t i = 0; i < fit.size(); ++i) {
      (i % each == each - 1 ? agreeing : finding).push_back(fit[i]);
    }
  }
  std::vector<int64_t> finding, agreeing;
};

// Corrections layer by layer, kept where those that agree do.
Corrections Find(const simulate::Simulator& simulator, const Fitting& fitting,
                 const quantize::Scheme& scheme, const std::function<void()>& progress) {
  const graph::Graph& graph = simulator.plan().graph;
  const size_t finding = fitting.finding.size();
  std::vector<int64_t> pictures = fitting.finding;
  pictures.insert(pictures.end(), fitting.agreeing.begin(), fitting.agreeing.end());
  const auto decide = [&](size_t n, const Shifts& shifts) -> std::vector<float> {
    const graph::Node& node = graph.nodes[n];
    // Where the model brings its own quantization, it was trained with it.
    if (graph.At(node.inputs[0]).given != nullptr || graph.At(node.outputs[0]).given != nullptr) {
      return {};
    }
    std::vector<float> means = CertainMeans(shifts, finding);
    if (!Helps(shifts, finding, means)) means.clear();
    return means;
  };
  return simulate::RunSideBySide(simulator.plan(), scheme, simulator.inputs(), pictures,
                                 simulator.options().threads, simulator.options().memory_bytes,
                                 decide, progress);
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
  const graph::Graph& graph = simulator.plan().graph;
  scheme->bias_correction.assign(graph.nodes.size(), {});
  if (!samples.CanCorrect()) return step;
  const Fitting fitting(samples.fit);
  int64_t done = 0;
  const auto& needed = simulator.plan().view.needed;
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
  const Corrections part = WithoutFallen(simulator.plan(), agreed.base.Pieces(),
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
