#include <algorithm>
#include <limits>
#include <memory>

#include "converter/executor/executor.h"
#include "converter/recover/layer_inputs.h"
#include "converter/recover/rounded_layers.h"
#include "converter/recover/rounding.h"

namespace octet::recover {
namespace {

// Pictures that judge: their errors are sums over many rows.
constexpr size_t kMostJudges = 16;
// Pictures that fit, of layers with one position each.
constexpr int64_t kMostPicturesOfOne = 128;

// Of one layer's moments, 6,688 columns: a bound that does not know how much memory there is, so
// that codes do not either.
constexpr int64_t kMostMomentBytes = int64_t{1} << 29;

int64_t BytesOf(const LayerShape& layer) {
  return static_cast<int64_t>(RowsFor(layer) * layer.depth * layer.groups * sizeof(float)) * 5 / 4;
}
// H in float and in double.
int64_t MomentBytes(const LayerShape& layer) {
  return static_cast<int64_t>(layer.depth * layer.depth * (sizeof(float) + sizeof(double)));
}

// Null where the held-out inputs lose no less than with the nearest codes.
std::shared_ptr<const quantize::RoundedWeights> RoundLayer(
    const Candidate& candidate, const std::vector<float>& weights,
    const std::vector<LayerInputs>& fit, const std::vector<LayerInputs>& held_out) {
  const LayerShape& layer = candidate.shape;
  const size_t outputs = layer.outputs / layer.groups, size = outputs * layer.depth;
  auto rounded = std::make_shared<quantize::RoundedWeights>();
  rounded->scales = candidate.coded.scales;
  rounded->values = candidate.coded.weights.floats;
  double before = 0, after = 0;
  std::vector<float> scales(outputs);
  for (size_t g = 0; g < layer.groups; ++g) {
    const auto own = std::span(weights).subspan(g * size, size);
    const auto values = std::span(rounded->values).subspan(g * size, size);
    for (size_t o = 0; o < outputs; ++o) {
      // Of a channel without effect: no code but 0 is nearest to 0 in infinite steps.
      const float scale = rounded->scales[g * outputs + o];
      scales[o] = scale > 0 ? scale : std::numeric_limits<float>::max();
    }
    const double nearest = ErrorOf(held_out[g], own, values);
    const std::vector<int8_t> codes = RoundRows(fit[g], own, scales);
    std::vector<float> better(size);
    for (size_t at = 0; at < size; ++at) {
      const float scale = rounded->scales[g * outputs + at / layer.depth];
      better[at] = scale > 0 ? scale * static_cast<float>(codes[at]) : 0;
    }
    const double error = ErrorOf(held_out[g], own, better);
    before += nearest;
    after += std::min(error, nearest);
    if (error < nearest) std::copy(better.begin(), better.end(), values.begin());
  }
  return after < before ? rounded : nullptr;
}

}  // namespace

Step RoundWeights(const simulate::Simulator& simulator, const simulate::Samples& samples,
                  int64_t available,
                  const std::function<void(int64_t done, int64_t total)>& progress,
                  quantize::Scheme* scheme) {
  Step step("rounding of weights");
  if (!samples.CanCorrect()) return step;
  const graph::Graph& graph = simulator.topology().graph;
  const LayerSamples own = SamplesForLayers(samples, available, kMostJudges);
  std::vector<Candidate> candidates = CandidatesOf(
      simulator, *scheme, std::min(kMostPicturesOfOne, static_cast<int64_t>(own.fit.size())));
  std::erase_if(candidates, [&](const Candidate& candidate) {
    return MomentBytes(candidate.shape) > kMostMomentBytes;
  });
  const std::vector<int64_t> fitting = FittingSamples(candidates, own.fit, 1, kMostPicturesOfOne),
                             &judging = own.judge;
  if (candidates.empty() || fitting.empty() || judging.empty()) return step;
  // As many layers at a time as half of the memory holds the inputs of.
  std::vector<std::pair<size_t, size_t>> chunks;
  for (size_t first = 0; first < candidates.size();) {
    int64_t bytes = 0;
    size_t end = first;
    while (end < candidates.size() && (end == first || bytes + BytesOf(candidates[end].shape) <=
                                                           simulator.options().memory_bytes / 2)) {
      bytes += BytesOf(candidates[end++].shape);
    }
    chunks.emplace_back(first, end);
    first = end;
  }
  int64_t done = 0;
  const auto total = static_cast<int64_t>(chunks.size() * (fitting.size() + judging.size()) +
                                          2 * samples.accept.size() + 2 * samples.report.size());
  const auto tell = [&] {
    if (progress) progress(++done, total);
  };
  std::vector<quantize::Scheme> rounded(1, *scheme);
  rounded[0].weights.resize(graph.nodes.size());
  for (const auto& chunk : chunks) {
    const size_t first = chunk.first, end = chunk.second;
    std::vector<LayerShape> shapes;
    std::vector<size_t> rows, held_rows;
    for (size_t c = first; c < end; ++c) {
      shapes.push_back(candidates[c].shape);
      rows.push_back(RowsFor(candidates[c].shape));
      held_rows.push_back(rows.back() / kHeldOut);
    }
    const auto fit = CollectInputs(simulator, *scheme, shapes, rows, fitting, tell);
    const auto held_out = CollectInputs(simulator, *scheme, shapes, held_rows, judging, tell);
    const auto round = [&](int, int64_t item) {
      const auto l = static_cast<size_t>(item);
      const size_t n = shapes[l].node;
      rounded[0].weights[n] =
          RoundLayer(candidates[first + l], graph.Constant(graph.nodes[n].inputs[1])->floats,
                     fit[l], held_out[l]);
    };
    // Side by side as long as all the moments fit.
    int64_t widest = 1;
    for (const LayerShape& shape : shapes) widest = std::max(widest, MomentBytes(shape));
    const int64_t fits = std::max<int64_t>(1, simulator.options().memory_bytes / 2 / widest);
    executor::ParallelFor(static_cast<int64_t>(shapes.size()),
                          static_cast<int>(std::min<int64_t>(fits, simulator.options().threads)),
                          round);
  }
  const auto told = [&tell](int64_t, int64_t) { tell(); };
  const auto judged = simulator.Compare(*scheme, rounded, samples.accept, told);
  step.Decide(simulator, samples, judged.base, judged.variants, rounded, told, scheme);
  return step;
}

}  // namespace octet::recover
