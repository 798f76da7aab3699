// Graphs for tests, node by node.
#ifndef OCTET_TESTS_SUPPORT_GRAPH_BUILDER_H_
#define OCTET_TESTS_SUPPORT_GRAPH_BUILDER_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "converter/graph/graph.h"

namespace octet::test {

struct GraphBuilder {
  graph::Graph graph;

  // Names are x0, x1, ... for inputs, c0, c1, ... for constants (by value), and operator and index
  // for nodes and results.
  graph::ValueId Input(const graph::Shape& shape, graph::DataType type = graph::DataType::kFloat) {
    graph.inputs.push_back(
        graph.AddValue({"x" + std::to_string(graph.inputs.size()), type, shape, {}, {}}));
    return graph.inputs.back();
  }
  graph::ValueId Constant(graph::Tensor tensor) {
    return graph.AddConstant("c" + std::to_string(graph.values.size()), std::move(tensor));
  }
  graph::ValueId Op(const std::string& op, std::vector<graph::ValueId> inputs,
                    std::map<std::string, graph::Attribute> attributes = {}) {
    return Ops(op, std::move(inputs), 1, std::move(attributes))[0];
  }
  std::vector<graph::ValueId> Ops(const std::string& op, std::vector<graph::ValueId> inputs,
                                  size_t results,
                                  std::map<std::string, graph::Attribute> attributes = {}) {
    graph::Node node;
    node.op = op;
    node.name = op + std::to_string(graph.nodes.size());
    node.inputs = std::move(inputs);
    node.attributes = std::move(attributes);
    for (size_t i = 0; i < results; ++i) {
      graph::Value value;
      value.name = i == 0 ? node.name : node.name + "_" + std::to_string(i);
      node.outputs.push_back(graph.AddValue(std::move(value)));
    }
    graph.nodes.push_back(node);
    return node.outputs;
  }
};

}  // namespace octet::test

#endif  // OCTET_TESTS_SUPPORT_GRAPH_BUILDER_H_
