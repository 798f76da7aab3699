#include "converter/lower/coded_weights.h"

#include <utility>

#include "converter/lower/conv.h"
#include "converter/lower/fusion.h"
#include "converter/operators/weights.h"

namespace octet::lower {
namespace {

// Where element (k) of row o of the layer stands in the node's own constant; -1: it is one of the
// zeros between groups that were joined.
class Places {
 public:
  Places(const graph::Node& node, const operators::Weights& weights, int64_t joined)
      : joined_(joined) {
    const graph::Shape& shape = weights.tensor->shape;
    if (!operators::IsConvolution(node)) {
      channels_ = weights.products;
      column_step_ = weights.axis == 0 ? 1 : weights.outputs;
      row_step_ = weights.axis == 0 ? channels_ : 1;
      return;
    }
    channels_ = shape[1];
    taps_ = weights.tensor->Count() / (shape[0] * channels_);
    group_outputs_ = shape[0] / node.Int("group", 1);
    row_step_ = channels_ * taps_;
    column_step_ = taps_;
  }
  int64_t Of(int64_t o, int64_t k) const {
    const int64_t tap = k / (channels_ * joined_), c = k % (channels_ * joined_);
    if (c / channels_ != o / group_outputs_ % joined_) return -1;
    return o * row_step_ + c % channels_ * column_step_ + tap;
  }

 private:
  int64_t joined_, channels_ = 1, taps_ = 1, group_outputs_ = 1, row_step_ = 1, column_step_ = 1;
};

}  // namespace

ConvWeights AsInt8(const Builder& builder, const graph::Node& node, ConvWeights weights) {
  weights.scheme = builder.WeightSchemeOf(node);
  weights.scales = operators::CodedScalesOf(builder.graph(), node);
  if (!weights.scales.empty()) {
    operators::CodedBias bias = operators::CodedBiasOf(builder.graph(), node);
    weights.bias_codes = std::move(bias.codes);
    weights.bias_scales = std::move(bias.scales);
  }
  if (const quantize::RoundedWeights* rounded = builder.RoundedWeightsOf(node)) {
    weights.scales = rounded->scales;
    weights.bias_codes.clear();
    weights.bias_scales.clear();
  }
  const std::vector<float>& correction = builder.BiasCorrectionOf(node);
  for (size_t o = 0; o < correction.size(); ++o) weights.bias[o] += correction[o];
  return weights;
}

std::optional<CodedWeights> WeightCoder::Of(size_t n) const {
  const graph::Graph& graph = builder_.graph();
  const graph::Node& node = graph.nodes[n];
  if (builder_.PrecisionOf(node) != blob::Precision::kInt8) return std::nullopt;
  const auto own = operators::WeightsOf(graph, node);
  const bool convolves = operators::IsConvolution(node);
  if (!own || (!convolves && own->tensor->shape.size() != 2)) return std::nullopt;
  int64_t joined = 1;
  ConvWeights weights =
      convolves ? ConvWeightsOf(builder_, node, &joined) : MatrixWeightsOf(builder_, node);
  const std::vector<float> own_bias = weights.bias;
  weights = AsInt8(builder_, node, std::move(weights));
  const Fusion fusion = FuseActivation(builder_, node);
  const Target target = TargetOf(builder_, node, fusion, Int8Tensor(builder_, fusion.result));
  const ConvCodes codes = EncodeConv(weights, Int8Tensor(builder_, node.inputs[0]), target.sums,
                                     convolves && IsDepthwise(builder_, node));
  CodedWeights coded;
  coded.weights = graph::Tensor::Floats(own->tensor->shape, own->tensor->floats);
  coded.codes.resize(own->tensor->floats.size());
  // What the layer multiplies its weights with, the simulation does as well.
  const float alpha = node.op == "Gemm" ? node.Float("alpha", 1) : 1;
  const Places places(node, *own, joined);
  for (int64_t o = 0; o < weights.out_c; ++o) {
    const CodedChannel& channel = codes.channels[static_cast<size_t>(o)];
    coded.scales.push_back(static_cast<float>(channel.scale));
    coded.bias.push_back(static_cast<float>(channel.real_bias));
    coded.bias_shift.push_back(
        static_cast<float>(channel.real_bias - own_bias[static_cast<size_t>(o)]));
    for (int64_t k = 0; k < weights.depth; ++k) {
      const int64_t place = places.Of(o, k);
      if (place < 0) continue;
      const auto at = static_cast<size_t>(place);
      coded.codes[at] = codes.codes[static_cast<size_t>(o * weights.depth + k)];
      coded.weights.floats[at] = static_cast<float>(channel.scale * coded.codes[at] / alpha);
    }
  }
  return coded;
}

}  // namespace octet::lower
