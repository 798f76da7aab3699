#include "tests/support/onnx_builder.h"

#include <cmath>
#include <fstream>
#include <numbers>
#include <stdexcept>

#include <onnx/onnx_pb.h>

namespace octet::test {
namespace {

void SetAttribute(onnx::NodeProto& node, const std::string& name, const AttributeValue& value) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  if (const auto* integer = std::get_if<int64_t>(&value)) {
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(*integer);
  } else if (const auto* real = std::get_if<float>(&value)) {
    attribute.set_type(onnx::AttributeProto::FLOAT);
    attribute.set_f(*real);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(*text);
  } else if (const auto* integers = std::get_if<std::vector<int64_t>>(&value)) {
    attribute.set_type(onnx::AttributeProto::INTS);
    attribute.mutable_ints()->Add(integers->begin(), integers->end());
  } else if (const auto* reals = std::get_if<std::vector<float>>(&value)) {
    attribute.set_type(onnx::AttributeProto::FLOATS);
    attribute.mutable_floats()->Add(reals->begin(), reals->end());
  }
}

onnx::TensorProto& AddInitializer(onnx::ModelProto& model, const std::string& name,
                                  const Dims& shape, int type, const void* data, size_t bytes) {
  onnx::TensorProto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  tensor.mutable_dims()->Add(shape.begin(), shape.end());
  tensor.set_raw_data(std::string(static_cast<const char*>(data), bytes));
  return tensor;
}

}  // namespace

OnnxBuilder::OnnxBuilder(int64_t opset, uint64_t seed)
    : model_(std::make_unique<onnx::ModelProto>()), opset_(opset), state_(seed) {
  model_->set_ir_version(opset < 9 ? 3 : 7);
  model_->set_producer_name("octet-tests");
  onnx::OperatorSetIdProto& set = *model_->add_opset_import();
  set.set_domain("");
  set.set_version(opset);
  model_->mutable_graph()->set_name("test");
}

OnnxBuilder::~OnnxBuilder() = default;

// SplitMix64: a counter through a mixing function, the same numbers on every machine.
double OnnxBuilder::NextUniform() {
  state_ += 0x9e3779b97f4a7c15u;
  uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  mixed ^= mixed >> 31;
  return (static_cast<double>(mixed >> 11) + 0.5) * 0x1p-53;
}

// Sum of twelve uniforms less six: variance 1, and no library function whose last bit could differ.
float OnnxBuilder::NextNormal() {
  double sum = -6.0;
  for (int i = 0; i < 12; ++i) sum += NextUniform();
  return static_cast<float>(sum);
}

std::string OnnxBuilder::Unique(const std::string& stem) {
  return stem + "_" + std::to_string(++counter_);
}

OnnxValue OnnxBuilder::Input(const std::string& name, const Dims& shape, int element_type) {
  onnx::ValueInfoProto& input = *model_->mutable_graph()->add_input();
  input.set_name(name);
  auto& tensor = *input.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(element_type);
  tensor.mutable_shape();
  for (size_t i = 0; i < shape.size(); ++i) {
    auto& dim = *tensor.mutable_shape()->add_dim();
    if (shape[i] == -1) {
      dim.set_dim_param(i == 0 ? "batch" : "d" + std::to_string(i));
    } else {
      dim.set_dim_value(shape[i]);
    }
  }
  return {this, name, shape.size() > 1 && shape[1] > 0 ? shape[1] : 0};
}

OnnxValue OnnxBuilder::Initializer(const std::string& name, const Dims& shape,
                                   const std::vector<float>& values) {
  AddInitializer(*model_, name, shape, onnx::TensorProto::FLOAT, values.data(),
                 values.size() * sizeof(float));
  return {this, name, 0};
}

OnnxValue OnnxBuilder::Initializer(const std::string& name, const Dims& shape,
                                   const std::vector<int64_t>& values) {
  AddInitializer(*model_, name, shape, onnx::TensorProto::INT64, values.data(),
                 values.size() * sizeof(int64_t));
  return {this, name, 0};
}

OnnxValue OnnxBuilder::Random(const std::string& name, const Dims& shape, float deviation) {
  int64_t count = 1;
  for (int64_t dim : shape) count *= dim;
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = NextNormal() * deviation;
  return Initializer(name, shape, values);
}

OnnxValue OnnxBuilder::Node(const std::string& op, const std::vector<std::string>& inputs,
                            Attributes attributes, std::vector<std::string> outputs,
                            const std::string& name) {
  if (outputs.empty()) outputs.push_back(Unique(op));
  onnx::NodeProto& node = *model_->mutable_graph()->add_node();
  node.set_op_type(op);
  node.set_name(name.empty() ? "node_" + outputs[0] : name);
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& output : outputs) node.add_output(output);
  for (const auto& [key, value] : attributes) SetAttribute(node, key, value);
  return {this, outputs[0], 0};
}

OnnxBuilder& OnnxBuilder::Output(const std::string& value) {
  onnx::ValueInfoProto& output = *model_->mutable_graph()->add_output();
  output.set_name(value);
  output.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  return *this;
}

onnx::NodeProto& OnnxBuilder::LastNode() {
  return *model_->mutable_graph()->mutable_node(model_->graph().node_size() - 1);
}

std::string OnnxBuilder::Serialize() const {
  return model_->SerializeAsString();
}

void OnnxBuilder::Save(const std::filesystem::path& path) const {
  std::ofstream file(path, std::ios::binary);
  const std::string bytes = Serialize();
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace octet::test
