// Fully connected layers most of whose weights are exactly 0, as pruning leaves them. Nothing is
// done about them: their kernels multiply by zeros as by anything else, at the same speed. It is
// said, for their owner can have a smaller layer for the same answers.
#ifndef OCTET_CONVERTER_QUANTIZE_SPARSE_WEIGHTS_H_
#define OCTET_CONVERTER_QUANTIZE_SPARSE_WEIGHTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/graph/graph.h"

namespace octet::quantize {

// From this share of zeros on, in percent. Below it what remains would not be half as much to store
// as values with their places: 8 bits for each, and 16 for where it stands.
inline constexpr int64_t kSparsePercent = 80;

struct SparseLayer {
  std::string name, op;
  int64_t weights = 0, zeros = 0;
  double Share() const { return static_cast<double>(zeros) / static_cast<double>(weights); }
};

// Gemm and MatMul with constant weights, in the order of the graph.
std::vector<SparseLayer> FindSparse(const graph::Graph& graph);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_SPARSE_WEIGHTS_H_
