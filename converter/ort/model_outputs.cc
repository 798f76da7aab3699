#include "converter/ort/model_outputs.h"

#include <fstream>
#include <map>
#include <set>
#include <utility>

#include "converter/import/external_data.h"
#include "converter/import/model_file.h"
#include "converter/support/error.h"

namespace octet::ort {
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
    if (computed.count(name) == 0) Fail("tensor '{}': no node of the model computes it", name);
    onnx::ValueInfoProto* output = graph->add_output();
    // Of others ONNX Runtime finds type and shape itself.
    if (const auto at = known.find(name); at != known.end()) *output = at->second;
    output->set_name(name);
  }
}

void WriteModel(const onnx::ModelProto& model, const std::filesystem::path& path) {
  std::ofstream file(path, std::ios::binary);
  if (!model.SerializeToOstream(&file) || !file.flush()) {
    Fail("{}: cannot be written; is there room, and is the model below 2 GiB?", path.string());
  }
}

}  // namespace octet::ort
