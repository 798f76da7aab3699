#include "converter/quantize/sparse_weights.h"

#include <algorithm>

#include "converter/operators/weights.h"

namespace octet::quantize {

std::vector<SparseLayer> FindSparse(const graph::Graph& graph) {
  std::vector<SparseLayer> found;
  for (const graph::Node& node : graph.nodes) {
    if (!operators::IsContraction(node) || operators::IsConvolution(node)) continue;
    const auto weights = operators::WeightsOf(graph, node);
    if (!weights) continue;
    const std::vector<float>& values = weights->tensor->floats;
    SparseLayer layer{node.name, node.op, static_cast<int64_t>(values.size()),
                      std::count(values.begin(), values.end(), 0.0f)};
    if (layer.weights > 0 && 100 * layer.zeros >= kSparsePercent * layer.weights) {
      found.push_back(layer);
    }
  }
  return found;
}

}  // namespace octet::quantize
