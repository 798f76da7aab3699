#include "converter/quantize/sparse_weights.h"

#include <algorithm>

namespace octet::quantize {

std::vector<SparseLayer> FindSparse(const graph::Graph& graph) {
  std::vector<SparseLayer> found;
  for (const graph::Node& node : graph.nodes) {
    if (node.op != "Gemm" && node.op != "MatMul") continue;
    // A third input is the bias.
    for (size_t i = 0; i < std::min<size_t>(2, node.inputs.size()); ++i) {
      const graph::Tensor* weights = graph.Constant(node.inputs[i]);
      if (weights == nullptr || weights->floats.empty()) continue;
      SparseLayer layer{node.name, node.op, static_cast<int64_t>(weights->floats.size()),
                        std::count(weights->floats.begin(), weights->floats.end(), 0.0f)};
      if (100 * layer.zeros >= kSparsePercent * layer.weights) found.push_back(layer);
    }
  }
  return found;
}

}  // namespace octet::quantize
