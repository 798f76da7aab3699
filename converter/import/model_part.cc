#include "converter/import/model_part.h"

#include <algorithm>

#include "converter/operators/flow_words.h"

namespace octet::import {
namespace {

using graph::DataType;
using onnx::TensorProto;

// Of conditions and shapes. A larger constant is computed again.
constexpr int64_t kMostNumbers = 64;

int ElementTypeOf(DataType type) {
  switch (type) {
    case DataType::kFloat:
      return TensorProto::FLOAT;
    case DataType::kInt32:
      return TensorProto::INT32;
    case DataType::kInt64:
      return TensorProto::INT64;
    case DataType::kBool:
      return TensorProto::BOOL;
    default:
      return TensorProto::UNDEFINED;  // codes
  }
}

bool TakesCodes(const onnx::ValueInfoProto& input) {
  const int type = input.type().tensor_type().elem_type();
  return type == TensorProto::INT8 || type == TensorProto::UINT8 || type == TensorProto::INT16 ||
         type == TensorProto::UINT16;
}

bool MakesCodes(const onnx::NodeProto& node) {
  const std::string& op = node.op_type();
  return op.find("Quantize") != std::string::npos || op.find("QLinear") != std::string::npos ||
         op.find("Integer") != std::string::npos || op == "QGemm";
}

bool IsOfOnnx(const onnx::NodeProto& node) {
  return node.domain().empty() || node.domain() == "ai.onnx";
}

}  // namespace

bool IsIf(const onnx::NodeProto& node) {
  return IsOfOnnx(node) && node.op_type() == "If";
}

bool IsLoop(const onnx::NodeProto& node) {
  return IsOfOnnx(node) && node.op_type() == "Loop";
}

bool IsFlow(const onnx::NodeProto& node) {
  return node.output_size() > 0 &&
         (IsIf(node) || IsLoop(node) || (IsOfOnnx(node) && node.op_type() == "Scan"));
}

int NodesIn(const onnx::GraphProto& graph) {
  int count = graph.node_size();
  for (const onnx::NodeProto& node : graph.node()) {
    for (const onnx::AttributeProto& attribute : node.attribute()) count += NodesIn(attribute.g());
  }
  return count;
}

onnx::NodeProto CopyOf(const std::string& from, const std::string& to, const std::string& name) {
  onnx::NodeProto node;
  node.set_op_type(operators::kCopies);
  node.set_name(name);
  node.add_input(from);
  node.add_output(to);
  return node;
}

void ReadNames(const onnx::NodeProto& node, std::set<std::string>* names) {
  names->insert(node.input().begin(), node.input().end());
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    for (const onnx::NodeProto& inner : attribute.g().node()) ReadNames(inner, names);
    for (const onnx::ValueInfoProto& output : attribute.g().output()) names->insert(output.name());
  }
}

bool MayHoldCodes(const onnx::GraphProto& graph) {
  if (std::any_of(graph.input().begin(), graph.input().end(), TakesCodes)) return true;
  return std::any_of(graph.node().begin(), graph.node().end(), [](const onnx::NodeProto& node) {
    if (MakesCodes(node)) return true;
    return std::any_of(node.attribute().begin(), node.attribute().end(),
                       [](const onnx::AttributeProto& attribute) {
                         return attribute.has_g() && MayHoldCodes(attribute.g());
                       });
  });
}

bool CanStandIn(const graph::Value& value) {
  if (value.given || ElementTypeOf(value.type) == TensorProto::UNDEFINED) return false;
  if (value.constant) return value.constant->Count() <= kMostNumbers;
  return value.shape &&
         std::all_of(value.shape->begin(), value.shape->end(), [](int64_t dim) { return dim > 0; });
}

void AddStandIn(const graph::Value& value, onnx::GraphProto* part) {
  if (!value.constant) {
    onnx::ValueInfoProto& input = *part->add_input();
    input.set_name(value.name);
    auto& type = *input.mutable_type()->mutable_tensor_type();
    type.set_elem_type(ElementTypeOf(value.type));
    type.mutable_shape();
    for (const int64_t dim : *value.shape) type.mutable_shape()->add_dim()->set_dim_value(dim);
    return;
  }
  TensorProto& tensor = *part->add_initializer();
  tensor.set_name(value.name);
  tensor.set_data_type(ElementTypeOf(value.type));
  for (const int64_t dim : value.constant->shape) tensor.add_dims(dim);
  for (const float number : value.constant->floats) tensor.add_float_data(number);
  for (const int64_t number : value.constant->integers) {
    if (value.type == DataType::kInt64) {
      tensor.add_int64_data(number);
    } else {
      tensor.add_int32_data(static_cast<int32_t>(number));
    }
  }
}

}  // namespace octet::import
