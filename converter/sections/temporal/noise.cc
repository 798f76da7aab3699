#include "converter/sections/temporal/noise.h"

#include <algorithm>
#include <cmath>

#include "converter/simulate/store.h"

namespace octet::sections {
namespace {

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

std::vector<NoiseFigure> MeasureNoise(const simulate::Simulator& simulator,
                                      const quantize::Scheme& scheme,
                                      const std::vector<int64_t>& samples) {
  const graph::Graph& graph = simulator.topology().graph;
  std::vector<NoiseFigure> figures(graph.values.size());
  // What every value was in the picture before.
  simulate::Store before(simulator.options().memory_bytes);
  simulator.Watch(scheme, samples, [&](const simulate::Simulator::Shown& shown) {
    const auto v = static_cast<size_t>(shown.id);
    if (!scheme.tensors[v] || graph.values[v].type != graph::DataType::kFloat) return;
    NoiseFigure& figure = figures[v];
    for (size_t i = 0; i < shown.exact.size(); ++i) {
      const double exact = shown.exact[i], error = exact - static_cast<double>(shown.after[i]);
      figure.signal += exact * exact;
      figure.error += error * error;
    }
    if (before.Has(shown.id)) {
      AddChange(shown.after, before.Take(shown.id).floats, *scheme.tensors[v], &figure);
    }
    if (samples.size() > 1) {
      before.Put(shown.id, graph::Tensor::Floats(*graph.values[v].shape, shown.after));
    }
  });
  return figures;
}

}  // namespace octet::sections
