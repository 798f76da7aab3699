#include "converter/judge/real_ports.h"

#include <optional>
#include <utility>
#include <vector>

#include "converter/operators/meaning.h"

namespace octet::judge {
namespace {

using graph::ValueId;

bool IsCodes(const graph::Value& value) {
  return value.type == graph::DataType::kInt8 || value.type == graph::DataType::kUInt8;
}

// Scale and zero point of a node that rounds to codes or reads them.
struct Steps {
  ValueId scale = graph::kNoValue, zero_point = graph::kNoValue;
  bool operator==(const Steps& other) const = default;
};

Steps StepsOf(const graph::Node& node) {
  return {node.inputs[1], node.inputs.size() > 2 ? node.inputs[2] : graph::kNoValue};
}

bool IsOneScale(const graph::Graph& graph, const Steps& steps) {
  const graph::Tensor* scale = graph.Constant(steps.scale);
  return scale != nullptr && scale->floats.size() == 1;
}

graph::Node NodeOf(const char* op, const std::string& name, ValueId in, const Steps& steps,
                   ValueId out) {
  graph::Node node;
  node.op = op;
  node.name = name;
  node.inputs = {in, steps.scale};
  if (steps.zero_point != graph::kNoValue) node.inputs.push_back(steps.zero_point);
  node.outputs = {out};
  return node;
}

class Ports {
 public:
  explicit Ports(graph::Graph graph) : graph_(std::move(graph)), links_(graph_) {}

  graph::Graph Make() {
    for (ValueId& input : graph_.inputs) MakeInput(&input);
    for (ValueId& output : graph_.outputs) MakeOutput(&output);
    graph_.SortTopologically();
    return std::move(graph_);
  }

 private:
  // A float value with the name of `codes`, which get another.
  ValueId RealOf(ValueId codes) {
    graph::Value real;
    real.name = graph_.At(codes).name;
    real.shape = graph_.At(codes).shape;
    graph_.At(codes).name += "/codes";
    return graph_.AddValue(std::move(real));
  }

  void MakeInput(ValueId* input) {
    const ValueId codes = *input;
    if (!IsCodes(graph_.At(codes))) return;
    const std::optional<Steps> steps = StepsOfReaders(codes);
    if (!steps || !IsOneScale(graph_, *steps)) return;
    *input = RealOf(codes);
    graph_.nodes.push_back(
        NodeOf(operators::kRoundToCodes, graph_.At(codes).name, *input, *steps, codes));
  }

  // Of all that read the codes, behind what only moves them; nothing where they differ, or somebody
  // takes them for numbers.
  std::optional<Steps> StepsOfReaders(ValueId codes) const {
    std::optional<Steps> steps;
    std::vector<ValueId> left{codes};
    while (!left.empty()) {
      const ValueId at = left.back();
      left.pop_back();
      if (links_.is_output[static_cast<size_t>(at)]) return std::nullopt;
      for (const int reader : links_.consumers[static_cast<size_t>(at)]) {
        const graph::Node& node = graph_.nodes[static_cast<size_t>(reader)];
        if (node.inputs[0] != at) return std::nullopt;
        if (operators::ReadsCodes(node.op)) {
          if (steps && *steps != StepsOf(node)) return std::nullopt;
          steps = StepsOf(node);
          continue;
        }
        for (const ValueId out : node.outputs) {
          if (graph_.At(out).type != graph_.At(codes).type) return std::nullopt;
          left.push_back(out);
        }
      }
    }
    return steps;
  }

  void MakeOutput(ValueId* output) {
    const ValueId codes = *output;
    if (!IsCodes(graph_.At(codes))) return;
    // Behind what only moves codes.
    ValueId at = codes;
    int producer = links_.producer[static_cast<size_t>(at)];
    while (producer >= 0) {
      const graph::Node& node = graph_.nodes[static_cast<size_t>(producer)];
      if (operators::RoundsToCodes(node.op)) break;
      at = node.inputs.empty() ? graph::kNoValue : node.inputs[0];
      if (at == graph::kNoValue || graph_.At(at).type != graph_.At(codes).type) return;
      producer = links_.producer[static_cast<size_t>(at)];
    }
    if (producer < 0 || graph_.nodes[static_cast<size_t>(producer)].inputs.size() < 2) return;
    const Steps steps = StepsOf(graph_.nodes[static_cast<size_t>(producer)]);
    if (!IsOneScale(graph_, steps)) return;
    *output = RealOf(codes);
    graph_.nodes.push_back(
        NodeOf(operators::kReadCodes, graph_.At(codes).name, codes, steps, *output));
  }

  graph::Graph graph_;
  graph::Links links_;
};

}  // namespace

graph::Graph WithRealPorts(graph::Graph imported) {
  return Ports(std::move(imported)).Make();
}

}  // namespace octet::judge
