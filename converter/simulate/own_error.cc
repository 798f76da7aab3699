#include "converter/simulate/own_error.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "converter/executor/executor.h"

namespace octet::simulate {
namespace {

using graph::Tensor;
using graph::ValueId;

Figure FigureOf(const Tensor& exact, const Tensor& rounded) {
  Figure figure;
  for (size_t i = 0; i < exact.floats.size(); ++i) {
    const auto x = static_cast<double>(exact.floats[i]), off = x - rounded.floats[i];
    figure.signal += x * x;
    figure.error += off * off;
  }
  return figure;
}

// One picture, exactly; every layer once more from inputs rounded to 8 bits.
std::vector<Figure> OfPicture(const Topology& topology, const Steps& steps,
                              std::vector<Tensor> inputs, operators::Workspace& workspace) {
  const graph::Graph& graph = topology.graph;
  std::vector<std::optional<Tensor>> exact(graph.values.size()), read(graph.values.size());
  for (size_t i = 0; i < inputs.size(); ++i) exact[At(graph.inputs[i])] = std::move(inputs[i]);
  const Source source = [&](ValueId id) -> const Tensor& { return *exact[At(id)]; };
  const Source rounded_source = [&](ValueId id) -> const Tensor& {
    std::optional<Tensor>& value = read[At(id)];
    if (!value) {
      value = exact[At(id)];
      if (const quantize::TensorScheme* scheme = steps.SchemeOf(id)) Round(*scheme, true, &*value);
    }
    return *value;
  };
  std::vector<Figure> figures(graph.nodes.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!topology.view.needed[n]) continue;
    const graph::Node& node = graph.nodes[n];
    std::vector<Tensor> results = RunExact(topology, n, source, workspace);
    if (steps.HasWeights(n)) {
      std::vector<Tensor> rounded = steps.Sums(n, rounded_source, false, true, workspace);
      steps.Finish(n, &rounded);
      steps.Round(n, true, &rounded);
      figures[n] = FigureOf(results[0], rounded[0]);
    }
    for (size_t i = 0; i < results.size(); ++i) {
      if (node.outputs[i] != graph::kNoValue) exact[At(node.outputs[i])] = std::move(results[i]);
    }
    for (const auto* ids : {&node.inputs, &node.outputs}) {
      for (ValueId id : graph::Present(*ids)) {
        if (topology.last_use[At(id)] != static_cast<int64_t>(n)) continue;
        exact[At(id)].reset();
        read[At(id)].reset();
      }
    }
  }
  return figures;
}

}  // namespace

std::vector<Figure> OwnErrors(const Simulator& simulator, const quantize::Scheme& scheme,
                              const std::vector<int64_t>& samples) {
  const Topology& topology = simulator.topology();
  const Steps steps(topology, scheme);
  const int threads = std::max(1, simulator.options().threads);
  std::vector<operators::Workspace> workspaces(static_cast<size_t>(threads));
  std::vector<std::vector<Figure>> pictures(samples.size());
  executor::ParallelFor(
      static_cast<int64_t>(samples.size()), threads, [&](int thread, int64_t item) {
        const auto picture = static_cast<size_t>(item);
        std::vector<Tensor> inputs;
        for (const auto* input : simulator.inputs())
          inputs.push_back(input->Load(samples[picture]));
        pictures[picture] =
            OfPicture(topology, steps, std::move(inputs), workspaces[static_cast<size_t>(thread)]);
      });
  std::vector<Figure> sums(topology.graph.nodes.size());
  for (const auto& picture : pictures) {
    for (size_t n = 0; n < sums.size(); ++n) sums[n].Add(picture[n]);
  }
  return sums;
}

}  // namespace octet::simulate
