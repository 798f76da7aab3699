#include "converter/import/quantized_types.h"

#include <limits>

#include "converter/import/codes.h"
#include "converter/import/node_inputs.h"
#include "converter/import/tensor.h"
#include "converter/operators/context.h"
#include "converter/operators/meaning.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

using graph::DataType;
using graph::Graph;
using graph::kNoValue;
using graph::Node;
using graph::Tensor;

DataType TypeOf(const Node& node, int64_t code) {
  const bool is_number = code > 0 && code <= std::numeric_limits<int>::max();
  const auto type = is_number ? operators::TypeOfCode(code) : std::nullopt;
  if (type && IsCodeType(*type)) return *type;
  Fail(
      "node '{}' (QuantizeLinear): codes of type {} (output_dtype) are not supported; quantize to "
      "int8 or uint8 in the model, or export the float model",
      node.name, is_number ? ElementName(static_cast<int>(code)) : std::to_string(code));
}

void Settle(Graph& graph, Node& node) {
  const int64_t code = node.Int("output_dtype", 0);
  if (code == 0) return;
  const DataType type = TypeOf(node, code);
  if (const Tensor* zero_point = graph.Constant(Input(node, 2))) {
    if (zero_point->type == type) return;
    Fail(
        "node '{}' (QuantizeLinear): output_dtype is {}, its zero point is {}; export the model "
        "again",
        node.name, graph::Name(type), graph::Name(zero_point->type));
  }
  const Tensor* scale = graph.Constant(Input(node, 1));
  if (Input(node, 2) != kNoValue || scale == nullptr) return;
  const graph::Shape shape = scale->shape;
  std::vector<int64_t> zeros(static_cast<size_t>(graph::ElementCount(shape)));
  SetInput(node, 2,
           graph.AddConstant(node.name + "/zero_point",
                             Tensor::Integers(shape, std::move(zeros), type)));
}

}  // namespace

void SettleQuantizedTypes(Graph& graph) {
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (operators::RoundsToCodes(graph.nodes[n].op)) Settle(graph, graph.nodes[n]);
  }
}

}  // namespace octet::import
