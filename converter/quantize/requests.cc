#include "converter/quantize/requests.h"

#include <string_view>
#include <vector>

#include "converter/quantize/names.h"
#include "converter/support/not_possible.h"

namespace octet::quantize {
namespace {

const char* WordOf(blob::Precision precision) {
  return precision == blob::Precision::kInt8 ? "int8" : "fp16";
}

// The last entry that names a node: an exception stands behind the rule. Where all requests bind,
// two patterns, or the same one twice, are no rule and exception, and cannot both be obeyed.
void RequireRuleAndException(const Config& config, const graph::Node& node) {
  const LayerOverride* last = nullptr;
  for (const LayerOverride& layer : config.layers) {
    if (!layer.precision || layer.constraint || !Matches(layer.name, node.name)) continue;
    if (last != nullptr && last->precision != layer.precision && IsPattern(layer.name)) {
      RuleOut(
          "--config asks for int8 and fp16 at node '{}', by '{}' and by '{}', with "
          "precision_constraints: obey; name the node exactly in the later entry, or remove one",
          node.name, last->name, layer.name);
    }
    last = &layer;
  }
  if (last != nullptr && config.int8_everywhere && last->precision == blob::Precision::kFp16) {
    RuleOut(
        "--config asks for fp16 at node '{}' by '{}' with precision_constraints: obey, and for "
        "int8 everywhere; remove one of them",
        node.name, last->name);
  }
}

// Entries that must be obeyed, and cannot all be.
void RequireObeyable(const graph::Graph& graph, const Config& config) {
  const auto binds = [](const LayerOverride& layer) {
    return layer.precision && layer.constraint == Constraint::kObey;
  };
  for (const graph::Node& node : graph.nodes) {
    if (config.constraint == Constraint::kObey) RequireRuleAndException(config, node);
    const LayerOverride* first = nullptr;
    for (const LayerOverride& layer : config.layers) {
      if (!binds(layer) || !Matches(layer.name, node.name)) continue;
      if (config.int8_everywhere && *layer.precision == blob::Precision::kFp16) {
        RuleOut(
            "node '{}' must be fp16 ('{}', constraint: obey), but int8 is asked for everywhere; "
            "remove one of them",
            node.name, layer.name);
      }
      if (first == nullptr) first = &layer;
      if (*first->precision == *layer.precision) continue;
      RuleOut(
          "node '{}' must be {} by '{}' and {} by '{}', both with obey; set one of them to "
          "`constraint: prefer`",
          node.name, WordOf(*first->precision), first->name, WordOf(*layer.precision), layer.name);
    }
  }
}

}  // namespace

std::optional<Request> RequestOf(const Config& config, const graph::Node& node) {
  std::optional<Request> request;
  for (const LayerOverride& layer : config.layers) {
    const Constraint constraint = layer.constraint.value_or(config.constraint);
    if (!layer.precision || constraint == Constraint::kNone) continue;
    // What has to be obeyed is not changed by a wish.
    if (request && layer.constraint == Constraint::kPrefer &&
        request->constraint == Constraint::kObey) {
      continue;
    }
    if (Matches(layer.name, node.name)) {
      request = {*layer.precision, constraint, layer.name};
    }
  }
  return request;
}

void RequireAgreement(const graph::Graph& graph, const Config& config) {
  std::vector<std::string_view> names;
  for (const graph::Node& node : graph.nodes) names.push_back(node.name);
  for (const LayerOverride& layer : config.layers) RequireMatch(layer.name, names, "layer");
  RequireObeyable(graph, config);
}

}  // namespace octet::quantize
