// The constants of nodes, for the exponents that their values have in FP16 (half_range.h).
#ifndef OCTET_CONVERTER_QUANTIZE_HALF_CONSTANTS_H_
#define OCTET_CONVERTER_QUANTIZE_HALF_CONSTANTS_H_

#include <algorithm>
#include <cstddef>

#include "converter/operators/weights.h"
#include "converter/quantize/half_groups.h"
#include "converter/quantize/half_range.h"

namespace octet::quantize {

// Index of a weight, its output channel and its input channel (0 where weights have none).
template <typename Visit>
void ForEachWeight(const graph::Node& node, const graph::Tensor& weights, const Visit& visit) {
  if (!operators::IsConvolution(node)) {
    for (size_t i = 0; i < weights.floats.size(); ++i) visit(i, 0, 0);
    return;
  }
  const auto outs = static_cast<size_t>(weights.shape[0]),
             ins = static_cast<size_t>(weights.shape[1]),
             group_outs = outs / static_cast<size_t>(std::max<int64_t>(1, node.Int("group", 1)));
  const size_t taps = weights.floats.size() / std::max<size_t>(1, outs * ins);
  size_t i = 0;
  for (size_t o = 0; o < outs; ++o) {
    for (size_t c = 0; c < ins; ++c) {
      for (size_t t = 0; t < taps; ++t) visit(i++, o, o / group_outs * ins + c);
    }
  }
}

// Takes the exponents of `groups` into the constants and bounds of a node. plan->graph: a copy of
// the graph of the groups.
void RewriteForHalf(const HalfGroups& groups, size_t node, HalfPlan* plan);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_HALF_CONSTANTS_H_
