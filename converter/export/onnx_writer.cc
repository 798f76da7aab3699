#include "converter/export/onnx_writer.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "converter/support/error.h"

namespace octet::exporting {
namespace {

using graph::DataType;

onnx::TensorProto_DataType TypeOf(DataType type) {
  switch (type) {
    case DataType::kFloat:
      return onnx::TensorProto_DataType_FLOAT;
    case DataType::kInt32:
      return onnx::TensorProto_DataType_INT32;
    case DataType::kInt64:
      return onnx::TensorProto_DataType_INT64;
    case DataType::kInt8:
      return onnx::TensorProto_DataType_INT8;
    case DataType::kUInt8:
      return onnx::TensorProto_DataType_UINT8;
    case DataType::kBool:
      return onnx::TensorProto_DataType_BOOL;
    case DataType::kInt16:
      return onnx::TensorProto_DataType_INT16;
    case DataType::kUInt16:
      return onnx::TensorProto_DataType_UINT16;
  }
  return onnx::TensorProto_DataType_UNDEFINED;
}

template <typename T, typename Values>
void SetRaw(const Values& values, onnx::TensorProto* proto) {
  std::string* bytes = proto->mutable_raw_data();
  bytes->resize(values.size() * sizeof(T));
  size_t at = 0;
  for (const auto value : values) {
    const T stored = static_cast<T>(value);
    std::memcpy(bytes->data() + at, &stored, sizeof(T));
    at += sizeof(T);
  }
}

void SetTensor(const graph::Tensor& tensor, onnx::TensorProto* proto) {
  proto->set_data_type(TypeOf(tensor.type));
  for (const int64_t dim : tensor.shape) proto->add_dims(dim);
  switch (tensor.type) {
    case DataType::kFloat:
      return SetRaw<float>(tensor.floats, proto);
    case DataType::kInt32:
      return SetRaw<int32_t>(tensor.integers, proto);
    case DataType::kInt64:
      return SetRaw<int64_t>(tensor.integers, proto);
    case DataType::kInt16:
    case DataType::kUInt16:
      return SetRaw<int16_t>(tensor.integers, proto);
    case DataType::kInt8:
    case DataType::kUInt8:
    case DataType::kBool:
      return SetRaw<int8_t>(tensor.integers, proto);
  }
}

void SetAttribute(const graph::Attribute& value, onnx::AttributeProto* proto) {
  std::visit(
      [proto](const auto& held) {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, int64_t>) {
          proto->set_type(onnx::AttributeProto_AttributeType_INT);
          proto->set_i(held);
        } else if constexpr (std::is_same_v<T, float>) {
          proto->set_type(onnx::AttributeProto_AttributeType_FLOAT);
          proto->set_f(held);
        } else if constexpr (std::is_same_v<T, std::string>) {
          // import/attribute.h: lines are a list.
          if (!held.empty() && held.back() == '\n') {
            proto->set_type(onnx::AttributeProto_AttributeType_STRINGS);
            for (size_t at = 0; at < held.size(); at = held.find('\n', at) + 1) {
              proto->add_strings(held.substr(at, held.find('\n', at) - at));
            }
            return;
          }
          proto->set_type(onnx::AttributeProto_AttributeType_STRING);
          proto->set_s(held);
        } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
          proto->set_type(onnx::AttributeProto_AttributeType_INTS);
          for (const int64_t i : held) proto->add_ints(i);
        } else if constexpr (std::is_same_v<T, std::vector<float>>) {
          proto->set_type(onnx::AttributeProto_AttributeType_FLOATS);
          for (const float f : held) proto->add_floats(f);
        } else {
          proto->set_type(onnx::AttributeProto_AttributeType_TENSOR);
          SetTensor(held, proto->mutable_t());
        }
      },
      value);
}

void SetValue(const std::string& name, const graph::Value& value, onnx::ValueInfoProto* info) {
  info->set_name(name);
  auto* tensor = info->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(TypeOf(value.type));
  auto* shape = tensor->mutable_shape();
  for (const int64_t dim : *value.shape) shape->add_dim()->set_dim_value(dim);
}

}  // namespace

OnnxWriter::OnnxWriter(const std::string& name) {
  model_.set_producer_name("octet");
  model_.add_opset_import();
  RequireOpset(kOpset);
  model_.mutable_graph()->set_name(name);
}

std::string OnnxWriter::Fresh(const std::string& wish) {
  std::string name = wish.empty() ? "value" : wish;
  for (size_t n = 2; !names_.insert(name).second; ++n) name = fmt::format("{}_{}", wish, n);
  return name;
}

void OnnxWriter::Input(const std::string& name, const graph::Value& value) {
  SetValue(name, value, model_.mutable_graph()->add_input());
}

void OnnxWriter::Output(const std::string& name, const graph::Value& value) {
  SetValue(name, value, model_.mutable_graph()->add_output());
}

std::string OnnxWriter::Constant(const std::string& wish, const graph::Tensor& tensor) {
  onnx::TensorProto* proto = model_.mutable_graph()->add_initializer();
  proto->set_name(Fresh(wish));
  SetTensor(tensor, proto);
  return proto->name();
}

std::string OnnxWriter::Scalar(const std::string& wish, float value) {
  return Constant(wish, graph::Tensor::Floats({}, {value}));
}

std::string OnnxWriter::PerChannel(const std::string& wish, const std::vector<float>& values) {
  return Constant(wish,
                  graph::Tensor::Floats({1, static_cast<int64_t>(values.size()), 1, 1}, values));
}

std::string OnnxWriter::Node(const std::string& op, const std::vector<std::string>& inputs,
                             const std::string& result, const Attributes& attributes) {
  const std::string name = Fresh(result);
  Nodes(op, name, inputs, {name}, attributes);
  return name;
}

void OnnxWriter::Nodes(const std::string& op, const std::string& name,
                       const std::vector<std::string>& inputs,
                       const std::vector<std::string>& results, const Attributes& attributes) {
  onnx::NodeProto* node = model_.mutable_graph()->add_node();
  node->set_op_type(op);
  std::string unique = name;
  for (size_t n = 2; !nodes_.insert(unique).second; ++n) unique = fmt::format("{}_{}", name, n);
  node->set_name(unique);
  // An absent input behind the last one that is there says nothing.
  auto end = inputs.end();
  while (end != inputs.begin() && std::prev(end)->empty()) --end;
  for (auto input = inputs.begin(); input != end; ++input) node->add_input(*input);
  for (const std::string& result : results) node->add_output(result);
  for (const auto& [key, value] : attributes) {
    onnx::AttributeProto* attribute = node->add_attribute();
    attribute->set_name(key);
    SetAttribute(value, attribute);
  }
}

void OnnxWriter::RequireOpset(int64_t version) {
  onnx::OperatorSetIdProto* opset = model_.mutable_opset_import(0);
  if (opset->version() >= version) return;
  opset->set_version(version);
  // The version of the file format that came with the opset (onnx/helper.py, VERSION_TABLE): 20
  // with 9, 21 and 22 with 10, 23 with 11.
  model_.set_ir_version(version >= 23 ? 11 : version >= 21 ? 10 : 9);
}

std::vector<uint8_t> OnnxWriter::Bytes() const {
  constexpr size_t kMostBytes = (size_t{1} << 31) - 1;  // of a protobuf message
  const size_t bytes = model_.ByteSizeLong();
  if (bytes > kMostBytes) Fail("the ONNX file would be larger than 2 GiB; export a smaller model");
  std::vector<uint8_t> result(bytes);
  model_.SerializeToArray(result.data(), static_cast<int>(bytes));
  return result;
}

}  // namespace octet::exporting
