#include "converter/convert/constant_parts.h"

#include <algorithm>

#include "converter/calibrate/constant_part.h"
#include "converter/operators/operator.h"
#include "converter/passes/constant_part.h"
#include "converter/support/threads.h"

namespace octet::convert {
namespace {

using passes::ConstantSource;

// What is left of a value may have a constant of its own, from a layer in front of an Add.
constexpr int kMostRounds = 4;

std::vector<calibrate::GroupRanges> RangesOf(const graph::Graph& graph,
                                             const std::vector<const images::Dataset*>& datasets,
                                             const std::vector<int64_t>& samples, int threads,
                                             const std::vector<ConstantSource>& sources) {
  std::vector<calibrate::Grouped> grouped;
  grouped.reserve(sources.size());
  for (const ConstantSource& source : sources) grouped.push_back({source.value, source.groups});
  return calibrate::CollectRanges(graph, datasets, samples, threads, grouped);
}

bool IsSource(graph::Graph& graph, const ConstantSource& wanted) {
  const std::vector<ConstantSource> sources = passes::FindConstantSources(graph);
  return std::any_of(sources.begin(), sources.end(), [&wanted](const ConstantSource& source) {
    return source.value == wanted.value && source.groups == wanted.groups &&
           source.own == wanted.own;
  });
}

}  // namespace

int TakeConstantParts(const std::vector<const images::Dataset*>& datasets,
                      const ConvertOptions& options, graph::Graph* graph) {
  if (datasets.empty()) return 0;
  const int threads = ThreadCount(options.threads);
  const std::vector<int64_t> samples =
      calibrate::PickSamples(datasets[0]->size(), options.samples, options.seed);
  std::vector<int64_t> few = samples;
  few.resize(std::min<size_t>(few.size(), calibrate::kLeastValues));
  int taken = 0;
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<ConstantSource> sources = passes::FindConstantSources(*graph);
    if (sources.empty()) return taken;
    // Of fewer values both ends lie inside of what all have: the middle moves by the variation at
    // most.
    const auto first = RangesOf(*graph, datasets, few, threads, sources);
    std::vector<ConstantSource> likely;
    for (size_t i = 0; i < sources.size(); ++i) {
      if (calibrate::HasConstantPart(first[i], 1)) {
        likely.push_back(std::move(sources[i]));
      }
    }
    if (likely.empty()) return taken;
    const auto ranges = RangesOf(*graph, datasets, samples, threads, likely);
    bool any = false;
    for (size_t i = 0; i < likely.size(); ++i) {
      if (!calibrate::HasConstantPart(ranges[i])) continue;
      // Values keep their meaning, but one taken out before may have come out here.
      if (any && !IsSource(*graph, likely[i])) continue;
      passes::TakeConstant(*graph, likely[i], calibrate::ConstantPart(ranges[i], likely[i].own));
      operators::InferShapes(*graph);
      graph::Check(*graph, "taking constants out");
      any = true;
      ++taken;
    }
    if (!any) return taken;
  }
  return taken;
}

}  // namespace octet::convert
