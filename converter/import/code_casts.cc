#include "converter/import/code_casts.h"

#include "converter/import/codes.h"
#include "converter/operators/context.h"
#include "converter/support/error.h"

namespace octet::import {

using graph::DataType;
using graph::Node;
using graph::ValueId;

bool MayBeFraction(const graph::Graph& graph, const graph::Links& links, ValueId id) {
  for (;;) {
    const int producer = links.producer[static_cast<size_t>(id)];
    if (producer < 0) return graph.At(id).type == DataType::kFloat;
    const Node& node = graph.nodes[static_cast<size_t>(producer)];
    if (node.op == "Round" || node.op == "Floor" || node.op == "Ceil") return false;
    if (node.op == "Cast") return operators::TypeOfCode(node.Int("to", 1)) == DataType::kFloat;
    if (node.op != "Clip" && node.op != "Max" && node.op != "Min") {
      return RuleOf(node) != OnCodes::kCompares;
    }
    id = node.inputs[0];
  }
}

ValueId Truncated(CodeNodes& nodes, const std::string& name, ValueId real, DataType to) {
  const ValueId floor = nodes.AddedInFp16(name + "_floor", "Floor", {real});
  if (to == DataType::kUInt8 || to == DataType::kUInt16) return floor;
  const ValueId ceil = nodes.AddedInFp16(name + "_ceil", "Ceil", {real});
  const ValueId below = nodes.Added(name + "_below", "Less", {real, nodes.Scalar(name + "_0", 0)});
  return nodes.AddedInFp16(name + "_truncated", "Where", {below, ceil, floor});
}

ValueId Wrapped(CodeNodes& nodes, const std::string& name, ValueId codes, DataType from,
                DataType to) {
  if (from == to) return codes;
  const bool bytes = from == DataType::kInt8 || from == DataType::kUInt8;
  if (bytes != (to == DataType::kInt8 || to == DataType::kUInt8)) {
    Fail(
        "node '{0}' (Cast): converts {2} codes to {1}, which is not supported; quantize to {1} in "
        "the model",
        name, graph::Name(to), graph::Name(from));
  }
  const bool to_signed = to == DataType::kInt8 || to == DataType::kInt16;
  const float turn = bytes ? 256 : 65536;
  const ValueId end = nodes.Scalar(name + "_end", to_signed ? turn / 2 - 0.5f : -0.5f);
  const ValueId beyond =
      nodes.Added(name + "_beyond", to_signed ? "Greater" : "Less", {codes, end});
  const ValueId step = nodes.Scalar(name + "_turn", to_signed ? -turn : turn);
  const ValueId moved = nodes.Added(name + "_turned", "Add", {codes, step});
  // Of those that are beyond, the codes of `to` hold every one.
  const CodeScheme counting = nodes.Counting(to);
  const ValueId kept =
      nodes.Added(name + "_turned_codes", "QuantizeLinear", CodeNodes::With(moved, counting));
  const ValueId turned =
      nodes.Added(name + "_turned_real", "DequantizeLinear", CodeNodes::With(kept, counting));
  return nodes.Added(name + "_wrapped", "Where", {beyond, turned, codes});
}

}  // namespace octet::import
