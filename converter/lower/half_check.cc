#include "converter/lower/half_check.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "converter/operators/scaling.h"

namespace octet::lower {
namespace {

struct Extremes {
  double low = 0, high = 0;
};

// As FP16 keeps it.
Extremes Stored(const calibrate::Statistics& seen, const std::vector<int>& exponents) {
  if (exponents.size() <= 1) {
    const int e = exponents.empty() ? 0 : exponents[0];
    return {std::ldexp(static_cast<double>(seen.min), -e),
            std::ldexp(static_cast<double>(seen.max), -e)};
  }
  Extremes all;
  for (size_t c = 0; c < exponents.size(); ++c) {
    all.low =
        std::min(all.low, std::ldexp(static_cast<double>(seen.channels[c].min), -exponents[c]));
    all.high =
        std::max(all.high, std::ldexp(static_cast<double>(seen.channels[c].max), -exponents[c]));
  }
  return all;
}

}  // namespace

std::string BeyondHalves(const quantize::HalfPlan& plan, const Program& program,
                         const std::vector<std::optional<calibrate::Statistics>>& statistics) {
  if (!plan.cannot_store.empty()) return plan.cannot_store;
  std::map<std::string_view, graph::ValueId> values;
  for (size_t v = 0; v < statistics.size(); ++v) {
    if (statistics[v]) values[plan.graph.values[v].name] = static_cast<graph::ValueId>(v);
  }
  const graph::Links links(plan.graph);
  for (size_t t = 0; t < program.tensors.size(); ++t) {
    const Tensor& tensor = program.tensors[t];
    const auto found = values.find(tensor.name);
    if (tensor.type != blob::ElementType::kFp16 || found == values.end()) continue;
    const auto v = static_cast<size_t>(found->second);
    const bool known = v < plan.scheme.half_exponents.size();
    const Extremes stored =
        Stored(*statistics[v], known ? plan.scheme.half_exponents[v] : std::vector<int>{});
    const auto& readers = links.consumers[v];
    const bool silenced =
        !readers.empty() && !links.is_output[v] &&
        std::all_of(readers.begin(), readers.end(), [&](int reader) {
          return operators::SilencesLargeNegatives(plan.graph.nodes[static_cast<size_t>(reader)]);
        });
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
