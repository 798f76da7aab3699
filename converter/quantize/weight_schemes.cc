#include "converter/quantize/weight_schemes.h"

#include <string_view>

#include "converter/operators/weights.h"
#include "converter/quantize/names.h"
#include "converter/support/not_possible.h"

namespace octet::quantize {
namespace {

constexpr std::string_view kNames[] = {"per_channel", "group", "per_tensor"};

WeightScheme DefaultOf(const AllowedWeights& allowed, int64_t outputs) {
  if (allowed.group && outputs > kGroupAbove) return WeightScheme::kGroup;
  if (allowed.per_channel) return WeightScheme::kPerChannel;
  return allowed.group ? WeightScheme::kGroup : WeightScheme::kPerTensor;
}

bool IsAllowed(const AllowedWeights& allowed, WeightScheme scheme) {
  if (allowed.per_channel || scheme == WeightScheme::kPerTensor) return true;
  return allowed.group && scheme == WeightScheme::kGroup;
}

}  // namespace

void ChooseWeightSchemes(const graph::Graph& graph, const Config& config, Scheme* scheme) {
  const AllowedWeights& allowed = config.allowed_weights;
  scheme->weight_schemes.assign(graph.nodes.size(), WeightScheme::kPerChannel);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const auto weights = operators::WeightsOf(graph, graph.nodes[n]);
    if (!weights) continue;
    std::optional<WeightScheme> asked = config.weights;
    for (const LayerOverride& layer : config.layers) {
      if (layer.weights && Matches(layer.name, graph.nodes[n].name)) asked = layer.weights;
    }
    scheme->weight_schemes[n] = asked.value_or(DefaultOf(allowed, weights->outputs));
    if (asked && !IsAllowed(allowed, *asked)) {
      RuleOut(
          "node '{}' ({}): --config asks for {} weights, but the board allows only {}; change "
          "--config or --board",
          graph.nodes[n].name, graph.nodes[n].op, kNames[static_cast<size_t>(*asked)],
          allowed.group ? "group and per_tensor" : "per_tensor");
    }
  }
}

}  // namespace octet::quantize
