#include "converter/simulate/rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "converter/operators/weights.h"

namespace octet::simulate {
namespace {

void RoundRun(float scale, int zero_point, bool clip, std::span<float> values) {
  const float inverse = 1 / scale;
  constexpr float kNoBound = std::numeric_limits<float>::infinity();
  const float low = clip ? static_cast<float>(-128 - zero_point) : -kNoBound;
  const float high = clip ? static_cast<float>(127 - zero_point) : kNoBound;
  for (float& value : values) {
    value = std::clamp(std::floor(value * inverse + 0.5f), low, high) * scale;
  }
}

}  // namespace

void Round(const quantize::TensorScheme& scheme, bool clip, graph::Tensor* tensor) {
  const std::span<float> values = tensor->floats;
  if (scheme.channels.empty()) {
    return RoundRun(scheme.scale, scheme.zero_point, clip, values);
  }
  const size_t plane = values.size() / scheme.channels.size();
  for (size_t c = 0; c < scheme.channels.size(); ++c) {
    const quantize::ChannelScheme& channel = scheme.channels[c];
    RoundRun(channel.scale, channel.zero_point, clip, values.subspan(c * plane, plane));
  }
}

Outputs OutputsOf(const graph::Graph& graph, const graph::Node& node) {
  Outputs outputs;
  const auto weights = operators::WeightsOf(graph, node);
  // Outputs along the first axis or the columns of one matrix: all that int8 kernels take.
  if (!weights || (weights->axis != 0 && weights->tensor->shape.size() != 2)) return outputs;
  outputs.count = static_cast<size_t>(weights->outputs);
  if (weights->axis != 0) outputs.across = outputs.count;
  const graph::Shape& result = *graph.At(node.outputs[0]).shape;
  for (size_t i = weights->result_axis + 1; i < result.size(); ++i) {
    outputs.inner *= static_cast<size_t>(result[i]);
  }
  return outputs;
}

}  // namespace octet::simulate
