#include "converter/import/lift_old.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converter/import/node_inputs.h"
#include "converter/operators/operator.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

using graph::Graph;
using graph::kNoValue;
using graph::Node;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;

bool IsOneOf(std::string_view op, std::initializer_list<std::string_view> operators) {
  return std::find(operators.begin(), operators.end(), op) != operators.end();
}

bool HasInput(const Node& node, size_t index) {
  return index < node.inputs.size() && node.inputs[index] != kNoValue;
}

ValueId Integers(Graph& graph, const std::string& name, const std::vector<int64_t>& values) {
  return graph.AddConstant(name, Tensor::Integers({static_cast<int64_t>(values.size())}, values));
}

bool BroadcastsByAxis(const Node& node) {
  if (!HasInput(node, 0) || !HasInput(node, 1)) return false;
  return node.since_opset < 7 && node.Int("broadcast", 0) != 0 && node.Has("axis") &&
         IsOneOf(node.op, {"Add", "Sub", "Mul", "Div", "Pow", "And", "Or", "Xor", "Greater", "Less",
                           "Equal"});
}

bool TilesOneAxis(const Node& node) {
  return node.op == "Tile" && node.since_opset < 6 && node.inputs.size() == 3 && HasInput(node, 0);
}

// Shapes of the results of the nodes before `end`, as far as they can be told.
class Shapes {
 public:
  explicit Shapes(Graph& graph) : graph_(graph) {}

  // The known shape of a value that one of the first `end` nodes computes.
  const Shape& Of(ValueId id, size_t end, const Node& asking) {
    for (; inferred_ < end; ++inferred_) {
      const Node& node = graph_.nodes[inferred_];
      if (operators::Find(node.op) == nullptr) break;
      operators::InferNode(graph_, node);
    }
    const auto& shape = graph_.At(id).shape;
    if (!shape) {
      Fail(
          "node '{}' ({}): counts an axis of '{}' from the left (opset {}), but the shape is "
          "unknown; export the model with opset 13",
          asking.name, asking.op, graph_.At(id).name, asking.since_opset);
    }
    return *shape;
  }

 private:
  Graph& graph_;
  size_t inferred_ = 0;
};

// B [b0, b1] at axis 1 of A [a0, a1, a2, a3] is B [b0, b1, 1].
void BroadcastFromRight(Graph& graph, size_t n, Shapes& shapes, std::vector<Node>& added) {
  Node& node = graph.nodes[n];
  const Shape a = shapes.Of(node.inputs[0], n, node), b = shapes.Of(node.inputs[1], n, node);
  const auto rank = static_cast<int64_t>(a.size()), own = static_cast<int64_t>(b.size());
  int64_t axis = node.Int("axis", rank - own);
  if (axis < 0) axis += rank;
  const int64_t behind = rank - axis - own;
  if (axis < 0 || behind < 0) {
    Fail("node '{}' ({}): axis {} does not fit shapes {} and {}; export the model again", node.name,
         node.op, node.Int("axis", 0), graph::ToString(a), graph::ToString(b));
  }
  if (behind > 0) {
    Shape target = b;
    target.resize(b.size() + static_cast<size_t>(behind), 1);
    Node reshape;
    reshape.name = node.name + "/aligned";
    reshape.op = "Reshape";
    reshape.since_opset = 13;
    reshape.inputs = {node.inputs[1], Integers(graph, node.name + "/aligned_shape", target)};
    graph::Value value;
    value.name = reshape.name;
    value.type = graph.At(node.inputs[1]).type;
    value.shape = target;
    reshape.outputs = {graph.AddValue(std::move(value))};
    graph.nodes[n].inputs[1] = reshape.outputs[0];
    added.push_back(std::move(reshape));
  }
}

