// Models with codes in them, and what stands in their graphs.
#ifndef OCTET_TESTS_CONVERTER_IMPORT_CODES_SUPPORT_H_
#define OCTET_TESTS_CONVERTER_IMPORT_CODES_SUPPORT_H_

#include <string>
#include <vector>

#include "converter/operators/operator.h"
#include "tests/converter/import/import_support.h"

namespace octet::import {

using graph::Graph;
using graph::Node;
using Floats = std::vector<float>;
using Integers = std::vector<int64_t>;

class CodesTest : public ImportTest {
 protected:
  // Scale s = 0.5 and zero point z = 3, t = 0.25 and u = 7; codes q of x.
  static void Quantized(OnnxBuilder& model, const Dims& shape = {1, 2, 4, 4}) {
    model.Input("x", shape);
    model.Initializer("s", {}, Floats{0.5f});
    model.Initializer("t", {}, Floats{0.25f});
    Codes(model, "z", {}, kUint8, {3});
    Codes(model, "u", {}, kUint8, {7});
    model.Node("QuantizeLinear", {"x", "s", "z"}, {}, {"q"});
  }
  // The graph with its types known, which proves that no operator computes on codes.
  Graph Import(const OnnxBuilder& model) {
    Graph graph = ImportTest::Import(model);
    operators::InferShapes(graph);
    return graph;
  }
  static std::string Ops(const Graph& graph) {
    std::string ops;
    for (const Node& node : graph.nodes) ops += (ops.empty() ? "" : " ") + node.op;
    return ops;
  }
  static const Node& Find(const Graph& graph, const std::string& op) {
    for (const Node& node : graph.nodes) {
      if (node.op == op) return node;
    }
    ADD_FAILURE() << "no node " << op;
    return graph.nodes[0];
  }
  static const Node& Producer(const Graph& graph, graph::ValueId id) {
    return graph.nodes[static_cast<size_t>(graph.Producer(id))];
  }
  static const graph::Tensor& Constant(const Graph& graph, const Node& node, size_t input) {
    return *graph.Constant(node.inputs.at(input));
  }
};

}  // namespace octet::import

#endif  // OCTET_TESTS_CONVERTER_IMPORT_CODES_SUPPORT_H_
