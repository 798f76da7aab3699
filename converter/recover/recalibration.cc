#include "converter/recover/recalibration.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "converter/lower/coded_weights.h"
#include "converter/operators/weights.h"
#include "converter/recover/certain.h"
#include "converter/recover/fitting.h"
#include "converter/simulate/own_error.h"

namespace octet::recover {
namespace {

using simulate::Correction;
using simulate::Moments;

// Mean over the first `count` pictures.
double MeanOf(const std::vector<Moments>& pictures, size_t count,
              std::vector<double> Moments::*which, size_t c) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += (pictures[i].*which)[c];
  return sum / static_cast<double>(count);
}

// Mean square of exact - (factor * rounded + offset) of one picture.
double ErrorOf(const Moments& of, size_t c, double factor, double offset) {
  return of.exact_square[c] + factor * factor * of.rounded_square[c] + offset * offset -
         2 * factor * of.product[c] - 2 * offset * of.exact[c] +
         2 * factor * offset * of.rounded[c];
}

// Layers whose own error is above the mean.
std::vector<bool> Sensitive(const simulate::Simulator& simulator, const quantize::Scheme& scheme,
                            const std::vector<int64_t>& samples) {
  const std::vector<simulate::Figure> figures = simulate::OwnErrors(simulator, scheme, samples);
  double sum = 0;
  int64_t layers = 0;
  const auto share = [](const simulate::Figure& figure) { return figure.error / figure.signal; };
  for (const simulate::Figure& figure : figures) {
    if (!(figure.signal > 0)) continue;
    sum += share(figure);
    ++layers;
  }
  std::vector<bool> sensitive(figures.size());
  for (size_t n = 0; n < figures.size(); ++n) {
    sensitive[n] = figures[n].signal > 0 && share(figures[n]) * static_cast<double>(layers) > sum;
  }
  return sensitive;
}

class Recalibrator : public simulate::Visitor {
 public:
  Recalibrator(const graph::Graph& graph, const quantize::Scheme& scheme,
               std::vector<bool> sensitive, size_t fitting)
      : corrections(graph.nodes.size()),
        graph_(graph),
        scheme_(scheme),
        sensitive_(std::move(sensitive)),
        fitting_(fitting) {}

  Correction Correct(size_t n, const std::vector<Moments>& moments) override {
    const graph::Node& node = graph_.nodes[n];
    // Shared scales have no factor a channel; a model that brings its own quantization was trained
    // with it.
    const bool shares = n < scheme_.weight_schemes.size() &&
                        scheme_.weight_schemes[n] != quantize::WeightScheme::kPerChannel;
    if (!sensitive_[n] || shares || graph_.At(node.inputs[1]).constant.codes() != nullptr ||
        graph_.At(node.inputs[0]).given || graph_.At(node.outputs[0]).given) {
      return {};
    }
    corrections[n] = FitStatistics(moments, fitting_);
    return corrections[n];
  }

  std::vector<Correction> corrections;  // by node

 private:
  const graph::Graph& graph_;
  const quantize::Scheme& scheme_;
  std::vector<bool> sensitive_;
  size_t fitting_;
};

// Factor * (weights x + bias) + offset, as weights, scales and a correction of the bias.
void Fold(const graph::Graph& graph, const lower::WeightCoder& coder, size_t n,
          const Correction& correction, quantize::Scheme* scheme) {
  const auto coded = coder.Of(n);
  if (!coded) return;
  const graph::Node& node = graph.nodes[n];
  const size_t count = correction.factors.size();
  const simulate::Outputs outputs = simulate::OutputsOf(graph, node);
  auto weights = std::make_shared<quantize::RoundedWeights>();
  weights->values = coded->weights.floats;
  weights->scales = coded->scales;
  std::vector<float>& shift = scheme->bias_correction[n];
  shift.resize(count, 0);
  // Channels along the last axis lie side by side, else one behind the other.
  const size_t run = outputs.across == 1 ? weights->values.size() / count : 1;
  for (size_t at = 0; at < weights->values.size(); ++at) {
    weights->values[at] *= correction.factors[at / run % count];
  }
  for (size_t o = 0; o < count; ++o) {
    // The scheme's own correction is in coded->bias.
    const float own = coded->bias[o];
    weights->scales[o] *= correction.factors[o];
    shift[o] += (correction.factors[o] - 1) * own + correction.offsets[o];
  }
  scheme->weights[n] = std::move(weights);
}

}  // namespace