// Inputs x, tiles, axis: so many times along one axis.
void TileAllAxes(Graph& graph, size_t n, Shapes& shapes) {
  Node& node = graph.nodes[n];
  const Tensor* tiles = graph.Constant(node.inputs[1]);
  const Tensor* axis = graph.Constant(node.inputs[2]);
  if (tiles == nullptr || axis == nullptr || tiles->Count() != 1 || axis->Count() != 1) {
    Fail("node '{}' (Tile): the repeats are not constant; export the model again", node.name);
  }
  const auto whole = [](const Tensor& t) {
    return t.IsFloat() ? static_cast<int64_t>(t.floats[0]) : t.integers[0];
  };
  const size_t rank = shapes.Of(node.inputs[0], n, node).size();
  std::vector<int64_t> repeats(rank, 1);
  const int64_t at = whole(*axis);
  if (at < 0 || at >= static_cast<int64_t>(rank)) {
    Fail("node '{}' (Tile): axis {} of {} dimensions; export the model again", node.name, at, rank);
  }
  repeats[static_cast<size_t>(at)] = whole(*tiles);
  const ValueId input = Integers(graph, node.name + ".repeats", repeats);
  graph.nodes[n].inputs = {graph.nodes[n].inputs[0], input};
}

int64_t TypeNumber(const Node& node, std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  constexpr std::pair<std::string_view, int64_t> kNumbers[] = {
      {"FLOAT", 1}, {"UINT8", 2}, {"INT8", 3},     {"UINT16", 4},  {"INT16", 5},   {"INT32", 6},
      {"INT64", 7}, {"BOOL", 9},  {"FLOAT16", 10}, {"DOUBLE", 11}, {"UINT32", 12}, {"UINT64", 13}};
  for (const auto& [known, number] : kNumbers) {
    if (name == known) return number;
  }
  Fail(
      "node '{}' (Cast): attribute 'to' is '{}'; Octet reads FLOAT, FLOAT16, DOUBLE, BOOL, INT8 to "
      "INT64 and UINT8 to UINT64; export the model with one of these types",
      node.name, name);
}

void Upsample(Graph& graph, Node& node) {
  if (!node.Has("height_scale") && !node.Has("width_scale")) return;
  const std::vector<float> scales{1, 1, node.Float("height_scale", 1),
                                  node.Float("width_scale", 1)};
  node.attributes.erase("height_scale");
  node.attributes.erase("width_scale");
  SetInput(node, 1, graph.AddConstant(node.name + ".scales", Tensor::Floats({4}, scales)));
}

// What needs no shapes.
void Lift(Graph& graph, Node& node) {
  node.attributes.erase("consumed_inputs");
  node.attributes.erase("is_test");
  if (node.op == "Cast" && node.Has("to") &&
      std::holds_alternative<std::string>(node.attributes["to"])) {
    node.attributes["to"] = TypeNumber(node, node.String("to", ""));
  } else if (node.op == "Concat" && !node.Has("axis")) {
    node.attributes["axis"] = int64_t{1};
  } else if (node.op == "Pad" && node.Has("paddings")) {
    node.attributes["pads"] = node.Ints("paddings");
    node.attributes.erase("paddings");
  } else if (node.op == "Reshape" && node.Has("shape") && !HasInput(node, 1)) {
    SetInput(node, 1, Integers(graph, node.name + ".shape", node.Ints("shape")));
    node.attributes.erase("shape");
  } else if (node.op == "TopK" && node.Has("k") && !HasInput(node, 1)) {
    SetInput(node, 1, Integers(graph, node.name + ".k", {node.Int("k", 1)}));
    node.attributes.erase("k");
  } else if (node.op == "Upsample") {
    Upsample(graph, node);
  } else if (node.op == "Scatter") {
    node.op = "ScatterElements";
  }
}

}  // namespace

void LiftOldForms(Graph& graph) {
  for (Node& node : graph.nodes) Lift(graph, node);
  Shapes shapes(graph);
  std::vector<Node> added;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (BroadcastsByAxis(graph.nodes[n])) BroadcastFromRight(graph, n, shapes, added);
    if (TilesOneAxis(graph.nodes[n])) TileAllAxes(graph, n, shapes);
    Node& node = graph.nodes[n];
    if (node.since_opset < 7 && node.Has("broadcast")) {
      node.attributes.erase("broadcast");
      if (node.op != "Gemm") node.attributes.erase("axis");
    }
  }
  if (added.empty()) return;
  for (Node& node : added) graph.nodes.push_back(std::move(node));
  graph.SortTopologically();
}

}  // namespace octet::import
