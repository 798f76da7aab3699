#include "converter/recover/diagnosis.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "converter/lower/coded_weights.h"
#include "converter/operators/operator.h"
#include "converter/operators/output_view.h"
#include "converter/simulate/rounding.h"
#include "converter/support/decibels.h"
#include "converter/support/functions.h"

namespace octet::recover {
namespace {

using graph::ValueId;

// A channel this much wider than the median one leaves that 32 of 256 codes.
constexpr double kWideChannel = 8;

// Error as a share of the signal, no more than all of it.
double ShareOf(const ValueFigure& figure) {
  return LostShare(figure.signal, figure.error);
}

void AddError(const std::vector<float>& exact, const std::vector<float>& rounded, double* signal,
              double* error) {
  for (size_t i = 0; i < exact.size(); ++i) {
    const double e = exact[i], difference = e - static_cast<double>(rounded[i]);
    // Where FP32 has no number, as behind a mask, nothing is measured.
    if (!std::isfinite(e)) continue;
    if (signal != nullptr) *signal += e * e;
    *error += difference * difference;
  }
}

// What rounding moved by more than half a step was cut off.
double CutOff(const std::vector<float>& before, const std::vector<float>& after,
              const quantize::TensorScheme& scheme) {
  double sum = 0;
  const size_t plane =
      scheme.channels.empty() ? before.size() : before.size() / scheme.channels.size();
  for (size_t i = 0; i < before.size(); ++i) {
    const double step = scheme.channels.empty() ? scheme.scale : scheme.channels[i / plane].scale;
    const double difference = static_cast<double>(before[i]) - static_cast<double>(after[i]);
    if (std::fabs(difference) > 0.51 * step) sum += difference * difference;
  }
  return sum;
}

void AddMagnitudes(const std::vector<float>& exact, const std::vector<float>& sums,
                   const std::vector<float>& after, Magnitudes* magnitudes) {
  for (size_t i = 0; i < exact.size(); ++i) {
    const double e = exact[i];
    const int exponent = e == 0 ? -kMagnitudes : std::ilogb(e);
    const int bin = std::clamp(exponent + kMagnitudeOfOne, 0, kMagnitudes - 1);
    MagnitudeFigure& figure = (*magnitudes)[static_cast<size_t>(bin)];
    ++figure.count;
    figure.signal += e * e;
    figure.error += (e - after[i]) * (e - after[i]);
    figure.sums += (e - sums[i]) * (e - sums[i]);
  }
}

// Widths of the channels as they were seen: the widest over the median, and which.
struct Widest {
  double ratio = 1;
  size_t channel = 0;
};
Widest WidestChannel(const calibrate::Statistics& seen) {
  std::vector<double> widths;
  for (const calibrate::Range& range : seen.channels) {
    widths.push_back(
        std::max({0.0, static_cast<double>(range.max), -static_cast<double>(range.min)}));
  }
  Widest widest;
  if (widths.empty()) return widest;
  widest.channel =
      static_cast<size_t>(std::max_element(widths.begin(), widths.end()) - widths.begin());
  const double most = widths[widest.channel];
  std::nth_element(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2),
                   widths.end());
  widest.ratio = most / std::max(widths[widths.size() / 2], most * 1e-6);
  return widest;
}

// Of the weights that the node's codes stand for: their error as a share of what they are in FP32.
double ShareOfWeights(const graph::Graph& graph, const quantize::Scheme& scheme,
                      const graph::Node& node) {
  const auto n = static_cast<size_t>(&node - graph.nodes.data());
  const std::optional<lower::CodedWeights> coded = lower::WeightCoder(graph, scheme).Of(n);
  if (!coded) return 0;
  ValueFigure weights;
  AddError(graph.Constant(node.inputs[1])->floats, coded->weights.floats, &weights.signal,
           &weights.error);
  return ShareOf(weights);
}

// Why the result of `node` is off before it is rounded itself. What inputs and weights are off by
// adds up; where it is several times as much, the sums are small beside what they are made of.
Cause CauseOfSums(const graph::Graph& graph, const quantize::Scheme& scheme,
                  const Diagnosis& diagnosis, const ValueFigure& result, const graph::Node& node) {
  constexpr double kCancels = 4;
  const graph::Links links(graph);
  const graph::Node* layer = &node;
  simulate::Outputs outputs = simulate::OutputsOf(graph, *layer);
  // A function of one variable behind a layer.
  while (outputs.count == 0 && layer->inputs.size() == 1) {
    const int producer = links.producer[static_cast<size_t>(layer->inputs[0])];
    if (producer < 0) break;
    layer = &graph.nodes[static_cast<size_t>(producer)];
    outputs = simulate::OutputsOf(graph, *layer);
  }
  double inputs = 0;
  for (ValueId id : graph::Present(layer->inputs)) {
    if (graph.Constant(id) != nullptr) continue;
    inputs = std::max(inputs, ShareOf(diagnosis.values[static_cast<size_t>(id)]));
  }
  const double weights = outputs.count > 0 ? ShareOfWeights(graph, scheme, *layer) : 0;
  if (!(inputs + weights > 0)) {
    return {CauseKind::kInputs, "inputs and weights are exact; its sums are rounded"};
  }
  const double more = ShareOf(result) / (inputs + weights);
  if (more >= kCancels) {
    return {CauseKind::kCancellation,
            fmt::format("its sums nearly cancel: they are {:.1f} dB worse than its inputs{}",
                        10 * math::Log10(more), outputs.count > 0 ? " and weights" : "")};
  }
  if (weights > inputs) {
    return {CauseKind::kWeights,
            fmt::format("its weights are {:.1f} dB above their rounding error in 8 bits",
                        -10 * math::Log10(weights))};
  }
  const double growth_db = 10 * math::Log10(more);
  if (!(growth_db >= 0.1)) return {CauseKind::kInputs, "its inputs have this error already"};
  return {CauseKind::kInputs,
          fmt::format("the error of its inputs grows by {:.1f} dB in its sums", growth_db)};
}

}  // namespace