Correction FitStatistics(const std::vector<Moments>& pictures, size_t fitting) {
  const size_t count = pictures[0].shift.size();
  Correction correction{std::vector<float>(count, 1), std::vector<float>(count, 0)};
  double before = 0, after = 0;
  for (size_t c = 0; c < count; ++c) {
    const double exact = MeanOf(pictures, fitting, &Moments::exact, c),
                 rounded = MeanOf(pictures, fitting, &Moments::rounded, c),
                 variance =
                     MeanOf(pictures, fitting, &Moments::rounded_square, c) - rounded * rounded;
    // Each picture's part of what FP32's variance is above the simulation's, as its share.
    const auto above = [&](size_t i) {
      const Moments& of = pictures[i];
      const double own = of.rounded_square[c] - 2 * rounded * of.rounded[c] + rounded * rounded;
      return (of.exact_square[c] - 2 * exact * of.exact[c] + exact * exact - own) / variance;
    };
    // A channel that says the same of everything has no deviation to set.
    const float share = variance > 0 ? CertainMean(fitting, above) : 0;
    const double factor = std::sqrt(std::max(0.0, 1 + static_cast<double>(share)));
    if (!(factor > 0)) continue;
    const float shift = CertainMean(fitting, [&](size_t i) { return pictures[i].shift[c]; });
    correction.factors[c] = static_cast<float>(factor);
    correction.offsets[c] = static_cast<float>((1 - factor) * rounded + static_cast<double>(shift));
    for (size_t i = fitting; i < pictures.size(); ++i) {
      before += ErrorOf(pictures[i], c, 1, 0);
      after += ErrorOf(pictures[i], c, static_cast<double>(correction.factors[c]),
                       static_cast<double>(correction.offsets[c]));
    }
  }
  return after < before ? correction : Correction{};
}

Step Recalibrate(const simulate::Simulator& simulator, const simulate::Samples& samples,
                 const std::function<void(int64_t done, int64_t total)>& progress,
                 quantize::Scheme* scheme) {
  Step step("mean and variance");
  if (!samples.CanCorrect()) return step;
  const simulate::Topology& topology = simulator.topology();
  int64_t done = 0;
  const int64_t total = std::count(topology.view.needed.begin(), topology.view.needed.end(), true) +
                        static_cast<int64_t>(2 * samples.accept.size() + 2 * samples.report.size());
  const auto tell = [&] {
    if (progress) progress(++done, total);
  };
  const Fitting fitting(samples.fit);
  Recalibrator recalibrator(topology.graph, *scheme, Sensitive(simulator, *scheme, samples.fit),
                            fitting.finding.size());
  // Means and deviations of what is not cut off: a rare large value is nobody's deviation.
  simulate::RunSideBySide(topology, *scheme, simulator.inputs(), fitting.All(),
                          {simulator.options().threads, simulator.options().memory_bytes, false},
                          recalibrator, tell);
  std::vector<quantize::Scheme> changed(1, *scheme);
  changed[0].weights.resize(topology.graph.nodes.size());
  changed[0].bias_correction.resize(topology.graph.nodes.size());
  const lower::WeightCoder coder(topology.graph, *scheme);
  for (size_t n = 0; n < topology.graph.nodes.size(); ++n) {
    const Correction& correction = recalibrator.corrections[n];
    if (!correction.factors.empty()) Fold(topology.graph, coder, n, correction, &changed[0]);
  }
  const auto told = [&tell](int64_t, int64_t) { tell(); };
  const auto judged = simulator.Compare(*scheme, changed, samples.accept, told);
  step.Decide(simulator, samples, judged.base, judged.variants, changed, told, scheme);
  return step;
}

}  // namespace octet::recover
