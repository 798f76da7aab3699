// The operators of OnnxValue, each in the form exporters write for the builder's opset.
#include <cmath>
#include <stdexcept>

#include "tests/support/onnx_builder.h"

namespace octet::test {
namespace {

int64_t KnownChannels(const OnnxValue& value, int64_t given) {
  const int64_t channels = given != 0 ? given : value.channels();
  if (channels <= 0) {
    throw std::logic_error(value.name() + ": channels not known; use WithChannels");
  }
  return channels;
}

Attributes Window(const ConvOptions& options, int64_t group) {
  const int64_t width = options.kernel_width != 0 ? options.kernel_width : options.kernel;
  const Dims pads = options.pads.empty() ? Dims{options.pad, options.pad, options.pad, options.pad}
                                         : options.pads;
  return {{"kernel_shape", Dims{options.kernel, width}},
          {"strides",
           Dims{options.stride, options.stride_width != 0 ? options.stride_width : options.stride}},
          {"pads", pads},
          {"dilations", Dims{options.dilation, options.dilation}},
          {"group", group}};
}

// Weights that keep the variance of the activations through a ReLU: 2 / fan-in.
float Deviation(int64_t fan_in) {
  return std::sqrt(2.0f / static_cast<float>(fan_in));
}

}  // namespace

OnnxValue OnnxValue::Op(const std::string& op, Attributes attributes,
                        const std::vector<std::string>& more_inputs) const {
  std::vector<std::string> inputs{name_};
  inputs.insert(inputs.end(), more_inputs.begin(), more_inputs.end());
  return builder_->Node(op, inputs, std::move(attributes)).WithChannels(channels_);
}

OnnxValue OnnxValue::Conv(const ConvOptions& options) const {
  const int64_t in = KnownChannels(*this, options.in_channels);
  const int64_t group = options.group == ConvOptions::kDepthwise ? in : options.group;
  const int64_t width = options.kernel_width != 0 ? options.kernel_width : options.kernel;
  const std::string stem = builder_->Unique("conv");
  std::vector<std::string> more{stem + ".weight"};
  builder_->Random(more[0], {options.channels, in / group, options.kernel, width},
                   Deviation(in / group * options.kernel * width));
  if (options.bias) {
    more.push_back(stem + ".bias");
    builder_->Random(more[1], {options.channels}, 0.1f);
  }
  return Op("Conv", Window(options, group), more).WithChannels(options.channels);
}

OnnxValue OnnxValue::ConvTranspose(const ConvOptions& options) const {
  const int64_t in = KnownChannels(*this, options.in_channels);
  const int64_t group = options.group == ConvOptions::kDepthwise ? in : options.group;
  const int64_t width = options.kernel_width != 0 ? options.kernel_width : options.kernel;
  const std::string stem = builder_->Unique("conv_transpose");
  std::vector<std::string> more{stem + ".weight"};
  builder_->Random(more[0], {in, options.channels / group, options.kernel, width},
                   Deviation(in / group * options.kernel * width));
  if (options.bias) {
    more.push_back(stem + ".bias");
    builder_->Random(more[1], {options.channels}, 0.1f);
  }
  return Op("ConvTranspose", Window(options, group), more).WithChannels(options.channels);
}

OnnxValue OnnxValue::BatchNorm() const {
  const int64_t channels = KnownChannels(*this, 0);
  const std::string stem = builder_->Unique("bn");
  std::vector<float> scale(static_cast<size_t>(channels)), variance(scale.size());
  for (float& value : scale) value = 1.0f + 0.2f * builder_->NextNormal();
  for (float& value : variance) value = 0.5f + std::fabs(builder_->NextNormal());
  builder_->Initializer(stem + ".weight", {channels}, scale);
  builder_->Random(stem + ".bias", {channels}, 0.1f);
  builder_->Random(stem + ".mean", {channels}, 0.3f);
  builder_->Initializer(stem + ".var", {channels}, variance);
  return Op("BatchNormalization", {{"epsilon", 1e-5f}},
            {stem + ".weight", stem + ".bias", stem + ".mean", stem + ".var"});
}

OnnxValue OnnxValue::Gemm(int64_t units, bool bias) const {
  const int64_t in = KnownChannels(*this, 0);
  const std::string stem = builder_->Unique("fc");
  std::vector<std::string> more{stem + ".weight"};
  builder_->Random(more[0], {units, in}, Deviation(in));
  if (bias) {
    more.push_back(stem + ".bias");
    builder_->Random(more[1], {units}, 0.1f);
  }
  return Op("Gemm", {{"transB", Int(1)}}, more).WithChannels(units);
}

OnnxValue OnnxValue::MatMul(int64_t units) const {
  const int64_t in = KnownChannels(*this, 0);
  const std::string weight = builder_->Unique("matmul") + ".weight";
  builder_->Random(weight, {in, units}, Deviation(in));
  return Op("MatMul", {}, {weight}).WithChannels(units);
}

OnnxValue OnnxValue::Clip(float low, float high) const {
  if (builder_->opset() < 11) return Op("Clip", {{"min", low}, {"max", high}});
  const std::string stem = builder_->Unique("clip");
  builder_->Initializer(stem + ".min", {}, std::vector<float>{low});
  builder_->Initializer(stem + ".max", {}, std::vector<float>{high});
  return Op("Clip", {}, {stem + ".min", stem + ".max"});
}

OnnxValue OnnxValue::Silu() const {
  return Op("Mul", {}, {Sigmoid().name()});
}

OnnxValue OnnxValue::Concat(const OnnxValue& other, int64_t axis) const {
  const int64_t channels =
      axis == 1 && channels_ > 0 && other.channels_ > 0 ? channels_ + other.channels_ : channels_;
  return Op("Concat", {{"axis", axis}}, {other.name_}).WithChannels(channels);
}

OnnxValue OnnxValue::MaxPool(int64_t kernel, int64_t stride, int64_t pad) const {
  return Op("MaxPool", {{"kernel_shape", Dims{kernel, kernel}},
                        {"strides", Dims{stride, stride}},
                        {"pads", Dims{pad, pad, pad, pad}}});
}

OnnxValue OnnxValue::AveragePool(int64_t kernel, int64_t stride, int64_t pad,
                                 bool count_include_pad) const {
  return Op("AveragePool", {{"kernel_shape", Dims{kernel, kernel}},
                            {"strides", Dims{stride, stride}},
                            {"pads", Dims{pad, pad, pad, pad}},
                            {"count_include_pad", Int(count_include_pad ? 1 : 0)}});
}

OnnxValue OnnxValue::Reshape(const Dims& shape) const {
  const std::string target = builder_->Unique("shape");
  builder_->Initializer(target, {static_cast<int64_t>(shape.size())}, shape);
  return Op("Reshape", {}, {target});
}

OnnxValue OnnxValue::Slice(const Dims& starts, const Dims& ends, const Dims& axes) const {
  if (builder_->opset() < 10) {
    return Op("Slice", {{"starts", starts}, {"ends", ends}, {"axes", axes}});
  }
  const std::string stem = builder_->Unique("slice");
  const Dims count{static_cast<int64_t>(starts.size())};
  builder_->Initializer(stem + ".starts", count, starts);
  builder_->Initializer(stem + ".ends", count, ends);
  builder_->Initializer(stem + ".axes", count, axes);
  return Op("Slice", {}, {stem + ".starts", stem + ".ends", stem + ".axes"});
}

OnnxValue OnnxValue::Pad(const Dims& pads, float value) const {
  if (builder_->opset() < 11) return Op("Pad", {{"pads", pads}, {"value", value}});
  const std::string stem = builder_->Unique("pad");
  builder_->Initializer(stem + ".pads", {static_cast<int64_t>(pads.size())}, pads);
  builder_->Initializer(stem + ".value", {}, std::vector<float>{value});
  return Op("Pad", {}, {stem + ".pads", stem + ".value"});
}

OnnxValue OnnxValue::ReduceMean(const Dims& axes, bool keep_dims) const {
  const AttributeValue keep = Int(keep_dims ? 1 : 0);
  if (builder_->opset() < 18) return Op("ReduceMean", {{"axes", axes}, {"keepdims", keep}});
  const std::string name = builder_->Unique("axes");
  builder_->Initializer(name, {static_cast<int64_t>(axes.size())}, axes);
  return Op("ReduceMean", {{"keepdims", keep}}, {name});
}

OnnxValue OnnxValue::Resize(const std::vector<float>& scales, const std::string& mode,
                            const std::string& coordinates, const std::string& nearest_mode) const {
  if (builder_->opset() < 9) return Op("Upsample", {{"scales", scales}, {"mode", mode}});
  const std::string name = builder_->Unique("scales");
  builder_->Initializer(name, {static_cast<int64_t>(scales.size())}, scales);
  if (builder_->opset() < 11) {
    return Op(builder_->opset() < 10 ? "Upsample" : "Resize", {{"mode", mode}}, {name});
  }
  Attributes attributes{{"mode", mode}, {"coordinate_transformation_mode", coordinates}};
  if (mode == "nearest") attributes["nearest_mode"] = nearest_mode;
  return Op("Resize", attributes, {"", name});
}

std::vector<OnnxValue> OnnxValue::Split(const Dims& sizes, int64_t axis) const {
  std::vector<std::string> outputs;
  for (size_t i = 0; i < sizes.size(); ++i) outputs.push_back(builder_->Unique("split"));
  if (builder_->opset() < 13) {
    builder_->Node("Split", {name_}, {{"axis", axis}, {"split", sizes}}, outputs);
  } else {
    const std::string name = builder_->Unique("sizes");
    builder_->Initializer(name, {static_cast<int64_t>(sizes.size())}, sizes);
    builder_->Node("Split", {name_, name}, {{"axis", axis}}, outputs);
  }
  std::vector<OnnxValue> values;
  for (size_t i = 0; i < sizes.size(); ++i) {
    values.emplace_back(builder_, outputs[i], axis == 1 ? sizes[i] : channels_);
  }
  return values;
}

OnnxBuilder& OnnxValue::Output(const std::string& name) const {
  if (name.empty()) return builder_->Output(name_);
  builder_->Node("Identity", {name_}, {}, {name});
  return builder_->Output(name);
}

}  // namespace octet::test
