// Hand-made graphs with hand-made statistics.
#ifndef OCTET_TESTS_CONVERTER_QUANTIZE_QUANTIZE_SUPPORT_H_
#define OCTET_TESTS_CONVERTER_QUANTIZE_QUANTIZE_SUPPORT_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "converter/calibrate/observation.h"
#include "converter/quantize/scheme.h"
#include "converter/support/error.h"

namespace octet::quantize {

struct Net {
  graph::Graph graph;
  std::vector<std::optional<calibrate::Statistics>> statistics;

  // A float value whose observed numbers spread evenly over [min, max].
  graph::ValueId Value(const std::string& name, float min, float max,
                       const graph::Shape& shape = {1, 4, 4, 4}) {
    std::vector<float> seen(2001);
    for (size_t i = 0; i < seen.size(); ++i) {
      seen[i] = min + (max - min) * static_cast<float>(i) / 2000;
    }
    return Seen(name, seen, shape);
  }
  graph::ValueId Seen(const std::string& name, const std::vector<float>& seen,
                      const graph::Shape& shape = {1, 4, 4, 4}) {
    const graph::ValueId id = graph.AddValue({name, graph::DataType::kFloat, shape, {}, {}});
    calibrate::Observation observation;
    observation.Add(seen);
    statistics.resize(graph.values.size());
    statistics[static_cast<size_t>(id)] = observation.Finish();
    return id;
  }
  graph::ValueId Input(const std::string& name, float min, float max) {
    graph.inputs.push_back(Value(name, min, max));
    return graph.inputs.back();
  }
  graph::ValueId Constant(const graph::Shape& shape, float value) {
    const graph::ValueId id = graph.AddConstant(
        "c" + std::to_string(graph.values.size()),
        graph::Tensor::Floats(
            shape, std::vector<float>(static_cast<size_t>(graph::ElementCount(shape)), value)));
    statistics.resize(graph.values.size());
    return id;
  }
  graph::Node& Op(const std::string& op, std::vector<graph::ValueId> inputs, graph::ValueId out) {
    graph::Node node;
    node.name = op + "_" + graph.At(out).name;
    node.op = op;
    node.inputs = std::move(inputs);
    node.outputs = {out};
    graph.nodes.push_back(node);
    return graph.nodes.back();
  }
  // 1x1 convolution.
  graph::Node& Conv(graph::ValueId in, graph::ValueId out) {
    return Op("Conv", {in, Constant({4, 4, 1, 1}, 0.5f)}, out);
  }
  void Output(graph::ValueId id) { graph.outputs.push_back(id); }

  Scheme Assign(const Config& config = MinMax()) { return AssignScheme(graph, statistics, config); }
  static Config MinMax() {
    Config config;
    config.method = calibrate::Method::kMinMax;
    return config;
  }
};

inline const TensorScheme& At(const Scheme& scheme, graph::ValueId id) {
  return scheme.tensors.at(static_cast<size_t>(id)).value();
}

template <typename F>
std::string Refusal(F&& call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace octet::quantize

#endif  // OCTET_TESTS_CONVERTER_QUANTIZE_QUANTIZE_SUPPORT_H_
