// Graphs of one node of a newer operator, lifted and run.
#ifndef OCTET_TESTS_CONVERTER_OPERATORS_NEWER_SUPPORT_H_
#define OCTET_TESTS_CONVERTER_OPERATORS_NEWER_SUPPORT_H_

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "converter/executor/executor.h"
#include "converter/operators/newer/lift_new.h"
#include "tests/converter/operators/operator_support.h"

namespace octet::operators {

struct NewerInput {
  std::optional<Tensor> tensor;  // nullopt: omitted
  bool live = false;             // an input of the graph, else a constant
};
inline NewerInput Live(Tensor tensor) {
  return {std::move(tensor), true};
}
inline NewerInput Fixed(Tensor tensor) {
  return {std::move(tensor), false};
}
inline NewerInput Omitted() {
  return {};
}

// Evenly spread over [low, high); the same for the same seed.
inline Tensor Random(const Shape& shape, unsigned seed, float low = -1, float high = 1) {
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<size_t>(graph::ElementCount(shape)));
  for (float& value : values) {
    value = low + (high - low) * static_cast<float>(random() >> 8) / 16777216.0f;
  }
  return F(shape, std::move(values));
}

// Outputs of the graph that the node becomes. Throws UserError where it is refused.
inline std::vector<Tensor> RunLifted(const std::string& op, const std::vector<NewerInput>& inputs,
                                     const Attributes& attributes = {}, size_t outputs = 1) {
  Inputs all;
  for (const NewerInput& input : inputs) all.push_back(input.tensor);
  graph::Graph graph = OneNode(op, all, attributes, outputs);
  std::vector<Tensor> samples;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].live) continue;
    const Tensor& tensor = *inputs[i].tensor;
    const graph::ValueId id =
        graph.AddValue({"x" + std::to_string(i), tensor.type, tensor.shape, {}, {}});
    graph.nodes[0].inputs[i] = id;
    graph.inputs.push_back(id);
    samples.push_back(tensor);
  }
  graph.outputs = graph.nodes[0].outputs;
  LiftNewForms(graph);
  for (const graph::Node& node : graph.nodes) EXPECT_NE(node.op, op);
  InferShapes(graph);
  return executor::Executor(graph).Run(samples);
}

}  // namespace octet::operators

#endif  // OCTET_TESTS_CONVERTER_OPERATORS_NEWER_SUPPORT_H_