double OutputFigure::Db() const {
  return Decibels(signal, error);
}

double OutputFigure::Cosine() const {
  if (error == 0) return 1;
  return std::isfinite(error) && signal > 0 && power > 0 ? product / std::sqrt(signal * power) : 0;
}

Diagnosis Diagnose(const simulate::Simulator& simulator, const quantize::Scheme& scheme,
                   const std::vector<int64_t>& samples, const simulate::Simulator::Watcher& also) {
  const graph::Graph& graph = simulator.topology().graph;
  const operators::OutputView& view = simulator.topology().view;
  Diagnosis result;
  result.values.resize(graph.values.size());
  result.outputs.resize(graph.outputs.size());
  simulator.Watch(scheme, samples, [&](const simulate::Simulator::Shown& shown) {
    if (also) also(shown);
    const auto v = static_cast<size_t>(shown.id);
    ValueFigure& figure = result.values[v];
    AddError(shown.exact, shown.after, &figure.signal, &figure.error);
    AddError(shown.exact, shown.before, nullptr, &figure.before);
    if (scheme.tensors[v]) figure.cut += CutOff(shown.before, shown.after, *scheme.tensors[v]);
    if (!view.is_piece[v]) return;
    AddMagnitudes(shown.exact,
                  shown.with_exact_weights == nullptr ? shown.before : *shown.with_exact_weights,
                  shown.after, &result.pieces[shown.id]);
    for (size_t o = 0; o < view.outputs.size(); ++o) {
      for (const operators::OutputPiece& piece : view.outputs[o]) {
        if (piece.value != shown.id) continue;
        std::vector<float> e = shown.exact, a = shown.after;
        if (!piece.function.empty()) {
          operators::ApplyActivation(piece.function, e, 0, 0);
          operators::ApplyActivation(piece.function, a, 0, 0);
        }
        OutputFigure& output = result.outputs[o];
        AddError(e, a, &output.signal, &output.error);
        for (size_t i = 0; i < e.size(); ++i) {
          if (!std::isfinite(e[i])) continue;
          output.product += static_cast<double>(e[i]) * a[i];
          output.power += static_cast<double>(a[i]) * a[i];
        }
      }
    }
  });
  return result;
}

Cause CauseAt(const graph::Graph& graph,
              const std::vector<std::optional<calibrate::Statistics>>& statistics,
              const quantize::Scheme& scheme, const Diagnosis& diagnosis, int node) {
  const graph::Node& worst = graph.nodes[static_cast<size_t>(node)];
  const auto v = static_cast<size_t>(worst.outputs[0]);
  const ValueFigure& figure = diagnosis.values[v];
  const auto& range = scheme.tensors[v];
  const auto& seen = statistics[v];
  const double rounding = figure.error - figure.before;
  const bool rounded = range && seen && rounding >= figure.error / 2;
  if (rounded && figure.cut > rounding / 2) {
    return {CauseKind::kCutRange,
            fmt::format("its range is clipped to {:.4g} to {:.4g}; {:.4g} to {:.4g} occur",
                        range->min, range->max, seen->min, seen->max)};
  }
  // A wide channel is most of the energy, so that its own error hides what the others lose.
  constexpr const char* kOneScale = "times as wide as the median channel, and all share a scale";
  const auto widest_of = [&](ValueId id) {
    const auto at = static_cast<size_t>(id);
    const bool shared =
        statistics[at] && scheme.tensors[at] && scheme.tensors[at]->channels.empty();
    return shared ? WidestChannel(*statistics[at]) : Widest{};
  };
  for (ValueId id : worst.inputs) {
    if (rounded || id == graph::kNoValue || graph.Constant(id) != nullptr) continue;
    const Widest input = widest_of(id);
    if (input.ratio < kWideChannel) continue;
    return {CauseKind::kWideChannel,
            fmt::format("channel {} of its input '{}' is {:.0f} {}", input.channel,
                        graph.At(id).name, input.ratio, kOneScale)};
  }
  const Widest widest = widest_of(worst.outputs[0]);
  if (widest.ratio >= kWideChannel) {
    return {CauseKind::kWideChannel,
            fmt::format("channel {} is {:.0f} {}", widest.channel, widest.ratio, kOneScale)};
  }
  if (!rounded) return CauseOfSums(graph, scheme, diagnosis, figure, worst);
  const double typical = std::sqrt(seen->variance + seen->mean * seen->mean);
  return {CauseKind::kCoarseSteps, fmt::format("8 bits over {:.4g} to {:.4g} are steps of {:.3g}; "
                                               "its values are {:.3g} (root mean square)",
                                               range->min, range->max, range->scale, typical)};
}

}  // namespace octet::recover
