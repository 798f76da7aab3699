#include "converter/lower/half_check.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "converter/calibrate/stand_ins.h"
#include "converter/operators/scaling.h"

namespace octet::lower {
namespace {

// The finite ones: FP16 has infinities of its own.
calibrate::Range ExtremesOf(const calibrate::Statistics& seen) {
  if (std::isfinite(seen.min)) return {seen.min, seen.max};
  if (seen.histogram.empty()) return {};
  return {seen.histogram_min, seen.histogram_max};
}

StoredRange Stored(graph::ValueId value, const calibrate::Statistics& seen,
                   const std::vector<int>& exponents) {
  if (exponents.size() <= 1) {
    const int e = exponents.empty() ? 0 : exponents[0];
    const calibrate::Range range = ExtremesOf(seen);
    return {value, std::ldexp(static_cast<double>(range.min), -e),
            std::ldexp(static_cast<double>(range.max), -e)};
  }
  StoredRange all{value, 0, 0};
  for (size_t c = 0; c < exponents.size(); ++c) {
    all.low =
        std::min(all.low, std::ldexp(static_cast<double>(seen.channels[c].min), -exponents[c]));
    all.high =
        std::max(all.high, std::ldexp(static_cast<double>(seen.channels[c].max), -exponents[c]));
  }
  return all;
}

// Logarithms of the shares that a mask leaves nothing of: minus infinity says the same.
bool IsLogOfMasked(const quantize::HalfPlan& plan, const graph::Links& links,
                   const std::vector<std::optional<calibrate::Statistics>>& statistics, size_t v) {
  const int producer = links.producer[v];
  if (producer < 0) return false;
  const graph::Node& node = plan.graph.nodes[static_cast<size_t>(producer)];
  const auto input = static_cast<size_t>(node.inputs[0]);
  return node.op == "LogSoftmax" && input < statistics.size() && statistics[input] &&
         calibrate::StandInCount(*statistics[input]) > 0;
}

}  // namespace

std::vector<std::optional<StoredRange>> StoredRanges(
    const quantize::HalfPlan& plan, const Program& program,
    const std::vector<std::optional<calibrate::Statistics>>& statistics) {
  std::map<std::string_view, graph::ValueId> values;
  for (size_t v = 0; v < statistics.size(); ++v) {
    if (statistics[v]) values[plan.graph.values[v].name] = static_cast<graph::ValueId>(v);
  }
  std::vector<std::optional<StoredRange>> ranges;
  for (const Tensor& tensor : program.tensors) {
    const auto found = values.find(tensor.name);
    if (tensor.type != blob::ElementType::kFp16 || found == values.end()) {
      ranges.emplace_back();
      continue;
    }
    const auto v = static_cast<size_t>(found->second);
    const bool known = v < plan.scheme.half_exponents.size();
    ranges.push_back(Stored(found->second, *statistics[v],
                            known ? plan.scheme.half_exponents[v] : std::vector<int>{}));
  }
  return ranges;
}

std::string BeyondHalves(const quantize::HalfPlan& plan, const Program& program,
                         const std::vector<std::optional<calibrate::Statistics>>& statistics) {
  if (!plan.cannot_store.empty()) return plan.cannot_store;
  const graph::Links links(plan.graph);
  const auto ranges = StoredRanges(plan, program, statistics);
  for (size_t t = 0; t < program.tensors.size(); ++t) {
    if (!ranges[t]) continue;
    const Tensor& tensor = program.tensors[t];
    const StoredRange& stored = *ranges[t];
    const auto v = static_cast<size_t>(stored.value);
    const auto& readers = links.consumers[v];
    const bool silenced =
        IsLogOfMasked(plan, links, statistics, v) ||
        (!readers.empty() && !links.is_output[v] &&
         std::all_of(readers.begin(), readers.end(), [&](int reader) {
           return operators::SilencesLargeNegatives(plan.graph.nodes[static_cast<size_t>(reader)]);
         }));
    if (stored.high <= quantize::kLargestHalf &&
        (stored.low >= -quantize::kLargestHalf || silenced))
      continue;
    const auto layer =
        std::find_if(program.layers.begin(), program.layers.end(),
                     [t](const Layer& l) { return l.output == static_cast<int>(t); });
    const std::string where =
        layer == program.layers.end() ? "input" : fmt::format("layer '{}': tensor", layer->name);
    return fmt::format("{} '{}' holds {:.4g} to {:.4g}", where, tensor.name, statistics[v]->min,
                       statistics[v]->max);
  }
  return {};
}

}  // namespace octet::lower
