#include "converter/passes/channel_sets.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "converter/operators/weights.h"

namespace octet::passes {

using graph::Tensor;
using graph::ValueId;

int64_t ChannelsOf(const graph::Value& value) {
  if (value.type != graph::DataType::kFloat || value.shape->size() < 2) return 0;
  return (*value.shape)[1];
}

bool IsComputed(const graph::Graph& graph, ValueId id) {
  return id != graph::kNoValue && graph.Constant(id) == nullptr;
}

std::optional<ChannelLayer> AsChannelLayer(const graph::Graph& graph, size_t n) {
  const graph::Node& node = graph.nodes[n];
  const auto weights = operators::WeightsOf(graph, node);
  const bool has_bias = node.inputs.size() > 2 && node.inputs[2] != graph::kNoValue;
  if (!weights || !IsComputed(graph, node.inputs[0]) || weights->axis != 0 ||
      graph.At(node.inputs[1]).constant.codes() != nullptr ||
      (has_bias && graph.At(node.inputs[2]).constant.codes() != nullptr)) {
    return std::nullopt;
  }
  const Tensor* bias = has_bias ? graph.Constant(node.inputs[2]) : nullptr;
  if (has_bias && (bias == nullptr || bias->Count() != weights->outputs)) return std::nullopt;
  const graph::Shape& shape = weights->tensor->shape;
  const int64_t groups = node.Int("group", 1);
  const bool matrix = !operators::IsConvolution(node);
  if (matrix && (shape.size() != 2 || node.Float("alpha", 1) != 1 || node.Float("beta", 1) != 1 ||
                 node.Int("transA", 0) != 0)) {
    return std::nullopt;
  }
  if (ChannelsOf(graph.At(node.inputs[0])) != shape[1] * groups ||
      ChannelsOf(graph.At(node.outputs[0])) != shape[0]) {
    return std::nullopt;
  }
  ChannelLayer layer;
  layer.node = n;
  layer.outputs = static_cast<size_t>(shape[0]);
  layer.depth = static_cast<size_t>(shape[1]);
  layer.taps = weights->tensor->floats.size() / (layer.outputs * layer.depth);
  layer.group_outputs = layer.outputs / static_cast<size_t>(groups);
  return layer;
}

bool IsByChannel(const graph::Graph& graph, const graph::Node& node, size_t input) {
  const Tensor* constant = graph.Constant(node.inputs[input]);
  if (constant == nullptr || !constant->IsFloat()) return false;
  const graph::Shape& result = *graph.At(node.outputs[0]).shape;
  const size_t rank = constant->shape.size();
  // Axis 1 of the result.
  if (result.size() < 2 || rank + 1 < result.size() || rank > result.size()) return false;
  const size_t axis = rank == result.size() ? 1 : 0;
  return constant->shape[axis] == result[1] && constant->Count() == result[1];
}

bool IsChannelFlatten(const graph::Graph& graph, const graph::Node& node) {
  if (node.op != "Reshape" && node.op != "Flatten") return false;
  const auto &from = graph.At(node.inputs[0]).shape, &to = graph.At(node.outputs[0]).shape;
  return from && to && to->size() == 2 && from->size() == 4 && (*to)[0] == (*from)[0] &&
         (*to)[1] == (*from)[1];
}

void SetConstant(graph::Graph& graph, size_t node, size_t input, graph::Constant constant) {
  const graph::Value& old = graph.At(graph.nodes[node].inputs[input]);
  constant.RequireCodesOf(old.constant, old.name);
  graph::Shape shape = constant->shape;
  const ValueId id =
      graph.AddConstant(old.name + "/" + graph.nodes[node].name, std::move(constant));
  graph.At(id).shape = std::move(shape);
  graph.nodes[node].inputs[input] = id;
}

ChannelSets::ChannelSets(const graph::Graph& graph)
    : graph_(graph), parent_(graph.values.size()), pinned_(graph.values.size()) {
  std::iota(parent_.begin(), parent_.end(), size_t{0});
  for (ValueId id : graph.inputs) Pin(id);
  for (ValueId id : graph.outputs) Pin(id);
}

size_t ChannelSets::Root(ValueId id) {
  auto v = static_cast<size_t>(id);
  while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
  return v;
}

void ChannelSets::Pin(ValueId id) {
  if (id != graph::kNoValue) pinned_[Root(id)] = true;
}

void ChannelSets::PinAll(const graph::Node& node) {
  for (const auto* ids : {&node.inputs, &node.outputs}) {
    for (ValueId id : *ids) Pin(id);
  }
}

void ChannelSets::Unite(ValueId a, ValueId b) {
  const size_t x = Root(a), y = Root(b);
  const bool fits = ChannelsOf(graph_.values[x]) == ChannelsOf(graph_.values[y]);
  const size_t leader = std::min(x, y), other = std::max(x, y);
  parent_[other] = leader;
  pinned_[leader] = pinned_[leader] || pinned_[other] || !fits;
}

void ChannelSets::Tie(ValueId a, ValueId b) {
  const auto rank = [&](ValueId id) { return graph_.At(id).shape->size(); };
  if (rank(a) != rank(b)) {
    Pin(a);
    Pin(b);
  }
  Unite(a, b);
}

}  // namespace octet::passes
