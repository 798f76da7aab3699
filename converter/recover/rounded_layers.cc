#include "converter/recover/rounded_layers.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace octet::recover {
namespace {

// The moments of a layer's inputs have depth^2 / 2 numbers to learn, each row tells `depth` of
// them; and noise has to be averaged out. Small layers have enough of few pictures. Layers that
// never get as many rows keep their codes: in directions that the data did not show, others would
// be off by more.
constexpr size_t kRowsPerColumn = 2, kFewestRows = 1024;
// Pictures that fit: enough for layers of many positions.
constexpr int64_t kFewestPictures = 16;

// Calibration samples that neither accept nor report.
std::vector<int64_t> FreeSamples(const simulate::Samples& samples, int64_t available) {
  std::vector<bool> taken(static_cast<size_t>(available));
  for (const auto* others : {&samples.accept, &samples.report}) {
    for (const int64_t sample : *others) taken[static_cast<size_t>(sample)] = true;
  }
  std::vector<int64_t> free;
  for (int64_t i = 0; i < available; ++i) {
    if (!taken[static_cast<size_t>(i)]) free.push_back(i);
  }
  return free;
}

}  // namespace

size_t RowsFor(const LayerShape& layer) {
  return std::max(kFewestRows, kRowsPerColumn * layer.depth);
}

std::vector<Candidate> CandidatesOf(const simulate::Simulator& simulator,
                                    const quantize::Scheme& scheme, int64_t pictures) {
  const simulate::Topology& topology = simulator.topology();
  const lower::WeightCoder coder(topology.graph, scheme);
  std::vector<Candidate> candidates;
  for (size_t n = 0; n < topology.graph.nodes.size(); ++n) {
    const graph::Node& node = topology.graph.nodes[n];
    if (!topology.view.needed[n] || scheme.precision[n] != blob::Precision::kInt8) continue;
    const auto shape = ShapeOfLayer(topology.graph, n);
    if (!shape || topology.graph.At(node.inputs[1]).constant.codes() != nullptr ||
        pictures * shape->positions < static_cast<int64_t>(kRowsPerColumn * shape->depth)) {
      continue;
    }
    if (auto coded = coder.Of(n)) candidates.push_back({*shape, std::move(*coded)});
  }
  return candidates;
}

LayerSamples SamplesForLayers(const simulate::Samples& samples, int64_t available,
                              size_t most_judges) {
  LayerSamples own;
  size_t index = 0;
  for (const int64_t sample : FreeSamples(samples, available)) {
    const bool judges = index++ % kHeldOut == kHeldOut / 2;
    if (judges && own.judge.size() >= most_judges) continue;
    (judges ? own.judge : own.fit).push_back(sample);
  }
  return own;
}

std::vector<int64_t> FittingSamples(const std::vector<Candidate>& candidates,
                                    const std::vector<int64_t>& free, size_t rows_share,
                                    int64_t most) {
  int64_t wanted = kFewestPictures;
  for (const Candidate& candidate : candidates) {
    const auto rows = static_cast<int64_t>(rows_share * RowsFor(candidate.shape));
    wanted = std::max(wanted, (rows + candidate.shape.positions - 1) / candidate.shape.positions);
  }
  return Spread(free, std::min(wanted, most));
}

std::vector<int64_t> Spread(const std::vector<int64_t>& samples, int64_t most) {
  const auto size = static_cast<int64_t>(samples.size());
  const int64_t count = std::min(most, size);
  std::vector<int64_t> picked;
  for (int64_t i = 0; i < count; ++i) {
    picked.push_back(samples[static_cast<size_t>(i * size / count)]);
  }
  return picked;
}

}  // namespace octet::recover
