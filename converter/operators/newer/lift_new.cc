#include "converter/operators/newer/lift_new.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "converter/operators/newer/parts.h"
#include "converter/operators/operator.h"
#include "converter/support/error.h"

namespace octet::operators {
namespace {

struct NewForm {
  std::string_view op;
  void (*lift)(Parts&);
};

constexpr NewForm kNewForms[] = {
    {"AffineGrid", LiftAffineGrid},
    {"Attention", LiftAttention},
    {"BlackmanWindow", LiftBlackmanWindow},
    {"CenterCropPad", LiftCenterCropPad},
    {"Col2Im", LiftCol2Im},
    {"DFT", LiftDft},
    {"DeformConv", LiftDeformConv},
    {"HammingWindow", LiftHammingWindow},
    {"HannWindow", LiftHannWindow},
    {"MelWeightMatrix", LiftMelWeightMatrix},
    {"RotaryEmbedding", LiftRotaryEmbedding},
    {"STFT", LiftStft},
    {"Swish", LiftSwish},
    {"TensorScatter", LiftTensorScatter},
};

const NewForm* FindNewForm(const Node& node) {
  if (!node.domain.empty()) return nullptr;
  for (const NewForm& form : kNewForms) {
    if (form.op == node.op) return &form;
  }
  return nullptr;
}

}  // namespace

ValueId Parts::Required(size_t index) const {
  if (!HasInput(index)) Refuse(fmt::format("input {} is missing; export the model again", index));
  return node_.inputs[index];
}

const Shape& Parts::ShapeOf(ValueId id) const {
  const auto& shape = graph_.At(id).shape;
  if (!shape) {
    Refuse(
        fmt::format("the shape of '{}' is not known at conversion; export the model with fixed "
                    "shapes",
                    graph_.At(id).name));
  }
  return *shape;
}

std::vector<int64_t> Parts::KnownIntegers(ValueId id, const char* what) const {
  const Tensor* tensor = Constant(id);
  if (tensor == nullptr || tensor->IsFloat()) {
    Refuse(
        fmt::format("{} ('{}') is not known at conversion; export the model with fixed shapes, "
                    "or give it with --bind",
                    what, graph_.At(id).name));
  }
  return tensor->integers;
}

ValueId Parts::Add(const std::string& op, std::vector<ValueId> inputs, Attributes attributes) {
  Node node;
  node.name = fmt::format("{}/{}_{}", node_.name, op, ++count_);
  node.op = op;
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  graph::Value value;
  value.name = node.name;
  node.outputs = {graph_.AddValue(std::move(value))};
  InferNode(graph_, node);
  nodes_->push_back(node);
  return node.outputs[0];
}

ValueId Parts::Floats(Tensor tensor) {
  return graph_.AddConstant(fmt::format("{}/number_{}", node_.name, ++count_), std::move(tensor));
}

ValueId Parts::Integers(const std::vector<int64_t>& values) {
  return graph_.AddConstant(fmt::format("{}/integers_{}", node_.name, ++count_),
                            Tensor::Integers({static_cast<int64_t>(values.size())}, values));
}

ValueId Parts::Reshape(ValueId id, const Shape& shape) {
  return ShapeOf(id) == shape ? id : Add("Reshape", {id, Integers(shape)});
}

ValueId Parts::Transpose(ValueId id, const std::vector<int64_t>& perm) {
  return Add("Transpose", {id}, {{"perm", perm}});
}

ValueId Parts::Slice(ValueId id, int64_t axis, int64_t start, int64_t end, int64_t step) {
  return Add("Slice", {id, Integers({start}), Integers({end}), Integers({axis}), Integers({step})});
}

void Parts::Give(size_t index, ValueId value) {
  if (index >= node_.outputs.size()) return;
  Node node;
  node.name = index == 0 ? node_.name : fmt::format("{}/output_{}", node_.name, index);
  node.op = "Identity";
  node.inputs = {value};
  node.outputs = {node_.outputs[index]};
  InferNode(graph_, node);
  nodes_->push_back(std::move(node));
}

void Parts::Refuse(const std::string& why) const {
  Fail("node '{}' ({}): {}", node_.name, node_.op, why);
}

void LiftNewForms(graph::Graph& graph) {
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(),
                   [](const Node& node) { return FindNewForm(node) != nullptr; })) {
    return;
  }
  std::vector<Node> old = std::move(graph.nodes), nodes;
  for (Node& node : old) {
    const NewForm* form = FindNewForm(node);
    if (form != nullptr) {
      Parts parts(graph, std::move(node), &nodes);
      form->lift(parts);
      continue;
    }
    // What is not supported is refused later, all of it at once.
    if (Find(node.op) != nullptr &&
        std::all_of(node.inputs.begin(), node.inputs.end(), [&graph](ValueId id) {
          return id == kNoValue || graph.At(id).shape.has_value();
        })) {
      InferNode(graph, node);
    }
    nodes.push_back(std::move(node));
  }
  graph.nodes = std::move(nodes);
}

}  // namespace octet::operators
