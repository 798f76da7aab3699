#include "converter/operators/powers.h"

#include "converter/operators/offset_function.h"

namespace octet::operators {

Power PowerOf(const graph::Graph& graph, const graph::Node& node) {
  if (node.op == kOffsetFunction) return Power::kFunction;
  if (node.op == "Log") return Power::kLogarithm;
  if (node.op == "Sqrt") return Power::kRoot;
  if (node.op == "ReduceSumSquare") return Power::kSquare;
  if (node.op == "Mul") {
    return node.inputs[0] == node.inputs[1] ? Power::kSquare : Power::kNone;
  }
  if (node.op != "Pow") return Power::kNone;
  const graph::Tensor* power = graph.Constant(node.inputs[1]);
  if (power == nullptr || !power->IsFloat() || power->Count() != 1) return Power::kNone;
  if (power->floats[0] == 2.0f) return Power::kSquare;
  return power->floats[0] == 0.5f ? Power::kRoot : Power::kNone;
}

}  // namespace octet::operators
