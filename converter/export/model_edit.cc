#include "converter/export/model_edit.h"

#include <algorithm>
#include <string>
#include <utility>

#include "converter/import/external_data.h"
#include "converter/import/model_file.h"
#include "converter/support/error.h"
#include "ports/linux/output/output_file.h"

namespace octet::exporting {
namespace {

// 0 for a type that no model we read keeps beside it.
uint64_t ElementBytes(int type) {
  switch (type) {
    case onnx::TensorProto_DataType_FLOAT:
    case onnx::TensorProto_DataType_INT32:
    case onnx::TensorProto_DataType_UINT32:
      return 4;
    case onnx::TensorProto_DataType_DOUBLE:
    case onnx::TensorProto_DataType_INT64:
    case onnx::TensorProto_DataType_UINT64:
      return 8;
    case onnx::TensorProto_DataType_FLOAT16:
    case onnx::TensorProto_DataType_BFLOAT16:
    case onnx::TensorProto_DataType_INT16:
    case onnx::TensorProto_DataType_UINT16:
      return 2;
    case onnx::TensorProto_DataType_INT8:
    case onnx::TensorProto_DataType_UINT8:
    case onnx::TensorProto_DataType_BOOL:
      return 1;
    default:
      return 0;
  }
}

void TakeIn(const std::filesystem::path& folder, onnx::TensorProto* tensor) {
  if (tensor->data_location() != onnx::TensorProto_DataLocation_EXTERNAL) return;
  uint64_t bytes = ElementBytes(tensor->data_type());
  for (const int64_t dim : tensor->dims()) bytes *= static_cast<uint64_t>(dim);
  tensor->set_raw_data(
      import::ReadExternalData(*tensor, "initialiser '" + tensor->name() + "'", folder, bytes));
  tensor->clear_external_data();
  tensor->clear_data_location();
}

}  // namespace

onnx::ModelProto ReadWhole(const std::filesystem::path& path) {
  onnx::ModelProto model = std::move(*import::ReadModelFile(path));
  for (onnx::TensorProto& tensor : *model.mutable_graph()->mutable_initializer()) {
    TakeIn(path.parent_path(), &tensor);
  }
  for (onnx::NodeProto& node : *model.mutable_graph()->mutable_node()) {
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_t()) TakeIn(path.parent_path(), attribute.mutable_t());
    }
  }
  return model;
}

bool IsQuantized(const std::filesystem::path& model) {
  const auto proto = import::ReadModelFile(model);
  return std::any_of(
      proto->graph().node().begin(), proto->graph().node().end(), [](const auto& node) {
        return node.op_type().find("QuantizeLinear") != std::string::npos ||
               node.op_type().starts_with("QLinear") || node.op_type().ends_with("Integer");
      });
}

std::vector<std::string> ComputedValues(const std::filesystem::path& model) {
  const auto proto = import::ReadModelFile(model);
  std::vector<std::string> names;
  for (const onnx::NodeProto& node : proto->graph().node()) {
    for (const std::string& name : node.output()) {
      if (!name.empty()) names.push_back(name);
    }
  }
  return names;
}

void SetOutputs(const std::vector<std::string>& names, onnx::ModelProto* model) {
  onnx::GraphProto* graph = model->mutable_graph();
  std::set<std::string> computed;
  for (const onnx::NodeProto& node : graph->node()) {
    computed.insert(node.output().begin(), node.output().end());
  }
  std::map<std::string, onnx::ValueInfoProto> known;
  for (const auto* infos : {&graph->output(), &graph->value_info()}) {
    for (const onnx::ValueInfoProto& info : *infos) known[info.name()] = info;
  }
  graph->clear_output();
  for (const std::string& name : names) {
    if (computed.count(name) == 0) {
      Fail("tensor '{}': no node of the model computes it; name the output of a node", name);
    }
    onnx::ValueInfoProto* output = graph->add_output();
    // Of others ONNX Runtime finds type and shape itself.
    if (const auto at = known.find(name); at != known.end()) *output = at->second;
    output->set_name(name);
  }
}

Part PartOf(const onnx::GraphProto& graph, const std::string& output, int last_known,
            const std::set<std::string>& known) {
  std::map<std::string, int> producer;
  for (int n = 0; n < graph.node_size(); ++n) {
    for (const std::string& name : graph.node(n).output()) producer[name] = n;
  }
  std::set<std::string> constants, seen, inputs;
  for (const onnx::TensorProto& tensor : graph.initializer()) constants.insert(tensor.name());
  std::set<int> nodes;
  std::vector<std::string> open = {output};
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    if (name.empty() || constants.count(name) != 0 || !seen.insert(name).second) continue;
    const auto at = producer.find(name);
    if (at == producer.end() ||
        (name != output && at->second <= last_known && known.count(name) != 0)) {
      inputs.insert(name);
      continue;
    }
    nodes.insert(at->second);
    const auto& read = graph.node(at->second).input();
    open.insert(open.end(), read.begin(), read.end());
  }
  return {{inputs.begin(), inputs.end()}, {nodes.begin(), nodes.end()}};
}

void Extract(const Part& part, const std::string& output,
             const std::map<std::string, graph::Shape>& shapes, onnx::ModelProto* model) {
  onnx::GraphProto* graph = model->mutable_graph();
  std::map<std::string, int> types;
  for (const auto* infos : {&graph->input(), &graph->output(), &graph->value_info()}) {
    for (const onnx::ValueInfoProto& info : *infos) {
      types[info.name()] = info.type().tensor_type().elem_type();
    }
  }
  const onnx::GraphProto whole = *graph;
  graph->clear_node();
  graph->clear_initializer();
  graph->clear_input();
  graph->clear_output();
  graph->clear_value_info();
  std::set<std::string> read;
  for (const int n : part.nodes) {
    *graph->add_node() = whole.node(n);
    read.insert(whole.node(n).input().begin(), whole.node(n).input().end());
  }
  for (const onnx::TensorProto& tensor : whole.initializer()) {
    if (read.count(tensor.name()) != 0) *graph->add_initializer() = tensor;
  }
  const auto describe = [&](const std::string& name, onnx::ValueInfoProto* info) {
    info->set_name(name);
    auto* tensor = info->mutable_type()->mutable_tensor_type();
    const auto type = types.find(name);
    tensor->set_elem_type(
        type == types.end() || type->second == 0 ? onnx::TensorProto_DataType_FLOAT : type->second);
    for (const int64_t dim : shapes.at(name)) {
      tensor->mutable_shape()->add_dim()->set_dim_value(dim);
    }
  };
  for (const std::string& name : part.inputs) describe(name, graph->add_input());
  describe(output, graph->add_output());
}

void WriteModel(const onnx::ModelProto& model, const std::filesystem::path& path) {
  std::string bytes;
  if (!model.SerializeToString(&bytes)) {
    Fail("{}: cannot be written; check the folder, and that the model is below 2 GiB",
         path.string());
  }
  try {
    port::OutputFile file(path.string());
    file.Write(bytes.data(), bytes.size());
    file.Commit();
  } catch (const port::WriteError& error) {
    Fail("{}: cannot be written: {}", path.string(), error.why);
  }
}

}  // namespace octet::exporting
