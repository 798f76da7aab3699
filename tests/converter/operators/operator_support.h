// One-node graphs for the tests of operators.
#ifndef OCTET_TESTS_CONVERTER_OPERATORS_OPERATOR_SUPPORT_H_
#define OCTET_TESTS_CONVERTER_OPERATORS_OPERATOR_SUPPORT_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "converter/graph/graph.h"
#include "converter/operators/operator.h"
#include "converter/support/error.h"

namespace octet::operators {

using graph::Shape;
using graph::Tensor;
using Inputs = std::vector<std::optional<Tensor>>;  // nullopt: omitted
using Attributes = std::map<std::string, graph::Attribute>;

inline Tensor F(Shape shape, std::vector<float> values) {
  return Tensor::Floats(std::move(shape), std::move(values));
}
inline Tensor I(std::vector<int64_t> values) {
  const auto count = static_cast<int64_t>(values.size());
  return Tensor::Integers({count}, std::move(values));
}
// 0, 1, 2, ...
inline Tensor Ramp(Shape shape) {
  std::vector<float> values(static_cast<size_t>(graph::ElementCount(shape)));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return F(std::move(shape), std::move(values));
}
inline Tensor Ones(Shape shape) {
  const auto count = static_cast<size_t>(graph::ElementCount(shape));
  return F(std::move(shape), std::vector<float>(count, 1.0f));
}

// A graph of one node named "n" whose inputs are all constants.
inline graph::Graph OneNode(const std::string& op, const Inputs& inputs,
                            const Attributes& attributes = {}, size_t outputs = 1) {
  graph::Graph graph;
  graph::Node node;
  node.name = "n";
  node.op = op;
  node.attributes = attributes;
  for (const auto& input : inputs) {
    node.inputs.push_back(input ? graph.AddConstant("i", *input) : graph::kNoValue);
  }
  for (size_t i = 0; i < outputs; ++i) {
    graph::Value value;
    value.name = "o" + std::to_string(i);
    node.outputs.push_back(graph.AddValue(std::move(value)));
  }
  graph.nodes.push_back(node);
  // Shapes of constants are set by inference; Evaluate alone needs them as well.
  for (graph::Value& value : graph.values) {
    if (value.constant == nullptr) continue;
    value.type = value.constant->type;
    value.shape = value.constant->shape;
  }
  return graph;
}

inline std::vector<Tensor> ApplyAll(const std::string& op, const Inputs& inputs,
                                    const Attributes& attributes = {}, size_t outputs = 1) {
  const graph::Graph graph = OneNode(op, inputs, attributes, outputs);
  return Evaluate(graph, graph.nodes[0]);
}

inline Tensor Apply(const std::string& op, const Inputs& inputs,
                    const Attributes& attributes = {}) {
  return ApplyAll(op, inputs, attributes)[0];
}

inline void ExpectFloats(const Tensor& tensor, const Shape& shape, const std::vector<float>& values,
                         float tolerance = 1e-5f) {
  EXPECT_EQ(tensor.shape, shape);
  ASSERT_EQ(tensor.floats.size(), values.size());
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(tensor.floats[i], values[i], tolerance) << i;
}

inline void ExpectIntegers(const Tensor& tensor, const Shape& shape,
                           const std::vector<int64_t>& values) {
  EXPECT_EQ(tensor.shape, shape);
  EXPECT_EQ(tensor.integers, values);
}

// The refusal is one line that names node and operator and holds `part`.
inline void ExpectRefused(const std::string& part, const std::string& op, const Inputs& inputs,
                          const Attributes& attributes = {}, size_t outputs = 1) {
  graph::Graph graph = OneNode(op, inputs, attributes, outputs);
  try {
    InferShapes(graph);
    ADD_FAILURE() << op << " was accepted; expected a refusal with '" << part << "'";
  } catch (const UserError& error) {
    const std::string line = error.what();
    EXPECT_NE(line.find("node 'n' (" + op + ")"), std::string::npos) << line;
    EXPECT_NE(line.find(part), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  }
}

inline graph::Attribute Ints(std::vector<int64_t> values) {
  return values;
}
inline graph::Attribute Int(int64_t value) {
  return value;
}
inline graph::Attribute Text(std::string value) {
  return value;
}
inline graph::Attribute Real(float value) {
  return value;
}

}  // namespace octet::operators

#endif  // OCTET_TESTS_CONVERTER_OPERATORS_OPERATOR_SUPPORT_H_
