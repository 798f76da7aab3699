#include "bench/models/to_blob.h"

#include <map>

#include "converter/graph/graph.h"
#include "converter/lower/lower.h"
#include "converter/lower/winograd.h"
#include "converter/lower/winograd_f16.h"
#include "converter/operators/operator.h"
#include "converter/passes/passes.h"
#include "converter/plan/plan.h"
#include "converter/quantize/scheme.h"
#include "converter/write/write.h"

namespace octet::bench {
namespace {

using graph::ValueId;

class GraphMaker {
 public:
  explicit GraphMaker(const Network& network) : network_(network) {
    graph_.name = network.name;
    graph_.opsets[""] = 13;
  }

  graph::Graph Make() {
    const Value& input = network_.input();
    graph::Value first{input.name, graph::DataType::kFloat,
                       graph::Shape{1, input.channels, input.height, input.width}};
    ids_[0] = graph_.AddValue(first);
    graph_.inputs = {ids_[0]};
    for (const Step& step : network_.steps) Append(step);
    graph_.outputs = {ids_[network_.steps.back().output]};
    return std::move(graph_);
  }

 private:
  ValueId Node(const std::string& op, std::vector<ValueId> inputs, const std::string& output,
               std::map<std::string, graph::Attribute> attributes = {}) {
    graph::Node node;
    node.name = op + "_of_" + output;
    node.op = op;
    node.inputs = std::move(inputs);
    node.outputs = {graph_.AddValue({output, graph::DataType::kFloat, std::nullopt})};
    node.attributes = std::move(attributes);
    graph_.nodes.push_back(node);
    return node.outputs[0];
  }

  ValueId Weights(const Step& step, const std::string& name, graph::Shape shape) {
    const size_t outputs = step.scales.size(), fan_in = step.weights.size() / outputs;
    std::vector<float> values(step.weights.size());
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = step.scales[i / fan_in] * static_cast<float>(step.weights[i]);
    }
    return graph_.AddConstant(name, graph::Tensor::Floats(std::move(shape), std::move(values)));
  }

  static std::map<std::string, graph::Attribute> Window(const Step& step) {
    const std::vector<int64_t> pads(step.pads.begin(), step.pads.end());
    return {{"kernel_shape", std::vector<int64_t>{step.kernel_h, step.kernel_w}},
            {"strides", std::vector<int64_t>{step.stride, step.stride}},
            {"pads", pads}};
  }

  void Append(const Step& step) {
    const Value& out = network_.values[static_cast<size_t>(step.output)];
    const ValueId x = ids_[step.input];
    const bool active = step.activation != Activation::kNone;
    const std::string name = active ? out.name + "_before" : out.name;
    ValueId y = graph::kNoValue;
    const auto bias = [&] {
      return graph_.AddConstant(out.name + "_bias",
                                graph::Tensor::Floats({out.channels}, step.bias));
    };
    switch (step.kind) {
      case StepKind::kConv: {
        const int64_t in = network_.values[static_cast<size_t>(step.input)].channels;
        auto attributes = Window(step);
        attributes["group"] = step.groups;
        y = Node("Conv",
                 {x,
                  Weights(step, out.name + "_weights",
                          {out.channels, in / step.groups, step.kernel_h, step.kernel_w}),
                  bias()},
                 name, attributes);
        break;
      }
      case StepKind::kAdd:
        y = Node("Add", {x, ids_[step.other]}, name);
        break;
      case StepKind::kMaxPool:
        y = Node("MaxPool", {x}, name, Window(step));
        break;
      case StepKind::kGlobalAveragePool:
        y = Node("GlobalAveragePool", {x}, name);
        break;
      case StepKind::kGemm: {
        const int64_t fan_in = static_cast<int64_t>(step.weights.size()) / out.channels;
        const ValueId flat = Node("Flatten", {x}, out.name + "_flat", {{"axis", int64_t{1}}});
        y = Node("Gemm",
                 {flat, Weights(step, out.name + "_weights", {out.channels, fan_in}), bias()}, name,
                 {{"transB", int64_t{1}}});
        break;
      }
    }
    if (step.activation == Activation::kRelu) y = Node("Relu", {y}, out.name);
    if (step.activation == Activation::kRelu6) {
      const ValueId low = graph_.AddConstant(out.name + "_low", graph::Tensor::Floats({}, {0.0f}));
      const ValueId high =
          graph_.AddConstant(out.name + "_high", graph::Tensor::Floats({}, {6.0f}));
      y = Node("Clip", {y, low, high}, out.name);
    }
    ids_[step.output] = y;
  }

  const Network& network_;
  graph::Graph graph_;
  std::map<int, ValueId> ids_;  // by value of the network
};

// Every value of the canonical graph at the range the network states for it.
quantize::Scheme MakeScheme(const Network& network, const graph::Graph& graph) {
  std::map<std::string, const Value*> stated;
  for (const Value& value : network.values) stated[value.name] = &value;
  for (const Step& step : network.steps) {
    if (step.kind != StepKind::kGemm) continue;
    const std::string& name = network.values[static_cast<size_t>(step.output)].name;
    stated[name + "_flat"] = &network.values[static_cast<size_t>(step.input)];
  }
  std::vector<std::optional<calibrate::Statistics>> statistics(graph.values.size());
  quantize::Config config;
  config.int8_everywhere = true;
  for (size_t id = 0; id < graph.values.size(); ++id) {
    const auto found = stated.find(graph.values[id].name);
    if (graph.values[id].constant != nullptr || found == stated.end()) continue;
    calibrate::Statistics& seen = statistics[id].emplace();
    seen.min = found->second->min;
    seen.max = found->second->max;
    quantize::TensorOverride entry;
    entry.name = graph.values[id].name;
    entry.min = seen.min;
    entry.max = seen.max;
    config.tensors.push_back(entry);
  }
  return quantize::AssignScheme(graph, statistics, config);
}

write::Plan MakePlan(const graph::Graph& graph, const quantize::Scheme& scheme, PlanId id,
                     bool winograd) {
  write::Plan plan;
  plan.program = lower::Lower(graph, scheme, id);
  plan::DropDead(&plan.program);
  if (winograd) {
    lower::AddTransformedWeights(&plan.program);
    lower::TransformHalves(&plan.program);
  }
  plan.memory = plan::PlanMemory(plan.program);
  return plan;
}

}  // namespace

std::vector<uint8_t> MakeBlob(const Network& network, bool winograd) {
  graph::Graph graph = GraphMaker(network).Make();
  operators::InferShapes(graph);
  passes::Canonicalise(graph, nullptr);
  const quantize::Scheme int8 = MakeScheme(network, graph);
  quantize::Scheme fp16 = int8;
  fp16.precision.assign(graph.nodes.size(), blob::Precision::kFp16);
  write::ModelInfo info;
  info.name = network.name;
  const graph::Value& input = graph.At(graph.inputs[0]);
  const graph::Value& output = graph.At(graph.outputs[0]);
  info.inputs.push_back({input.name, *input.shape, false});
  info.outputs.push_back({output.name, *output.shape, false});
  return write::WriteBlob(info, {MakePlan(graph, int8, PlanId::kInt8, winograd),
                                 MakePlan(graph, fp16, PlanId::kFp16, winograd)});
}

}  // namespace octet::bench
