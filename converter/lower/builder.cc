#include "converter/lower/builder.h"

#include <cmath>
#include <utility>

#include "converter/lower/node_fail.h"
#include "converter/lower/weights.h"
#include "converter/quantize/precision.h"
#include "converter/support/not_possible.h"

namespace octet::lower {
namespace {

constexpr blob::ElementType kTypes[] = {blob::ElementType::kInt8, blob::ElementType::kFp16,
                                        blob::ElementType::kInt32};

// These compute in int8 and FP16 alone; the others move elements, or are lowered for the types they
// take.
bool RunsOnIntegers(blob::Op op) {
  switch (op) {
    case blob::Op::kConv:
    case blob::Op::kDepthwiseConv:
    case blob::Op::kAdd:
    case blob::Op::kMul:
    case blob::Op::kDiv:
    case blob::Op::kUnary:
    case blob::Op::kMaxPool:
    case blob::Op::kAveragePool:
    case blob::Op::kPad:
    case blob::Op::kResizeNearest:
    case blob::Op::kResizeLinear:
    case blob::Op::kSoftmax:
    case blob::Op::kConvert:
      return false;
    default:
      return true;
  }
}

// Of a layer on such tensors.
blob::Precision PrecisionFor(blob::ElementType type) {
  return type == blob::ElementType::kInt8 ? blob::Precision::kInt8 : blob::Precision::kFp16;
}

}  // namespace

Builder::Builder(const graph::Graph& graph, const quantize::Scheme& scheme, Program* program)
    : graph_(graph),
      scheme_(scheme),
      program_(program),
      links_(graph),
      view_(operators::ViewOutputs(graph)),
      absorbed_(graph.nodes.size(), false) {
  for (size_t i = 0; i < absorbed_.size(); ++i) absorbed_[i] = !view_.needed[i];
}

const graph::Shape& Builder::ShapeOf(graph::ValueId id) const {
  return *graph_.At(id).shape;
}

const quantize::TensorScheme& Builder::SchemeOf(graph::ValueId id) const {
  const auto& scheme = scheme_.tensors[static_cast<size_t>(id)];
  if (!scheme) {
    RuleOut("tensor '{}': no range was calibrated; give one under tensors: in --config",
            graph_.At(id).name);
  }
  return *scheme;
}

blob::Precision Builder::PrecisionOf(const graph::Node& node) const {
  const blob::Precision precision = scheme_.precision[IndexOf(node)];
  return quantize::RunsOnIntegers(graph_, node) ? blob::Precision::kFp16 : precision;
}

const std::vector<float>& Builder::BiasCorrectionOf(const graph::Node& node) const {
  static const std::vector<float> kNone;
  const auto& corrections = scheme_.bias_correction;
  return corrections.empty() ? kNone : corrections[IndexOf(node)];
}

float Builder::BiasShiftOf(const graph::Node& node) const {
  if (scheme_.bias_shift.empty()) return 0;
  const float real = scheme_.bias_shift[IndexOf(node)];
  const bool half = PrecisionOf(node) == blob::Precision::kFp16;
  return half ? real / HalfScaleOf(node.outputs[0]) : real;
}

quantize::WeightScheme Builder::WeightSchemeOf(const graph::Node& node) const {
  const auto& schemes = scheme_.weight_schemes;
  return schemes.empty() ? quantize::WeightScheme::kPerChannel : schemes[IndexOf(node)];
}

const quantize::RoundedWeights* Builder::RoundedWeightsOf(const graph::Node& node) const {
  if (scheme_.weights.empty() || PrecisionOf(node) != blob::Precision::kInt8) return nullptr;
  return scheme_.weights[IndexOf(node)].get();
}

float Builder::HalfScaleOf(graph::ValueId id) const {
  const auto index = static_cast<size_t>(id);
  if (index >= scheme_.half_exponents.size() || scheme_.half_exponents[index].size() != 1) return 1;
  return std::ldexp(1.0f, scheme_.half_exponents[index][0]);
}

blob::ElementType Builder::TypeOf(blob::Precision precision) {
  return precision == blob::Precision::kInt8 ? blob::ElementType::kInt8 : blob::ElementType::kFp16;
}

blob::ElementType Builder::TypeOf(graph::ValueId id, blob::ElementType type) const {
  return IsInteger(id) ? blob::ElementType::kInt32 : type;
}

Layout Builder::Natural(graph::ValueId id) const {
  return ShapeOf(id).size() == 4 ? Layout::kImage : Layout::kRowMajor;
}

Layout Builder::Existing(graph::ValueId id) const {
  if (ShapeOf(id).size() != 4) return Layout::kRowMajor;
  for (blob::ElementType type : kTypes) {
    if (forms_.count({id, Layout::kImage, type}) != 0) return Layout::kImage;
  }
  for (blob::ElementType type : kTypes) {
    if (forms_.count({id, Layout::kRowMajor, type}) != 0) return Layout::kRowMajor;
  }
  return Layout::kImage;
}

int Builder::UseBroadcast(graph::ValueId id, size_t rank, Layout layout, blob::ElementType type) {
  if (ShapeOf(id).size() == rank) return Use(id, layout, type);
  if (ShapeOf(id).size() > rank || rank > 4) {
    RuleOut("tensor '{}' of shape {} cannot be broadcast to {} dimensions here", graph_.At(id).name,
            graph::ToString(ShapeOf(id)), rank);
  }
  const int tensor = Use(id, Layout::kRowMajor, type);
  if (rank != 4 || layout != Layout::kImage) return tensor;
  return Transpose(tensor, kImageFromRowMajor, graph_.At(id).name);
}

int Builder::Use(graph::ValueId id, Layout layout, blob::ElementType type) {
  if (ShapeOf(id).size() != 4) layout = Layout::kRowMajor;
  type = TypeOf(id, type);
  if (const auto it = forms_.find({id, layout, type}); it != forms_.end()) return it->second;
  if (const auto& scheme = scheme_.tensors[static_cast<size_t>(id)];
      scheme && !scheme->channels.empty()) {
    throw std::logic_error("tensor " + graph_.At(id).name +
                           " has scales by channel, but a node that reads it needs another form");
  }
  if (Constant(id) != nullptr) return UseConstant(id, layout, type);
  const Layout other_layout = layout == Layout::kImage ? Layout::kRowMajor : Layout::kImage;
  const blob::ElementType other_type =
      type == blob::ElementType::kInt8 ? blob::ElementType::kFp16 : blob::ElementType::kInt8;
  int tensor = -1;
  if (const auto it = forms_.find({id, other_layout, type}); it != forms_.end()) {
    tensor =
        Transpose(it->second, layout == Layout::kImage ? kImageFromRowMajor : kRowMajorFromImage,
                  graph_.At(id).name);
  } else {
    // The other type: convert in the layout it has, then change the layout.
    Layout source = layout;
    auto found = forms_.find({id, layout, other_type});
    if (found == forms_.end()) {
      source = other_layout;
      found = forms_.find({id, other_layout, other_type});
    }
    if (found == forms_.end())
      RuleOut("tensor '{}' is read before it is computed", graph_.At(id).name);
    tensor = Convert(found->second, type, id);
    forms_[{id, source, type}] = tensor;
    if (source != layout) return Use(id, layout, type);
  }
  forms_[{id, layout, type}] = tensor;
  return tensor;
}

int Builder::UseAnyType(graph::ValueId id, Layout layout) {
  if (ShapeOf(id).size() != 4) layout = Layout::kRowMajor;
  const bool int8 = forms_.count({id, layout, blob::ElementType::kInt8}) != 0;
  return Use(id, layout, int8 ? blob::ElementType::kInt8 : blob::ElementType::kFp16);
}

int Builder::UseConstant(graph::ValueId id, Layout layout, blob::ElementType type) {
  const graph::Tensor& constant = *Constant(id);
  const int tensor = Define(id, layout, type);
  Layer layer;
  layer.name = graph_.At(id).name;
  layer.op = blob::Op::kConstant;
  layer.precision = PrecisionFor(type);
  layer.output = tensor;
  if (!constant.IsFloat()) {
    std::vector<int32_t> integers;
    for (const int64_t value : Arranged(constant.shape, constant.integers, layout)) {
      if (value < INT32_MIN || value > INT32_MAX) {
        RuleOut("tensor '{}': the constant {} does not fit int32, the integer type of the board",
                graph_.At(id).name, value);
      }
      integers.push_back(static_cast<int32_t>(value));
    }
    layer.extra = ToBytes(integers);
    program_->layers.push_back(std::move(layer));
    return tensor;
  }
  const std::vector<float> values = Arranged(constant.shape, constant.floats, layout);
  if (type == blob::ElementType::kInt8) {
    float lo = 0, hi = 0;
    for (float v : values) {
      lo = std::min(lo, v);
      hi = std::max(hi, v);
    }
    quantize::TensorScheme scheme = quantize::Affine(lo, hi, scheme_.symmetric_only);
    const graph::Codes* codes = graph_.At(id).constant.codes();
    if (codes != nullptr && codes->scales.size() == 1 && codes->integers.empty()) {
      scheme.scale = codes->scales[0];
      scheme.zero_point = codes->zero_points[0];
    }
    At(tensor).scale = scheme.scale;
    At(tensor).zero_point = scheme.zero_point;
    layer.extra = ToBytes(QuantizeValues(values, scheme));
  } else {
    layer.extra = ToBytes(ToHalf(values));
  }
  program_->layers.push_back(std::move(layer));
  return tensor;
}

int Builder::Define(graph::ValueId id, Layout layout, blob::ElementType type) {
  const graph::Value& value = graph_.At(id);
  if (ShapeOf(id).size() != 4) layout = Layout::kRowMajor;
  type = TypeOf(id, type);
  Tensor tensor;
  tensor.name = value.name;
  tensor.type = type;
  DimsOf(ShapeOf(id), layout, tensor.dims);
  if (type == blob::ElementType::kInt8 && !value.constant) {
    tensor.scale = SchemeOf(id).scale;
    tensor.zero_point = SchemeOf(id).zero_point;
    tensor.channels = SchemeOf(id).channels;
    if (!tensor.channels.empty()) tensor.zero_point = TensorZeroPoint(tensor.channels);
  }
  if (type == blob::ElementType::kFp16) tensor.scale = HalfScaleOf(id);
  program_->tensors.push_back(std::move(tensor));
  const int index = static_cast<int>(program_->tensors.size()) - 1;
  forms_[{id, layout, type}] = index;
  return index;
}

int Builder::Temporary(const std::string& name, blob::ElementType type, const uint32_t (&dims)[4],
                       const Tensor* like) {
  Tensor tensor;
  tensor.name = name;
  tensor.type = type;
  for (int i = 0; i < 4; ++i) tensor.dims[i] = dims[i];
  if (like != nullptr) {
    tensor.scale = like->scale;
    tensor.zero_point = like->zero_point;
    tensor.channels = like->channels;
  }
  program_->tensors.push_back(std::move(tensor));
  return static_cast<int>(program_->tensors.size()) - 1;
}

void Builder::Alias(graph::ValueId id, Layout layout, int tensor) {
  if (ShapeOf(id).size() != 4) layout = Layout::kRowMajor;
  forms_[{id, layout, At(tensor).type}] = tensor;
}

Layer& Builder::Emit(const graph::Node& node, blob::Op op, blob::Precision precision,
                     std::vector<int> inputs, int output) {
  if (!RunsOnIntegers(op)) {
    bool integers = At(output).type == blob::ElementType::kInt32;
    for (int input : inputs) integers |= At(input).type == blob::ElementType::kInt32;
    if (integers) {
      NodeFail(node, "cannot run on integers; cast its inputs to float in the model");
    }
  }
  Layer layer;
  layer.name = node.name;
  layer.op = op;
  layer.precision = precision;
  layer.inputs = std::move(inputs);
  layer.output = output;
  program_->layers.push_back(std::move(layer));
  return program_->layers.back();
}

int Builder::Transpose(int tensor, const int (&perm)[4], const std::string& name) {
  const Tensor source = At(tensor);
  uint32_t dims[4];
  bool moves = false;
  int last = -1;
  for (int i = 0; i < 4; ++i) {
    dims[i] = source.dims[perm[i]];
    if (dims[i] == 1) continue;
    moves |= perm[i] < last;
    last = perm[i];
  }
  if (!moves) return Reshape(tensor, dims, name);
  Layer layer;
  layer.name = name + "/transpose";
  layer.op = blob::Op::kTranspose;
  layer.precision = PrecisionFor(source.type);
  layer.inputs = {tensor};
  layer.output = Temporary(name, source.type, dims, &source);
  blob::TransposeParams params{};
  params.rank = 4;
  for (int i = 0; i < 4; ++i) {
    params.dims[i] = source.dims[i];
    params.perm[i] = static_cast<uint8_t>(perm[i]);
  }
  layer.Set(params);
  const int output = layer.output;
  program_->layers.push_back(std::move(layer));
  return output;
}

int Builder::Reshape(int tensor, const uint32_t (&dims)[4], const std::string& name) {
  const Tensor source = At(tensor);
  bool same = true;
  for (int i = 0; i < 4; ++i) same &= dims[i] == source.dims[i];
  if (same) return tensor;
  Layer layer;
  layer.name = name + "/reshape";
  layer.op = blob::Op::kReshape;
  layer.precision = PrecisionFor(source.type);
  layer.inputs = {tensor};
  layer.output = Temporary(name, source.type, dims, &source);
  const int output = layer.output;
  program_->layers.push_back(std::move(layer));
  return output;
}

int Builder::Convert(int tensor, blob::ElementType type, graph::ValueId id) {
  const Tensor source = At(tensor);
  Layer layer;
  layer.name = source.name + (type == blob::ElementType::kInt8 ? "/quantize" : "/dequantize");
  layer.op = blob::Op::kConvert;
  layer.precision = blob::Precision::kFp16;
  layer.inputs = {tensor};
  layer.output = Temporary(source.name, type, source.dims, nullptr);
  blob::ConvertParams params{1.0f};
  if (type == blob::ElementType::kInt8) {
    const quantize::TensorScheme& scheme = SchemeOf(id);
    At(layer.output).scale = scheme.scale;
    At(layer.output).zero_point = scheme.zero_point;
    params.inverse_scale = source.scale / scheme.scale;
  } else {
    At(layer.output).scale = HalfScaleOf(id);
  }
  layer.Set(params);
  const int output = layer.output;
  program_->layers.push_back(std::move(layer));
  return output;
}

const graph::Node* Builder::OnlyReader(graph::ValueId id) const {
  const auto& consumers = links_.consumers[static_cast<size_t>(id)];
  if (consumers.size() != 1 || links_.is_output[static_cast<size_t>(id)]) return nullptr;
  if (view_.is_piece[static_cast<size_t>(id)]) return nullptr;
  const graph::Node& node = graph_.nodes[static_cast<size_t>(consumers[0])];
  // A reader that only arranges an output is no layer: the value itself is read there.
  return view_.needed[static_cast<size_t>(consumers[0])] ? &node : nullptr;
}

}  // namespace octet::lower
