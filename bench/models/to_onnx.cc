#include "bench/models/to_onnx.h"

#include <onnx/onnx_pb.h>

#include <cmath>
#include <vector>

namespace octet::bench {
namespace {

struct Affine {
  float scale;
  uint8_t zero_point;
};

// 256 codes over [min, max], 0 exact.
Affine AffineOf(const Value& value) {
  const float scale = (value.max - value.min) / 255;
  return {scale, static_cast<uint8_t>(std::nearbyint(-value.min / scale))};
}

void SetShape(onnx::ValueInfoProto* info, const std::string& name,
              const std::vector<int64_t>& dims) {
  info->set_name(name);
  auto* tensor = info->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(onnx::TensorProto::FLOAT);
  for (const int64_t dim : dims) tensor->mutable_shape()->add_dim()->set_dim_value(dim);
}

void SetHeader(onnx::ModelProto* model, const std::string& name) {
  model->set_ir_version(8);
  model->set_producer_name("octet-bench");
  model->add_opset_import()->set_version(13);
  model->mutable_graph()->set_name(name);
}

class ModelMaker {
 public:
  ModelMaker(const Network& network, bool quantized)
      : network_(network), quantized_(quantized), graph_(*model_.mutable_graph()) {}

  std::string Make() {
    SetHeader(&model_, network_.name);
    const Value& in = network_.input();
    SetShape(graph_.add_input(), "input", {1, in.channels, in.height, in.width});
    SetShape(graph_.add_output(), "output", {1, network_.output().channels});
    Quantize(in, "input", "input_dq");
    for (const Step& step : network_.steps) Append(step);
    return model_.SerializeAsString();
  }

 private:
  onnx::NodeProto* Node(const std::string& op, const std::vector<std::string>& inputs,
                        const std::string& output) {
    onnx::NodeProto* node = graph_.add_node();
    node->set_op_type(op);
    node->set_name(op + "_" + output);
    for (const std::string& input : inputs) node->add_input(input);
    node->add_output(output);
    return node;
  }

  static void SetInts(onnx::NodeProto* node, const std::string& name,
                      const std::vector<int64_t>& values) {
    onnx::AttributeProto* attribute = node->add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::INTS);
    attribute->mutable_ints()->Add(values.begin(), values.end());
  }

  static void SetInt(onnx::NodeProto* node, const std::string& name, int64_t value) {
    onnx::AttributeProto* attribute = node->add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::INT);
    attribute->set_i(value);
  }

