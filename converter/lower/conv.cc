#include "converter/lower/conv.h"

#include <algorithm>

#include "converter/lower/builder.h"
#include "converter/lower/coded_weights.h"
#include "converter/lower/fusion.h"
#include "converter/lower/window.h"

namespace octet::lower {
void EmitConv(Builder& builder, const graph::Node& node, const ConvWeights& weights,
              blob::ConvParams params, int input, Layout layout, bool depthwise) {
  const blob::Precision precision = builder.PrecisionOf(node);
  const blob::ElementType type = Builder::TypeOf(precision);
  const Fusion fusion = FuseActivation(builder, node);
  const int output = builder.Define(fusion.result, layout, type);
  if (fusion.absorbed != nullptr) builder.Absorb(*fusion.absorbed);
  Layer& layer = builder.Emit(node, depthwise ? blob::Op::kDepthwiseConv : blob::Op::kConv,
                              precision, {input}, output);
  if (fusion.absorbed != nullptr) layer.fused = fusion.absorbed->op;
  if (!node.activation.empty() && fusion.absorbed == nullptr) layer.fused = node.activation;
  const Tensor& in = builder.At(input);
  const Tensor& out = builder.At(output);
  layer.weight_count = weights.values.size();
  layer.macs = out.Elements() * static_cast<uint64_t>(weights.depth);
  params.clamp_lo = -128;
  params.clamp_hi = 127;
  params.function = blob::Function::kIdentity;
  if (precision == blob::Precision::kInt8) {
    const Target target = TargetOf(builder, node, fusion, out);
    params.clamp_lo = target.clamp_lo;
    params.clamp_hi = target.clamp_hi;
    if (target.table) {
      params.table_zero_point = static_cast<int8_t>(target.sums.zero_point);
      layer.table = UnaryTable(fusion.function, target.sums, out);
    }
    layer.activation = ActivationOf(fusion.function, target.table ? target.sums.scale : 0);
    // The range is then a clamp as well.
    if (fusion.absorbed != nullptr && !node.activation.empty()) {
      layer.activation.is_computable = false;
    }
    QuantizedConv data = QuantizeConv(AsInt8(builder, node, weights), in, target.sums, depthwise);
    params.pre_shift = static_cast<uint8_t>(data.pre_shift);
    layer.weights = std::move(data.weights);
    layer.channels = std::move(data.channels);
  } else {
    params.function = fusion.function.function;
    params.alpha = fusion.function.alpha;
    params.beta = fusion.function.beta;
    HalfConv data = HalfConvWeights(weights);
    layer.weights = std::move(data.weights);
    layer.channels = std::move(data.bias);
  }
  layer.Set(params);
}

const graph::Tensor& ConstantWeights(const Builder& builder, const graph::Node& node,
                                     size_t input) {
  const graph::Tensor* weights = builder.Constant(node.inputs[input]);
  if (weights == nullptr || !weights->IsFloat()) {
    NodeFail(node,
             "its weights are computed at run time, which works for a Conv of one "
             "picture with at most 1024 weights a channel; give them with --bind, or end the graph "
             "before this node: --cut-at '{}'",
             builder.graph().At(node.inputs[input]).name);
  }
  return *weights;
}

namespace {

// How many neighbouring groups become one. Kernels take 16 outputs and 4 inputs at a time; a group
// that is no multiple of these would leave them to the reference.
int64_t MergedGroups(const graph::Tensor& weights, int64_t groups) {
  constexpr int64_t kOutputs = 16, kInputs = 4;
  const int64_t out = weights.shape[0] / groups, in = weights.shape[1];
  for (int64_t merged = 1; merged < groups; ++merged) {
    if (groups % merged == 0 && merged * out % kOutputs == 0 && merged * in % kInputs == 0) {
      return merged;
    }
  }
  return groups;  // one dense layer
}

// [out, in / groups, h, w] with `merged` groups in each group: zeros where an output and an input
// are of different ones. They add nothing to any sum.
graph::Tensor BlockDiagonal(const graph::Tensor& weights, int64_t groups, int64_t merged) {
  const int64_t out = weights.shape[0] / groups;
  const auto run = static_cast<size_t>(weights.shape[1] * weights.shape[2] * weights.shape[3]);
  graph::Tensor result = weights;
  result.shape[1] *= merged;
  result.floats.assign(weights.floats.size() * static_cast<size_t>(merged), 0.0f);
  for (int64_t o = 0; o < weights.shape[0]; ++o) {
    const auto row = static_cast<size_t>(o);
    const auto place = static_cast<size_t>(o / out % merged);
    std::copy_n(&weights.floats[row * run], run,
                &result.floats[(row * static_cast<size_t>(merged) + place) * run]);
  }
  return result;
}

}  // namespace

bool IsDepthwise(const Builder& builder, const graph::Node& node) {
  const int64_t groups = node.Int("group", 1);
  return groups > 1 && groups == builder.ShapeOf(node.inputs[0])[1] &&
         groups == ConstantWeights(builder, node, 1).shape[0];
}

ConvWeights ConvWeightsOf(const Builder& builder, const graph::Node& node, int64_t* joined_groups) {
  const graph::Tensor& own = ConstantWeights(builder, node, 1);
  const graph::Tensor* bias = nullptr;
  if (node.inputs.size() > 2 && node.inputs[2] != graph::kNoValue)
    bias = &ConstantWeights(builder, node, 2);
  graph::Tensor rounded;
  const graph::Tensor* weights = &own;
  if (const quantize::RoundedWeights* instead = builder.RoundedWeightsOf(node)) {
    rounded = graph::Tensor::Floats(own.shape, instead->values);
    weights = &rounded;
  }
  const int64_t groups = node.Int("group", 1);
  *joined_groups = IsDepthwise(builder, node) ? 1 : MergedGroups(*weights, groups);
  ConvWeights arranged = ArrangeConvWeights(
      *joined_groups == 1 ? *weights : BlockDiagonal(*weights, groups, *joined_groups), bias);
  const float shift = builder.BiasShiftOf(node);
  for (float& of_channel : arranged.bias) of_channel += shift;
  return arranged;
}

void LowerConv(Builder& builder, const graph::Node& node) {
  const graph::Tensor& weights = ConstantWeights(builder, node, 1);
  const graph::Shape& in_shape = builder.ShapeOf(node.inputs[0]);
  if (in_shape.size() != 4 || weights.shape.size() != 4) {
    NodeFail(node, "only 2-D convolutions are supported, but its input has shape {}",
             graph::ToString(in_shape));
  }
  const int64_t groups = node.Int("group", 1);
  Window window = WindowOf(node, in_shape, weights.shape[2], weights.shape[3]);
  int input =
      builder.Use(node.inputs[0], Layout::kImage, Builder::TypeOf(builder.PrecisionOf(node)));
  // The kernels count on windows that meet the picture; padding as wide as one is a layer of its
  // own.
  const int64_t reach_h = (window.kernel_h - 1) * window.dilation_h,
                reach_w = (window.kernel_w - 1) * window.dilation_w;
  if (std::max(window.pad_top, window.pad_bottom) > reach_h ||
      std::max(window.pad_left, window.pad_right) > reach_w) {
    input = PadPicture(builder, node, input,
                       {window.pad_top, window.pad_left, window.pad_bottom, window.pad_right});
    window.pad_top = window.pad_left = window.pad_bottom = window.pad_right = 0;
  }
  blob::ConvParams params{};
  window.Store(&params);
  int64_t joined = 1;
  const ConvWeights arranged = ConvWeightsOf(builder, node, &joined);
  params.groups = static_cast<uint32_t>(groups / joined);
  EmitConv(builder, node, arranged, params, input, Layout::kImage, IsDepthwise(builder, node));
}

}  // namespace octet::lower
