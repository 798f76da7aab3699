#include "converter/import/zero_scales.h"

#include <string>
#include <vector>

#include "converter/import/codes.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

using graph::Graph;
using graph::kNoValue;
using graph::Links;
using graph::Node;
using graph::Tensor;
using graph::ValueId;

bool HasScaleZero(const Graph& graph, const Node& node) {
  if (node.inputs.size() < 2 || node.outputs.empty()) return false;
  const Tensor* scale = graph.Constant(node.inputs[1]);
  return scale != nullptr && scale->IsFloat() && scale->Count() == 1 && scale->floats[0] == 0;
}

// Whether all that codes of scale 0 reach, through operators that move them, dequantizes with 0.
bool OnlyGivesZero(const Graph& graph, const Links& links, ValueId codes) {
  std::vector<ValueId> next{codes};
  std::vector<bool> seen(graph.values.size());
  while (!next.empty()) {
    const ValueId id = next.back();
    next.pop_back();
    if (links.is_output[static_cast<size_t>(id)]) return false;
    for (const int reader : links.consumers[static_cast<size_t>(id)]) {
      const Node& node = graph.nodes[static_cast<size_t>(reader)];
      if (node.op == "DequantizeLinear") {
        if (!HasScaleZero(graph, node)) return false;
        continue;
      }
      if (!GivesCodes(RuleOf(node))) return false;
      for (const ValueId out : node.outputs) {
        if (seen[static_cast<size_t>(out)]) continue;
        seen[static_cast<size_t>(out)] = true;
        next.push_back(out);
      }
    }
  }
  return true;
}

}  // namespace

void RemoveZeroScales(Graph& graph) {
  const Links links(graph);
  const size_t count = graph.nodes.size();
  std::vector<size_t> quantizing, dequantizing;
  for (size_t n = 0; n < count; ++n) {
    const Node& node = graph.nodes[n];
    if (node.op == "QuantizeLinear" && HasScaleZero(graph, node)) quantizing.push_back(n);
    if (node.op != "DequantizeLinear" || !HasScaleZero(graph, node)) continue;
    if (graph.Constant(node.inputs[0]) == nullptr) dequantizing.push_back(n);
  }
  if (quantizing.empty() && dequantizing.empty()) return;
  for (const size_t n : quantizing) {
    const Node& node = graph.nodes[n];
    if (OnlyGivesZero(graph, links, node.outputs[0])) continue;
    Fail(
        "node '{}' (QuantizeLinear): its scale is 0, but its codes are not only dequantized with "
        "0; quantize '{}' with a scale above 0",
        node.name, graph.At(node.inputs[0]).name);
  }
  const ValueId one = graph.AddConstant("octet_scale_one", Tensor::Floats({}, {1}));
  const ValueId zero = graph.AddConstant("octet_zero", Tensor::Floats({}, {0}));
  for (const size_t n : dequantizing) {
    const ValueId codes = graph.nodes[n].inputs[0];
    const int producer = links.producer[static_cast<size_t>(codes)];
    const Node* quantize = producer < 0 ? nullptr : &graph.nodes[static_cast<size_t>(producer)];
    ValueId real = kNoValue;
    if (quantize != nullptr && quantize->op == "QuantizeLinear") {
      real = quantize->inputs[0];
    } else {
      Node dequantize = graph.nodes[n];
      dequantize.name += "/codes";
      dequantize.inputs[1] = one;
      graph::Value value;
      value.name = dequantize.name;
      real = graph.AddValue(std::move(value));
      dequantize.outputs = {real};
      graph.nodes.push_back(std::move(dequantize));
    }
    Node& product = graph.nodes[n];
    product.op = "Mul";
    product.since_opset = 13;
    product.attributes.clear();
    product.inputs = {real, zero};
  }
  std::vector<bool> dead(graph.nodes.size());
  for (const size_t n : quantizing) {
    dead[n] = true;
    for (const int reader : links.consumers[static_cast<size_t>(graph.nodes[n].outputs[0])]) {
      const std::string& op = graph.nodes[static_cast<size_t>(reader)].op;
      if (op != "Mul") dead[n] = false;
    }
    if (!dead[n]) graph.nodes[n].inputs[1] = one;
  }
  graph.RemoveNodes(dead);
}

}  // namespace octet::import