  template <typename T>
  std::string Constant(const std::string& name, int type, const std::vector<int64_t>& dims,
                       const std::vector<T>& values) {
    onnx::TensorProto* tensor = graph_.add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(type);
    tensor->mutable_dims()->Add(dims.begin(), dims.end());
    tensor->set_raw_data(
        std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
    return name;
  }

  void Quantize(const Value& value, const std::string& from, const std::string& to) {
    if (!quantized_) {
      Node("Identity", {from}, to);
      return;
    }
    const Affine affine = AffineOf(value);
    const std::string scale =
        Constant<float>(to + "_scale", onnx::TensorProto::FLOAT, {}, {affine.scale});
    const std::string zero =
        Constant<uint8_t>(to + "_zero", onnx::TensorProto::UINT8, {}, {affine.zero_point});
    Node("QuantizeLinear", {from, scale, zero}, to + "_q");
    Node("DequantizeLinear", {to + "_q", scale, zero}, to);
  }

  std::string Weights(const Step& step, const std::string& name, const std::vector<int64_t>& dims) {
    const int64_t outputs = dims[0];
    if (!quantized_) {
      const size_t fan_in = step.weights.size() / step.scales.size();
      std::vector<float> values;
      for (const int8_t code : step.weights) {
        values.push_back(static_cast<float>(code) * step.scales[values.size() / fan_in]);
      }
      return Constant(name, onnx::TensorProto::FLOAT, dims, values);
    }
    const std::vector<int8_t> zeros(static_cast<size_t>(outputs), 0);
    auto* node = Node("DequantizeLinear",
                      {Constant(name + "_codes", onnx::TensorProto::INT8, dims, step.weights),
                       Constant(name + "_scales", onnx::TensorProto::FLOAT, {outputs}, step.scales),
                       Constant(name + "_zeros", onnx::TensorProto::INT8, {outputs}, zeros)},
                      name);
    SetInt(node, "axis", 0);
    return name;
  }

  std::string Bias(const Step& step, const std::string& name) {
    if (!quantized_) {
      return Constant(name, onnx::TensorProto::FLOAT, {static_cast<int64_t>(step.bias.size())},
                      step.bias);
    }
    const float input_scale = AffineOf(network_.values[static_cast<size_t>(step.input)]).scale;
    std::vector<float> scales;
    std::vector<int32_t> codes;
    for (size_t i = 0; i < step.bias.size(); ++i) {
      scales.push_back(step.scales[i] * input_scale);
      codes.push_back(static_cast<int32_t>(std::nearbyint(step.bias[i] / scales[i])));
    }
    const auto outputs = static_cast<int64_t>(scales.size());
    const std::vector<int32_t> zeros(scales.size(), 0);
    auto* node = Node("DequantizeLinear",
                      {Constant(name + "_codes", onnx::TensorProto::INT32, {outputs}, codes),
                       Constant(name + "_scales", onnx::TensorProto::FLOAT, {outputs}, scales),
                       Constant(name + "_zeros", onnx::TensorProto::INT32, {outputs}, zeros)},
                      name);
    SetInt(node, "axis", 0);
    return name;
  }

  static void SetWindow(onnx::NodeProto* node, const Step& step) {
    SetInts(node, "kernel_shape", {step.kernel_h, step.kernel_w});
    SetInts(node, "strides", {step.stride, step.stride});
    SetInts(node, "pads", {step.pads.begin(), step.pads.end()});
  }

  std::string Dequantized(int value) const {
    return network_.values[static_cast<size_t>(value)].name + "_dq";
  }

  void Append(const Step& step) {
    const Value& out = network_.values[static_cast<size_t>(step.output)];
    const Value& in = network_.values[static_cast<size_t>(step.input)];
    const bool active = step.activation != Activation::kNone;
    const std::string x = Dequantized(step.input), y = active ? out.name + "_before" : out.name;
    switch (step.kind) {
      case StepKind::kConv: {
        const std::string weights =
            Weights(step, out.name + "_weights",
                    {out.channels, in.channels / step.groups, step.kernel_h, step.kernel_w});
        auto* node = Node("Conv", {x, weights, Bias(step, out.name + "_bias")}, y);
        SetWindow(node, step);
        SetInt(node, "group", step.groups);
        break;
      }
      case StepKind::kAdd:
        Node("Add", {x, Dequantized(step.other)}, y);
        break;
      case StepKind::kMaxPool:
        SetWindow(Node("MaxPool", {x}, y), step);
        break;
      case StepKind::kGlobalAveragePool:
        Node("GlobalAveragePool", {x}, y);
        break;
      case StepKind::kGemm: {
        // Flatten gets its own pair, as every operator between two quantized ones.
        SetInt(Node("Flatten", {x}, out.name + "_flat"), "axis", 1);
        Quantize(in, out.name + "_flat", out.name + "_flat_dq");
        const auto fan_in = static_cast<int64_t>(step.weights.size()) / out.channels;
        const std::string weights = Weights(step, out.name + "_weights", {out.channels, fan_in});
        SetInt(Node("Gemm", {out.name + "_flat_dq", weights, Bias(step, out.name + "_bias")}, y),
               "transB", 1);
        break;
      }
    }
    if (step.activation == Activation::kRelu) Node("Relu", {y}, out.name);
    if (step.activation == Activation::kRelu6) {
      const std::string low =
          Constant<float>(out.name + "_low", onnx::TensorProto::FLOAT, {}, {0.0f});
      const std::string high =
          Constant<float>(out.name + "_high", onnx::TensorProto::FLOAT, {}, {6.0f});
      Node("Clip", {y, low, high}, out.name);
    }
    const bool last = &step == &network_.steps.back();
    Quantize(out, out.name, last ? "output" : out.name + "_dq");
  }

  const Network& network_;
  const bool quantized_;
  onnx::ModelProto model_;
  onnx::GraphProto& graph_;
};

}  // namespace

std::string QdqModel(const Network& network) {
  return ModelMaker(network, true).Make();
}

std::string FloatModel(const Network& network) {
  return ModelMaker(network, false).Make();
}

}  // namespace octet::bench
