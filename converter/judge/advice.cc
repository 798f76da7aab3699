#include "converter/judge/advice.h"

#include "converter/assign/assign.h"
#include "converter/support/error.h"

namespace octet::judge {
namespace {

constexpr size_t kMostLayers = 8;
// Noise that a layer adds below 40 dB under its signal is what 8 bits cost anywhere.
constexpr double kNothingAdded = 1e-4;
// A smaller set that gains so much of what the best one gains is the better advice.
constexpr double kNearlyAll = 0.8;

std::vector<size_t> NoisiestLayers(const analyze::Analysis& analysis) {
  std::vector<size_t> layers;
  for (const size_t i : analyze::WorstFirst(analysis)) {
    const analyze::LayerFigures& layer = analysis.layers[i];
    if (layers.size() == kMostLayers || !(layer.added > kNothingAdded)) break;
    if (layer.int8 && !layer.cause.empty()) layers.push_back(i);
  }
  return layers;
}

// The scheme of the configuration with the nodes `names` in FP16, beside those that run in it in
// `scheme`. Scales by channel are those that its precisions allow; rounded weights are left out,
// since they hang on such scales.
std::optional<quantize::Scheme> With(
    const graph::Graph& graph, const std::vector<std::optional<calibrate::Statistics>>& statistics,
    const quantize::Config& config, const quantize::Scheme& scheme,
    std::vector<std::string> names) {
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (scheme.precision[n] == blob::Precision::kFp16) names.push_back(graph.nodes[n].name);
  }
  try {
    quantize::Scheme variant =
        quantize::AssignScheme(graph, statistics, assign::WithFp16(config, names));
    variant.bias_correction = scheme.bias_correction;
    variant.half_exponents = scheme.half_exponents;
    return variant;
  } catch (const UserError&) {  // the configuration binds a layer to int8
    return std::nullopt;
  }
}

}  // namespace

std::optional<Advice> TryAdvice(
    const simulate::Simulator& simulator,
    const std::vector<std::optional<calibrate::Statistics>>& statistics,
    const quantize::Config& config, const quantize::Scheme& scheme,
    const analyze::Analysis& analysis, const std::vector<int64_t>& samples, double before_db,
    const std::function<std::optional<std::pair<std::string, double>>(const quantize::Scheme&)>&
        judged) {
  const graph::Graph& graph = simulator.topology().graph;
  const std::vector<size_t> layers = NoisiestLayers(analysis);
  std::vector<quantize::Scheme> variants;
  std::vector<size_t> counts;  // of layers in a variant
  std::vector<std::string> names;
  for (size_t i = 0; i < layers.size(); ++i) {
    names.push_back(analysis.layers[layers[i]].name);
    const size_t count = i + 1;
    if (count != layers.size() && (count & (count - 1)) != 0) continue;
    if (auto variant = With(graph, statistics, config, scheme, names)) {
      variants.push_back(std::move(*variant));
      counts.push_back(count);
    }
  }
  if (variants.empty()) return std::nullopt;
  const simulate::Simulator::Comparison compared = simulator.Compare(scheme, variants, samples);
  std::vector<double> gains;
  double most = 0;
  for (const simulate::Scores& scores : compared.variants) {
    gains.push_back(simulate::GainInDecibels(compared.base, scores).mean);
    most = std::max(most, gains.back());
  }
  for (size_t v = 0; v < variants.size(); ++v) {
    if (most <= 0 || gains[v] < kNearlyAll * most) continue;
    const auto found = judged(variants[v]);
    if (!found || found->second - before_db < kLeastGainDb) continue;
    Advice advice;
    advice.output = found->first;
    advice.before_db = before_db;
    advice.after_db = found->second;
    for (size_t i = 0; i < counts[v]; ++i) {
      const analyze::LayerFigures& layer = analysis.layers[layers[i]];
      advice.layers.push_back({layer.name, layer.op, layer.cause, layer.added});
    }
    return advice;
  }
  return std::nullopt;
}

}  // namespace octet::judge
