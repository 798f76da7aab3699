#include "converter/operators/reading.h"

#include "converter/operators/operator.h"

namespace octet::operators {
namespace {

const Reads& Of(const graph::Node& node) {
  const Operator* op = Find(node.op);
  return op == nullptr ? reads::kAll : op->reads;
}

}  // namespace

Reading ReadingOf(const graph::Node& node, size_t input) {
  const Reads& reads = Of(node);
  const Reading reading = input == 0 ? reads.first : input == 1 ? reads.second : reads.others;
  if (reading == Reading::kMaximum && node.Int("largest", 1) == 0) return Reading::kAll;
  const bool carries = reading >= Reading::kPasses;
  return carries && !node.activation.empty() ? Reading::kAll : reading;
}

bool IsBeside(const graph::Node& node, size_t input) {
  return Of(node).beside == static_cast<int>(input);
}

bool MakesMinusInfinity(const graph::Node& node) {
  return Of(node).makes_minus_infinity;
}

}  // namespace octet::operators
