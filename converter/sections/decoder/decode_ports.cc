#include "converter/sections/decoder/decode_ports.h"

#include <algorithm>

#include "converter/images/image_input.h"
#include "converter/metadata/record.h"
#include "converter/operators/operator.h"

namespace octet::sections {
namespace {

using operators::Int8;

// Null for inputs and constants.
const graph::Node* MakerOf(const graph::Graph& graph, graph::ValueId value) {
  for (const graph::Node& node : graph.nodes) {
    if (std::find(node.outputs.begin(), node.outputs.end(), value) != node.outputs.end()) {
      return &node;
    }
  }
  return nullptr;
}

// Whether the numbers of an output are probabilities: an operator with the fixed scale of those
// makes them, perhaps moved behind it.
bool IsSoftmaxed(const graph::Graph& graph, graph::ValueId value) {
  const graph::Node* node = MakerOf(graph, value);
  while (node != nullptr && operators::Int8Of(*node) == Int8::kKeepsScale) {
    node = MakerOf(graph, node->inputs[0]);
  }
  return node != nullptr && operators::Int8Of(*node) == Int8::kFixedScale;
}

size_t AxisOf(const graph::Node& node, size_t rank) {
  const int64_t axis = node.Int("axis", 0);
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
}

bool Joins(const graph::Node* node) {
  return node != nullptr && operators::Int8Of(*node) == Int8::kJoins;
}

// Sizes along the axis of what is joined to the value, joins of joins taken apart.
void AddJoined(const graph::Graph& graph, graph::ValueId value, size_t axis,
               std::vector<int64_t>* sizes) {
  const graph::Shape& shape = *graph.At(value).shape;
  const graph::Node* node = MakerOf(graph, value);
  if (!Joins(node) || AxisOf(*node, shape.size()) != axis) {
    sizes->push_back(shape[axis]);
    return;
  }
  for (const graph::ValueId input : node->inputs) AddJoined(graph, input, axis, sizes);
}

}  // namespace

decode::Ports PortsOf(const graph::Graph& graph, size_t label_count) {
  decode::Ports ports;
  ports.label_count = label_count;
  const metadata::Record said = metadata::ReadRecord(graph.metadata);
  // Other exporters may name something else than the outputs' classes.
  if (said.ultralytics && said.names) {
    ports.facts.classes = static_cast<int64_t>(said.names->size());
  }
  if (said.kpt_shape) {
    ports.facts.points = said.kpt_shape->count;
    ports.facts.point_numbers = said.kpt_shape->numbers;
  }
  for (size_t i = 0; i < graph.OwnInputs(); ++i) {
    const graph::ValueId id = graph.inputs[i];
    decode::Port port{graph.At(id).name, *graph.At(id).shape};
    port.is_image = images::IsImageInput(port.shape, &port.channels_last);
    ports.inputs.push_back(port);
  }
  for (size_t o = 0; o < graph.OwnOutputs(); ++o) {
    const graph::ValueId id = graph.outputs[o];
    decode::Port port{graph.At(id).name, *graph.At(id).shape};
    port.softmaxed = IsSoftmaxed(graph, id);
    if (const graph::Node* node = MakerOf(graph, id); Joins(node)) {
      port.join_axis = AxisOf(*node, port.shape.size());
      AddJoined(graph, id, port.join_axis, &port.joined);
    }
    ports.outputs.push_back(port);
  }
  return ports;
}

}  // namespace octet::sections
