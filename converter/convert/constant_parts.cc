#include "converter/convert/constant_parts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "converter/calibrate/constant_part.h"
#include "converter/operators/operator.h"
#include "converter/operators/output_view.h"
#include "converter/passes/constant_part.h"
#include "converter/passes/late_passes.h"
#include "converter/passes/passes.h"
#include "converter/support/threads.h"

namespace octet::convert {
namespace {

using passes::ConstantSource;

// What is left of a value may have a constant of its own, from a layer in front of an Add.
constexpr int kMostRounds = 4;
// Nodes looked at, for each constant all of the graph: some seconds. Constants behind that stay.
constexpr int64_t kMostNodesSeen = int64_t{1} << 21;

std::vector<calibrate::GroupRanges> RangesOf(const graph::Graph& graph,
                                             const std::vector<const images::Dataset*>& datasets,
                                             const std::vector<int64_t>& samples, int threads,
                                             const std::vector<ConstantSource>& sources) {
  std::vector<calibrate::Grouped> grouped;
  grouped.reserve(sources.size());
  for (const ConstantSource& source : sources) grouped.push_back({source.value, source.groups});
  return calibrate::CollectRanges(graph, datasets, samples, threads, grouped);
}

// The number that is added to all of an output in front of its end; none where it differs from
// element to element.
std::vector<std::optional<double>> OffsetsOf(const graph::Graph& graph) {
  std::vector<std::optional<double>> offsets;
  for (const std::vector<float>& numbers : operators::ViewOutputs(graph).offsets) {
    const bool same = std::all_of(numbers.begin(), numbers.end(),
                                  [&numbers](float number) { return number == numbers[0]; });
    offsets.emplace_back();
    if (same) offsets.back() = numbers.empty() ? 0 : static_cast<double>(numbers[0]);
  }
  return offsets;
}

// Whether what is left of an output lies further from 0 than before, and outside of its own
// variation: a constant that another operand of a sum took away is one of the output now.
bool IsWorse(const std::vector<calibrate::GroupRanges>& outputs,
             const std::vector<std::optional<double>>& before,
             const std::vector<std::optional<double>>& after) {
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (!before[o] || !after[o] || !outputs[o].is_finite) continue;
    const auto low = static_cast<double>(outputs[o].ranges[0].min);
    const auto high = static_cast<double>(outputs[o].ranges[0].max);
    const double middle = (low + high) / 2, half = (high - low) / 2;
    const double rest = std::abs(middle - *after[o]);
    if (rest > half && rest > std::abs(middle - *before[o])) return true;
  }
  return false;
}

std::vector<calibrate::Grouped> Outputs(const graph::Graph& graph) {
  std::vector<calibrate::Grouped> outputs;
  for (const graph::ValueId id : graph.outputs) {
    outputs.push_back({id, graph::Shape(graph.At(id).shape->size(), 1)});
  }
  return outputs;
}

// Takes out what `ranges` show of the sources, but none that makes the graph worse. Returns how
// many.
int Take(const std::vector<ConstantSource>& sources,
         const std::vector<calibrate::GroupRanges>& ranges,
         const std::function<bool(const graph::Graph&)>& keeps, int64_t* nodes_left,
         graph::Graph* graph) {
  passes::Guidance guidance;
  guidance.keeps = keeps;
  guidance.part = [&](const ConstantSource& source) -> std::vector<float> {
    const auto at = std::find_if(sources.begin(), sources.end(), [&source](const auto& likely) {
      return likely.value == source.value;
    });
    if (at == sources.end()) return {};
    const calibrate::GroupRanges& seen = ranges[static_cast<size_t>(at - sources.begin())];
    if (!calibrate::HasConstantPart(seen)) return {};
    *nodes_left -= static_cast<int64_t>(graph->nodes.size());
    if (*nodes_left < 0) return {};
    return calibrate::ConstantPart(seen, source.own);
  };
  return passes::RunLate("take_constants", *graph, guidance);
}

int TakeInRounds(const std::vector<const images::Dataset*>& datasets, const ConvertOptions& options,
                 graph::Graph* graph) {
  if (datasets.empty()) return 0;
  const int threads = ThreadCount(options.threads);
  std::vector<int64_t> samples(static_cast<size_t>(datasets[0]->size()));
  std::iota(samples.begin(), samples.end(), int64_t{0});
  std::vector<int64_t> few = samples;
  few.resize(std::min<size_t>(few.size(), calibrate::kLeastValues));
  int taken = 0;
  int64_t nodes_left = kMostNodesSeen;
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
    const auto outputs =
        calibrate::CollectRanges(*graph, datasets, samples, threads, Outputs(*graph));
    // Constants that take each other away are taken out together, or not at all.
    const auto offsets = OffsetsOf(*graph);
    const auto keeps = [&](const graph::Graph& changed) {
      return !IsWorse(outputs, offsets, OffsetsOf(changed));
    };
    graph::Graph changed = *graph;
    int count = Take(likely, ranges, {}, &nodes_left, &changed);
    if (count > 0 && !keeps(changed)) {
      changed = *graph;
      count = Take(likely, ranges, keeps, &nodes_left, &changed);
    }
    if (count == 0) return taken;
    *graph = std::move(changed);
    taken += count;
  }
  return taken;
}

}  // namespace

int TakeConstantParts(const std::vector<const images::Dataset*>& datasets,
                      const ConvertOptions& options, graph::Graph* graph) {
  const int taken = TakeInRounds(datasets, options, graph);
  // A function with offsets has a table: what is a chain with it costs nothing to be in it.
  if (taken > 0 && passes::FindPass("merge_functions")->run(*graph) > 0) {
    operators::InferShapes(*graph);
    graph::Check(*graph, "merging functions");
  }
  return taken;
}

}  // namespace octet::convert
