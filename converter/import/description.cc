#include "converter/import/description.h"

#include <set>

#include <fmt/format.h>

#include "converter/import/input_shapes.h"
#include "converter/import/model_file.h"
#include "converter/import/tensor.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

DescribedPort PortOf(const onnx::ValueInfoProto& value) {
  DescribedPort port{value.name(), "", DeclaredShape(value)};
  const onnx::TypeProto& type = value.type();
  port.type = type.has_tensor_type()     ? ElementName(type.tensor_type().elem_type())
              : type.has_sequence_type() ? "sequence"
              : type.has_map_type()      ? "map"
              : type.has_optional_type() ? "optional"
                                         : "unknown";
  if (!port.shape) return port;
  for (const auto& dim : type.tensor_type().shape().dim()) port.symbols.push_back(dim.dim_param());
  return port;
}

// Of the nodes, and of the branches among their attributes; protobuf has bounded their depth.
template <typename Nodes>
void Count(const Nodes& nodes, std::map<std::string, int64_t>* operators) {
  for (const onnx::NodeProto& node : nodes) {
    const bool standard = node.domain().empty() || node.domain() == "ai.onnx";
    ++(*operators)[standard ? node.op_type() : node.domain() + "." + node.op_type()];
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) Count(attribute.g().node(), operators);
      for (const onnx::GraphProto& graph : attribute.graphs()) Count(graph.node(), operators);
    }
  }
}

}  // namespace

metadata::Properties PropertiesOf(const onnx::ModelProto& model) {
  metadata::Properties properties;
  for (const auto& entry : model.metadata_props()) properties[entry.key()] = entry.value();
  return properties;
}

Description Describe(const std::filesystem::path& path) {
  std::unique_ptr<onnx::ModelProto> model;
  try {
    model = ReadModelFile(path);
  } catch (const UserError& error) {
    FailIn(path, error);
  }
  Description description;
  description.ir_version = model->ir_version();
  for (const onnx::OperatorSetIdProto& set : model->opset_import()) {
    description.opsets[set.domain().empty() ? "ai.onnx" : set.domain()] = set.version();
  }
  description.producer = model->producer_name();
  if (!model->producer_version().empty()) description.producer += " " + model->producer_version();
  description.metadata = PropertiesOf(*model);
  std::set<std::string> initialisers;
  for (const onnx::TensorProto& tensor : model->graph().initializer()) {
    initialisers.insert(tensor.name());
  }
  for (const onnx::ValueInfoProto& input : model->graph().input()) {
    if (initialisers.count(input.name()) == 0) description.inputs.push_back(PortOf(input));
  }
  for (const onnx::ValueInfoProto& output : model->graph().output()) {
    description.outputs.push_back(PortOf(output));
  }
  Count(model->graph().node(), &description.operators);
  for (const onnx::FunctionProto& function : model->functions()) {
    Count(function.node(), &description.operators);
  }
  return description;
}

}  // namespace octet::import
