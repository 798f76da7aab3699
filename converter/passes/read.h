// Reading what ONNX spells in several ways: as an attribute in one opset, as a constant input in
// the next.
#ifndef OCTET_CONVERTER_PASSES_READ_H_
#define OCTET_CONVERTER_PASSES_READ_H_

#include <optional>
#include <vector>

#include "converter/graph/graph.h"

namespace octet::passes {

struct ClipBounds {
  float min, max;  // lowest and largest float where absent
};
// Clip of any opset; nullopt when a bound is not constant.
std::optional<ClipBounds> ReadClipBounds(const graph::Graph& graph, const graph::Node& node);

// Values of a constant integer input; nullopt when omitted or not constant.
std::optional<std::vector<int64_t>> ConstantInts(const graph::Graph& graph, const graph::Node& node,
                                                 size_t input);
// A constant float of one element; nullopt otherwise.
std::optional<float> ConstantScalar(const graph::Graph& graph, graph::ValueId id);

// "axes" as attribute or constant input, made non-negative and sorted; an empty list when absent;
// nullopt when not constant or out of range.
std::optional<std::vector<int64_t>> ReadAxes(const graph::Graph& graph, const graph::Node& node,
                                             size_t input, int64_t rank);

struct PadSpec {
  std::vector<int64_t> begin, end;  // a full rank each
  float value = 0;
  bool constant_mode = true;
};
// Pad of any opset; nullopt when amounts or value are not constant.
std::optional<PadSpec> ReadPad(const graph::Graph& graph, const graph::Node& node, int64_t rank);

// A constant that broadcasts over a result of `rank` dimensions along `axis` alone: its values, one
// per element of that axis (`count` of them). Nullopt when it varies along another axis, or adds or
// widens dimensions.
std::optional<std::vector<float>> PerAxisConstant(const graph::Tensor& tensor, int64_t rank,
                                                  int64_t axis, int64_t count);

// BatchNormalization in inference form as y = scale * x + shift per channel, in double until
// stored: scale = gamma / sqrt(var + epsilon), shift = beta - mean * scale.
struct ScaleShift {
  std::vector<float> scale, shift;
};
std::optional<ScaleShift> ReadBatchNorm(const graph::Graph& graph, const graph::Node& node);

// Spatial attributes of Conv, ConvTranspose and the pools with their defaults filled in; nullopt
// when auto_pad is not NOTSET. `rank` counts the spatial dimensions.
struct SpatialAttributes {
  std::vector<int64_t> kernel, strides, dilations, pads;  // pads: all begins, then all ends
};
std::optional<SpatialAttributes> ReadSpatialAttributes(const graph::Node& node,
                                                       const std::vector<int64_t>& kernel);

}  // namespace octet::passes

#endif  // OCTET_CONVERTER_PASSES_READ_H_
