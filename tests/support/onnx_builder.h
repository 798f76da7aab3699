// Small ONNX models for tests, written in a few lines:
//
//   OnnxBuilder model;
//   model.Input("x", {1, 3, 8, 8}).Conv({.channels = 16, .kernel = 3, .pad =
//   1}).Relu().GlobalAveragePool().Flatten()
//       .Gemm(10).Output("y");
//   model.Save(path);
//
// Weights are drawn from a fixed-seed generator of our own, so that a model is the same bytes on
// every machine. The builder checks nothing: it can write wrong models too, and Proto() gives the
// message itself.
#ifndef OCTET_TESTS_SUPPORT_ONNX_BUILDER_H_
#define OCTET_TESTS_SUPPORT_ONNX_BUILDER_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace onnx {
class ModelProto;
class NodeProto;
class TensorProto;
}  // namespace onnx

namespace octet::test {

using Dims = std::vector<int64_t>;
using AttributeValue =
    std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>>;
using Attributes = std::map<std::string, AttributeValue>;

// Write integers as Int(3) where an AttributeValue is meant: a plain 3 is an int.
inline AttributeValue Int(int64_t value) {
  return value;
}
inline AttributeValue Float(float value) {
  return value;
}
inline AttributeValue Ints(std::vector<int64_t> values) {
  return values;
}

struct ConvOptions {
  int64_t channels = 8;  // output channels
  int64_t kernel = 3;    // height, and width unless kernel_width is set
  int64_t kernel_width = 0;
  int64_t stride = 1;  // of rows, and of columns unless stride_width is set
  int64_t stride_width = 0;
  int64_t pad = 0;  // on all four sides, unless pads is set
  Dims pads = {};   // top, left, bottom, right
  int64_t dilation = 1;
  int64_t group = 1;  // kDepthwise: one group a channel
  bool bias = true;
  int64_t in_channels = 0;  // 0: as tracked by the builder

  static constexpr int64_t kDepthwise = -1;
};

class OnnxBuilder;

// One value of the model, to be passed on; cheap to copy, valid as long as its builder.
class OnnxValue {
 public:
  OnnxValue(OnnxBuilder* builder, std::string name, int64_t channels)
      : builder_(builder), name_(std::move(name)), channels_(channels) {}

  const std::string& name() const { return name_; }
  int64_t channels() const { return channels_; }  // 0 when not known
  // The channel count the next Conv, BatchNorm or Gemm counts on, after operators that change it
  // unseen.
  OnnxValue WithChannels(int64_t channels) const { return {builder_, name_, channels}; }

  // Any operator with this value as the first input.
  OnnxValue Op(const std::string& op, Attributes attributes = {},
               const std::vector<std::string>& more_inputs = {}) const;

  OnnxValue Conv(const ConvOptions& options) const;
  OnnxValue ConvTranspose(const ConvOptions& options) const;
  OnnxValue BatchNorm() const;
  // Y = X * W^T + B with W [units, channels]; Flatten first, with the features as channels.
  OnnxValue Gemm(int64_t units, bool bias = true) const;
  OnnxValue MatMul(int64_t units) const;
  OnnxValue Relu() const { return Op("Relu"); }
  OnnxValue Relu6() const { return Clip(0.0f, 6.0f); }
  OnnxValue Clip(float low, float high) const;
  OnnxValue LeakyRelu(float alpha) const { return Op("LeakyRelu", {{"alpha", alpha}}); }
  OnnxValue Sigmoid() const { return Op("Sigmoid"); }
  OnnxValue Silu() const;  // x * sigmoid(x), as exporters write it
  OnnxValue Add(const OnnxValue& other) const { return Op("Add", {}, {other.name_}); }
  OnnxValue Sub(const OnnxValue& other) const { return Op("Sub", {}, {other.name_}); }
  OnnxValue Mul(const OnnxValue& other) const { return Op("Mul", {}, {other.name_}); }
  OnnxValue Div(const OnnxValue& other) const { return Op("Div", {}, {other.name_}); }
  OnnxValue Concat(const OnnxValue& other, int64_t axis = 1) const;
  OnnxValue MaxPool(int64_t kernel, int64_t stride, int64_t pad = 0) const;
  OnnxValue AveragePool(int64_t kernel, int64_t stride, int64_t pad = 0,
                        bool count_include_pad = false) const;
  OnnxValue GlobalAveragePool() const { return Op("GlobalAveragePool"); }
  OnnxValue Flatten(int64_t axis = 1) const { return Op("Flatten", {{"axis", axis}}); }
  OnnxValue Reshape(const Dims& shape) const;
  OnnxValue Transpose(const Dims& order) const { return Op("Transpose", {{"perm", order}}); }
  OnnxValue Slice(const Dims& starts, const Dims& ends, const Dims& axes) const;
  OnnxValue Pad(const Dims& pads, float value = 0.0f) const;
  OnnxValue Softmax(int64_t axis = -1) const { return Op("Softmax", {{"axis", axis}}); }
  OnnxValue ReduceMean(const Dims& axes, bool keep_dims) const;
  // Nearest or linear, by factors for each dimension.
  OnnxValue Resize(const std::vector<float>& scales, const std::string& mode = "nearest",
                   const std::string& coordinates = "asymmetric",
                   const std::string& nearest_mode = "floor") const;
  std::vector<OnnxValue> Split(const Dims& sizes, int64_t axis) const;

  // Makes this value an output of the model; with a name, through an Identity that bears it.
  OnnxBuilder& Output(const std::string& name = "") const;

 private:
  OnnxBuilder* builder_;
  std::string name_;
  int64_t channels_;
};

class OnnxBuilder {
 public:
  explicit OnnxBuilder(int64_t opset = 13, uint64_t seed = 1);
  ~OnnxBuilder();
  OnnxBuilder(const OnnxBuilder&) = delete;
  OnnxBuilder& operator=(const OnnxBuilder&) = delete;

  // Dimension -1 is written as a symbol. `element_type` is a TensorProto::DataType; 1 is float.
  OnnxValue Input(const std::string& name, const Dims& shape, int element_type = 1);
  OnnxValue Initializer(const std::string& name, const Dims& shape,
                        const std::vector<float>& values);
  OnnxValue Initializer(const std::string& name, const Dims& shape,
                        const std::vector<int64_t>& values);
  // Normal values: mean 0, the given deviation.
  OnnxValue Random(const std::string& name, const Dims& shape, float deviation);
  // Any node; its outputs are those named, or one made-up name when the list is empty.
  OnnxValue Node(const std::string& op, const std::vector<std::string>& inputs,
                 Attributes attributes = {}, std::vector<std::string> outputs = {},
                 const std::string& name = "");
  OnnxBuilder& Output(const std::string& value);

  int64_t opset() const { return opset_; }
  std::string Unique(const std::string& stem);
  float NextNormal();
  onnx::ModelProto& Proto() { return *model_; }
  onnx::NodeProto& LastNode();
  std::string Serialize() const;
  void Save(const std::filesystem::path& path) const;

 private:
  double NextUniform();

  std::unique_ptr<onnx::ModelProto> model_;
  int64_t opset_;
  uint64_t state_;
  int64_t counter_ = 0;
};

}  // namespace octet::test

#endif  // OCTET_TESTS_SUPPORT_ONNX_BUILDER_H_
