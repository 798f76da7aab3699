#include "converter/recover/noise.h"

#include <algorithm>
#include <cmath>

#include "converter/recover/lockstep.h"

namespace octet::recover {
namespace {

constexpr int64_t kPictures = 8;
constexpr int64_t kMostBytes = int64_t{1} << 30;  // of pictures side by side; one always goes

void AddChange(const std::vector<float>& now, const std::vector<float>& before,
               const quantize::TensorScheme& scheme, NoiseFigure* figure) {
  const size_t plane = scheme.channels.empty() ? now.size() : now.size() / scheme.channels.size();
  for (size_t i = 0; i < now.size(); ++i) {
    const double step = scheme.channels.empty() ? scheme.scale : scheme.channels[i / plane].scale;
    figure->change += std::fabs(static_cast<double>(now[i]) - before[i]) / step;
  }
  figure->changes += static_cast<int64_t>(now.size());
}

}  // namespace

double NoiseFigure::Sigma() const {
  return signal > 0 ? std::sqrt(error / signal) : 0;
}

double NoiseFigure::MeanChange() const {
  return changes > 0 ? change / static_cast<double>(changes) : 0;
}

std::vector<NoiseFigure> MeasureNoise(const graph::Graph& graph,
                                      const std::vector<const images::Dataset*>& inputs,
                                      const quantize::Scheme& scheme, int threads) {
  std::vector<NoiseFigure> figures(graph.values.size());
  const int64_t available = inputs.empty() ? 0 : inputs[0]->size();
  const int64_t fits =
      std::max<int64_t>(1, kMostBytes / std::max<int64_t>(1, BytesOfPicture(graph)));
  const int64_t count = std::min({available, kPictures, fits});
  if (count == 0) return figures;
  quantize::Scheme simulated = scheme;
  simulated.bias_correction.resize(graph.nodes.size());
  Lockstep lockstep(graph, simulated, threads);
  for (int64_t i = 0; i < count; ++i) lockstep.Add(inputs, i * available / count);
  // A node shows all pictures before the next node comes, each with all its outputs.
  std::vector<std::vector<float>> before(graph.values.size());
  std::vector<int64_t> shown_pictures(graph.values.size());
  lockstep.Watch([&](const Lockstep::Shown& shown) {
    const auto v = static_cast<size_t>(shown.id);
    if (!scheme.tensors[v] || graph.values[v].type != graph::DataType::kFloat) return;
    NoiseFigure& figure = figures[v];
    for (size_t i = 0; i < shown.exact.size(); ++i) {
      const double exact = shown.exact[i], error = exact - static_cast<double>(shown.after[i]);
      figure.signal += exact * exact;
      figure.error += error * error;
    }
    if (!before[v].empty()) AddChange(shown.after, before[v], *scheme.tensors[v], &figure);
    if (++shown_pictures[v] == count) {
      before[v] = {};
    } else {
      before[v] = shown.after;
    }
  });
  std::vector<Figure> unused;
  lockstep.Run([] {}, &unused);
  return figures;
}

}  // namespace octet::recover
