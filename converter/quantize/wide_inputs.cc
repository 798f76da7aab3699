#include "converter/quantize/wide_inputs.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "converter/operators/clamp.h"
#include "converter/operators/operator.h"
#include "converter/operators/weights.h"
#include "converter/quantize/names.h"

namespace octet::quantize {
namespace {

constexpr double kSteps = 255, kFewSteps = 16, kMost = 0.99;

double FewSteps(const calibrate::Statistics& s) {
  return kFewSteps * (std::max<double>(s.max, 0) - std::min<double>(s.min, 0)) / kSteps;
}

bool HasOwnRange(const Config& config, const std::string& name) {
  return std::any_of(config.tensors.begin(), config.tensors.end(),
                     [&](const TensorOverride& entry) {
                       return (entry.min || entry.max || entry.method) && Matches(entry.name, name);
                     });
}

// A Clip tells no more of its input apart than it lets through (ranges.cc).
bool IsTamed(const graph::Graph& graph, const graph::Node& node,
             const std::optional<calibrate::Statistics>& seen) {
  // What is fused behind a layer clamps its result.
  if (!node.activation.empty() || !seen) return false;
  const auto bounds = operators::ClampOf(graph, node);
  return bounds && !IsWide(calibrate::Clamp(*seen, bounds->low, bounds->high));
}

bool IsMoved(const graph::Node& node) {
  const operators::Int8 int8 = operators::Int8Of(node);
  return int8 == operators::Int8::kKeepsScale || int8 == operators::Int8::kJoins;
}

void FindBeyond(const graph::Graph& graph,
                const std::vector<std::optional<calibrate::Statistics>>& statistics,
                WideReaders* found) {
  std::vector<bool> wide(graph.values.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const graph::Node& node = graph.nodes[n];
    const bool reads = graph::AnyOf(node.inputs, wide);
    const bool has_weights = operators::SumsProducts(node);
    if (reads && has_weights && !found->nodes[n]) found->beyond.push_back("'" + node.name + "'");
    if (!found->nodes[n] && (!reads || has_weights)) continue;
    for (const graph::ValueId id : graph::Present(node.outputs)) {
      const auto& seen = statistics[static_cast<size_t>(id)];
      wide[static_cast<size_t>(id)] = seen && IsWide(*seen);
    }
  }
}

}  // namespace

bool IsWide(const calibrate::Statistics& s) {
  if (!std::isfinite(s.min) || !std::isfinite(s.max) || s.histogram.empty()) return false;
  const double limit = FewSteps(s);
  const double width = (static_cast<double>(s.histogram_max) - s.histogram_min) /
                       static_cast<double>(s.histogram.size());
  double all = 0, small = 0;
  for (size_t i = 0; i < s.histogram.size(); ++i) {
    const double low = s.histogram_min + static_cast<double>(i) * width;
    const auto count = static_cast<double>(s.histogram[i]);
    all += count;
    if (-limit <= low && low + width <= limit) small += count;
  }
  const auto zeros = static_cast<double>(s.zeros);
  return all > zeros && small - zeros >= kMost * (all - zeros);
}

WideReaders FindWideReaders(const graph::Graph& graph,
                            const std::vector<std::optional<calibrate::Statistics>>& statistics,
                            const Config& config) {
  WideReaders found;
  found.nodes.resize(graph.nodes.size());
  if (config.method != calibrate::Method::kAuto) return found;
  std::vector<bool> wide(graph.values.size());
  for (const graph::ValueId id : graph.inputs) {
    const graph::Value& input = graph.At(id);
    const auto& seen = statistics[static_cast<size_t>(id)];
    if (!seen || input.given != nullptr || HasOwnRange(config, input.name) || !IsWide(*seen)) {
      continue;
    }
    wide[static_cast<size_t>(id)] = true;
    found.reasons.push_back(
        fmt::format("99 % of input '{}' are within {:.4g} of 0, the rest reaches {:.4g}: 8 bits "
                    "are too coarse for both",
                    input.name, FewSteps(*seen), std::max(-seen->min, seen->max)));
  }
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const graph::Node& node = graph.nodes[n];
    for (const graph::ValueId id : graph::Present(node.inputs)) {
      if (!wide[static_cast<size_t>(id)]) continue;
      if (!IsTamed(graph, node, statistics[static_cast<size_t>(id)])) found.nodes[n] = true;
    }
    if (!found.nodes[n] || !IsMoved(node)) continue;
    for (const graph::ValueId id : graph::Present(node.outputs)) {
      wide[static_cast<size_t>(id)] = true;
    }
  }
  FindBeyond(graph, statistics, &found);
  return found;
}

}  // namespace octet::quantize
