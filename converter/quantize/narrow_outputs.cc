#include "converter/quantize/narrow_outputs.h"

#include "converter/operators/operator.h"
#include "converter/operators/output_view.h"
#include "converter/quantize/ranges.h"

namespace octet::quantize {

std::vector<bool> NarrowOutputs(
    const graph::Graph& graph,
    const std::vector<std::optional<calibrate::Statistics>>& statistics) {
  const operators::OutputView view = operators::ViewOutputs(graph);
  std::vector<bool> narrow(graph.nodes.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const graph::Node& node = graph.nodes[n];
    if (!view.needed[n] || operators::Int8Of(node) != operators::Int8::kFixedScale) continue;
    const auto id = static_cast<size_t>(node.outputs[0]);
    const std::optional<calibrate::Statistics>& seen = statistics[id];
    // A model with codes says in which it leaves.
    if (!view.is_piece[id] || !seen || graph.values[id].given != nullptr) continue;
    constexpr float kSteps = 255;
    const float step = ProbabilityRange(seen).max / kSteps;
    // One probability for all is no variation that 8 bits could lose.
    narrow[n] = seen->max > seen->min && seen->max - seen->min < kLeastCodesOfProbabilities * step;
  }
  return narrow;
}

}  // namespace octet::quantize
